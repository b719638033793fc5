import { n8nSays, quote, wordsOf } from '../../shared/quote';
import { adviceIn } from './advice';
import { notDone, ofAccount, unknownOutcome, type Failure } from './result';

/* Failures of a run, or of items that are not sent because of what other requests and runs have done. */

/** n8n's store failed for long. A request that needs an entry in it is not sent without one. */
export const notRecorded = (error: unknown): Failure =>
	notDone(
		'n8n could not record messages before sending',
		`The database of n8n did not respond for half a minute. Check that it works.${n8nSays(wordsOf(error))}`,
	);

/** Several processes cannot share n8n's store, because another node has the row that serves as their lock. */
export const recordTaken = (): Failure =>
	notDone(
		"n8n could not record messages because of 'Remove Duplicates' in this workflow",
		"In queue mode, and with 'n8n Processes' above 1 in the credential, the node needs the record that 'Remove Duplicates' uses with the scope 'Workflow'. Run 'Remove Duplicates' once with the operation 'Clear Deduplication History' and the option Scope set to 'Workflow'. Then set Scope to 'Node' in each 'Remove Duplicates' of this workflow.",
	);

/** Another run has claimed the recipient, and its outcome is unknown. @param unknown advice of the operation */
export const inDoubt = (label: string, unknown: string): Failure =>
	unknownOutcome(
		'This message may have been sent already, so the node did not send it again',
		`${unknown} Another run was interrupted while it sent the message, is still sending it, or did not learn from the service whether it was sent. If the message is not there, write it to this person in the chat. Do not change '${label}' in the broadcast: with another value, everyone gets the message again.`,
		{ repeat: 'pointless' },
	);

/** The outcome in an earlier try of the same execution is unknown. @param unknown advice of the operation */
export const leftUnknown = (unknown: string): Failure =>
	unknownOutcome(
		'The service may have processed this item already, so the node did not send it again',
		`${unknown} When this execution ran before, the node did not learn whether the service processed the item. If the service did not process the item, run the workflow again for this item only.`,
		{ repeat: 'pointless' },
	);

/** The node has stopped because so many items in a row have an unknown outcome. @param latest failure of one of them */
export const manyUnknown = (count: number, latest: Failure): Failure =>
	notDone(
		`The outcome of ${count} items in a row is unknown`,
		`Check in the service whether they were processed, and whether the service works again. The latest of them: ${quote(latest.message)}.`,
		ofAccount,
	);

/** An item that the node has not begun. @param trouble of the account, or the end of the sending hours */
export const notAttempted = (trouble: Failure): Failure =>
	trouble.concerns === 'hours'
		? trouble
		: notDone(`Nothing was sent. ${trouble.message}`, adviceIn(trouble), { status: trouble.status });

/** The sending hours of the run do not include the present. @param next says when to start the workflow again */
export const outsideHours = (from: string, until: string, timezone: string, next: string): Failure =>
	notDone(`Not attempted: messages leave only from ${from} until ${until} (${timezone})`, next, {
		concerns: 'hours',
	});

/** n8n calls the node once for each of several items, so that it cannot check all of them before one leaves. */
export const calledOneByOne = (): Failure =>
	notDone(
		"Engine 2.0 of n8n (the workflow's setting 'engineType') calls the node once for each item, which is not supported yet",
		"Nothing was sent. Run the workflow on n8n's usual engine: set 'engineType' to 'v1' in its settings.",
	);

/** @param count of different people @param label of the option @param most its value @param before how many of them an earlier batch had */
export const tooManyRecipients = (count: number, label: string, most: number, before = 0): Failure =>
	notDone(
		`${before ? 'With this batch, the execution' : 'This run'} has ${count} recipients, more than '${label}' allows (${most})`,
		`Nothing ${before ? 'of this batch ' : ''}was sent. Check the items, such as the filter of the node that gives them. If they are right, enter a greater number for '${label}'.`,
	);

/** Why a test run has failed. @param failure of the message to the person who tries it */
export const testFailed = (failure: Failure): Failure => ({
	...failure,
	message: `Test message: ${failure.message}`,
});
