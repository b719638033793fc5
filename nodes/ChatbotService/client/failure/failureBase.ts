import { durationOf } from '../../shared/duration';

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

/** Says how long the service asks to wait, if that is a minute or more. */
export const waitAsked = (milliseconds = 0) =>
	milliseconds < 60_000 ? '' : ` The service asks to wait for ${durationOf(milliseconds)}.`;

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

/** What is wrong with one field. */
export interface Problem {
	/** Names the field by its label. Contains no value of the user. */
	message: string;
	/** What to do, and the value that was found. */
	advice: string;
}
