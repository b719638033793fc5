import type { IDataObject } from 'n8n-workflow';

/*
 * How something ended. For a request or an item, the types are here:
 *
 *     Result      Done, with the rows, or Failed, with the reason why there are none
 *     Failure     that reason, in words, and whether the service may have done it
 *     Left        no result: it was never sent, or was in progress when the run stopped
 *
 * For a run and what it remembers:
 *
 *     When        run/outcome: in which run an item ended, or why it was not attempted
 *     Reason      run/halt: why nothing more of a run leaves
 *     Unsent      run/ledger: an item that is not sent, with its Result and When
 *     Verdict     run/ledger: whether an item may be sent, or is Unsent
 *     Found, End  run/ledger: what the store says of a recipient before a message, and what it is told after it
 */

/**
 * Why an item has no answer, in words for the user.
 *
 * n8n replaces a message that contains the name of a system error such as `ENOENT` or `EPERM`, in upper or lower case, even within a
 * word. Therefore only `description` quotes texts of the user and the service, and `message` never does.
 */
export interface Failure {
	/** What happened: one sentence without a final period. */
	message: string;
	/** What to do next, then the evidence: the value or the service's own words. */
	description: string;
	/** Whether the service may have processed the request. */
	outcome: 'notDone' | 'unknown';
	/** When the same request may be repeated; 'afterTrouble' if the failure is certainly not its fault. */
	repeat: 'pointless' | 'ifHarmless' | 'afterTrouble';
	/**
	 * What the failure concerns besides the item: other requests meet it too. A refusal that names a record or a field has none.
	 * 'endpoint' if either the endpoint or the record does not exist, 'operation' if each of its requests does harm.
	 */
	concerns?: 'limit' | 'account' | 'endpoint' | 'operation' | 'hours' | undefined;
	/** HTTP status of the answer, if there is one. */
	status?: number | undefined;
	retryAfterMs?: number | undefined;
}

/** Parts of a description may be empty, which leaves blanks at its ends. */
const failureWith =
	(usual: Pick<Failure, 'outcome' | 'repeat'>) =>
	(message: string, description: string, more: Partial<Failure> = {}): Failure => ({
		message,
		description: description.trim(),
		...usual,
		...more,
	});

/** Nothing was done. By default, it is pointless to repeat the request. */
export const notDone = failureWith({ outcome: 'notDone', repeat: 'pointless' });

/** The service may have processed the request. By default, the request is repeated if that is harmless. */
export const unknownOutcome = failureWith({ outcome: 'unknown', repeat: 'ifHarmless' });

export const ofAccount: Partial<Failure> = { concerns: 'account' };

export interface Failed {
	failure: Failure;
	/** What is done of an item that needs several changes, and what is not. The failure itself can concern other items too. */
	before?: string;
}

/** The rows of an answer, or of all pages that were read. */
export interface Done {
	rows: IDataObject[];
	/** The next page, if the list has more. */
	next?: number | undefined;
	/** What the user should know about the result. */
	notice?: string | undefined;
	/** Why it may not be what the user means. */
	warning?: string | undefined;
}

export type Result = Done | Failed;

export type Left = 'notSent' | 'interrupted';

export const isDone = (outcome: Result | Left | undefined): outcome is Done =>
	typeof outcome === 'object' && 'rows' in outcome;

export const hasFailed = (outcome: Result | Left | undefined): outcome is Failed =>
	typeof outcome === 'object' && 'failure' in outcome;

/** Whether a request has failed although the service may have processed it. */
export const isUnknown = (outcome: Result | Left): boolean =>
	hasFailed(outcome) && outcome.failure.outcome === 'unknown';
