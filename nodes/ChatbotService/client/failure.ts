import { adviceIn, type Expected } from './advice';
import { quote } from './quote';

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
	/** What the failure concerns besides the item: other requests meet it too. A refusal that names a record or a field has none. */
	concerns?: 'limit' | 'account' | undefined;
	/** HTTP status of the answer, if there is one. */
	status?: number | undefined;
	/** Wait that the service asked for, in milliseconds. */
	retryAfterMs?: number | undefined;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : error);

const sentences = (...parts: Array<string | false>) => parts.filter(Boolean).join(' ');

/** Says how long the service asks to wait, if that is a minute or more. */
function waitAsked(milliseconds = 0): string {
	const minutes = Math.ceil(milliseconds / 60_000);
	if (milliseconds < 60_000) return '';
	return minutes < 120
		? ` The service asks to wait for ${minutes} min.`
		: ` The service asks to wait for ${Math.ceil(minutes / 60)} hours.`;
}

const serviceSays = (words: string | undefined) => (words ? ` The service says: ${quote(words)}.` : '');

/** Nothing was done. By default, it is pointless to repeat the request. */
const notDone = (message: string, description: string, more: Partial<Failure> = {}): Failure => ({
	message,
	description,
	outcome: 'notDone',
	repeat: 'pointless',
	...more,
});

const notSent = (message: string, description: string, more?: Partial<Failure>): Failure =>
	notDone(message, sentences('Nothing was sent.', description), more);

const ofAccount: Partial<Failure> = { concerns: 'account' };

/** The service may have processed the request. By default, the request is repeated if that is harmless. */
const unknownOutcome = (message: string, description: string, more: Partial<Failure> = {}): Failure => ({
	message,
	description,
	outcome: 'unknown',
	repeat: 'ifHarmless',
	...more,
});

/** An item's values do not fit the API. */
export const invalidValues = (problems: Problem[]): Failure =>
	notDone(problems.map(({ message }) => message).join('; '), problems.map(({ advice }) => advice).join(' '));

/** What is wrong with one field. */
export interface Problem {
	/** Names the field by its label. Contains no value of the user. */
	message: string;
	/** What to do, and the value that was found. */
	advice: string;
}

export const unknownOperation = (resource: unknown, operation: unknown): Failure =>
	notDone(
		"'Resource' and 'Operation' do not name an operation of this node",
		`Choose both from their lists. They do not accept expressions. Received: ${quote(resource)} and ${quote(operation)}.`,
	);

export const credentialUnreadable = (error: unknown): Failure =>
	notDone(
		'The credential of the node cannot be read',
		`Open the credential in the node and save it again. If it no longer exists, choose another one. n8n says: ${quote(messageOf(error))}.`,
	);

/** @param first index of an item @param other index of an item with another address or token */
export const credentialDiffers = (first: number, other: number): Failure =>
	notSent(
		'The credential of the node has expressions that give another address or token for other items',
		`n8n uses one credential for all items of a run, and it differs for item ${first} and item ${first + other}. Put the node Loop Over Items in front of this node, with a Batch Size of 1, and connect this node's output back to it: then each item is sent with its own credential.`,
	);

/** n8n's store failed. A request that needs an entry in it is not sent without one. */
export const notRecorded = (error: unknown): Failure =>
	notDone(
		'n8n could not record this message before sending, so nothing was sent',
		`The database of n8n did not answer. Check that it works, then run this item again. n8n says: ${quote(messageOf(error))}.`,
	);

/** Several processes cannot share n8n's store, because another node has the row that serves as their lock. */
export const recordTaken = (): Failure =>
	notDone(
		"n8n could not record this message because of 'Remove Duplicates' in this workflow, so nothing was sent",
		"In queue mode, and with 'Workers' above 1 in the credential, the node needs the record that 'Remove Duplicates' uses with the scope 'Workflow'. Run 'Remove Duplicates' once with the operation 'Clear Deduplication History' and the option Scope set to 'Workflow'. Then set Scope to 'Node' in each 'Remove Duplicates' of this workflow, and run this item again.",
	);

/** Another run has claimed the recipient, and its outcome is unknown. @param unknown advice of the operation */
export const inDoubt = (label: string, unknown: string): Failure =>
	unknownOutcome(
		'This message may have been sent already, so the node did not send it again',
		`${unknown} Another run was interrupted while it sent the message, is still sending it, or did not learn from the service whether it was sent. If the message is not there, send it only to this recipient, with another value of '${label}'.`,
		{ repeat: 'pointless' },
	);

/** The outcome in an earlier try of the same execution is unknown. @param unknown advice of the operation */
export const leftUnknown = (unknown: string): Failure =>
	unknownOutcome(
		'The service may have processed this item already, so the node did not send it again',
		`${unknown} When this execution ran before, the node did not learn whether the service processed the item. If the service did not process the item, run the workflow again for this item only.`,
		{ repeat: 'pointless' },
	);

export const tokenRefused = (status: number, words?: string): Failure =>
	notDone(
		'The service does not accept the token',
		`Open the credential and paste the API token again from the page 'API' of your account in the service. If this happens again, check 'Base URL' and 'Token Placement'.${serviceSays(words)}`,
		{ ...ofAccount, status },
	);

/** Words of a refusal that concerns the account: none besides those of the framework, or about the plan and its API. */
const wordsOfAccount =
	/^(?:forbidden|access denied|доступ запрещ[её]н)?\.?$|\bAPI\b|plan\b|tariff|subscription|тариф|подписк/i;

/**
 * @param expected what the request names; empty if it names nothing
 * @param isForeign whether the record exists but belongs to another account
 */
export const accessRefused = (
	status: number,
	{ expected, isForeign }: { expected: readonly Expected[]; isForeign: boolean },
	words?: string,
): Failure => {
	const plan = 'Check that the plan of the account includes API access.';
	const owner = expected.length
		? `Check ${listed(expected)}: ${expected.length > 1 ? 'they' : 'it'} must belong to the account whose token is in the credential.`
		: '';
	const advice = (isForeign ? [owner, plan] : [plan, owner]).filter(Boolean).join(' ');
	const concerns = !isForeign && wordsOfAccount.test(words ?? '') ? 'account' : undefined;
	return notDone('The service refused access', `${advice}${serviceSays(words)}`, { concerns, status });
};

const listed = (expected: readonly Expected[]) => expected.map(({ label }) => `'${label}'`).join(', ');

/** @param expected what the request names, at least one */
export const notFound = (status: number, expected: readonly Expected[], words?: string): Failure =>
	notDone(
		`${expected.map(({ whatItIs }, index) => `${index ? 'or no' : 'No'} ${whatItIs}`).join(' ')} in this account`,
		`Check ${listed(expected)}. If the service never finds anything, check 'Base URL' in the credential.${serviceSays(words)}`,
		{ status },
	);

/** Laravel's words for an unknown path or method. */
const wordsOfRouting = /^$|^The (?:route|[A-Z]+ method)\b/;

/** The service does not know the endpoint. @param expected what the request names; empty if it names nothing */
export const unknownEndpoint = (status: number, expected: readonly Expected[], words?: string): Failure =>
	notDone(
		'The service does not have this endpoint',
		`Check 'Base URL' in the credential: it must be the address of the service.${
			expected.length ? ` If other operations work, check ${listed(expected)}.` : ''
		}${serviceSays(words)}`,
		{ concerns: wordsOfRouting.test(words ?? '') ? 'account' : undefined, status },
	);

export const valuesRefused = (status: number, labels: string[], words: string): Failure =>
	notDone(
		labels.length
			? `The service refused the value of ${labels.map((label) => `'${label}'`).join(', ')}`
			: 'The service refused the request',
		`${labels.length ? 'Correct it, then try again.' : 'Correct the values, then try again.'}${serviceSays(words)}`,
		{ status },
	);

export const tooManyRequests = (status: number, retryAfterMs?: number, words?: string): Failure =>
	notDone(
		"The service's limit of requests was reached",
		`Another program may use this account too. If it is another n8n process, raise 'Workers' in the credential. Otherwise lower 'Requests per Second' there. Then try again.${waitAsked(retryAfterMs)}${serviceSays(words)}`,
		{ repeat: 'afterTrouble', concerns: 'limit', status, retryAfterMs },
	);

export const serviceFailed = (status: number, retryAfterMs?: number, words?: string): Failure =>
	unknownOutcome(`The service failed to process the request (HTTP ${status})`, serviceSays(words).trim(), {
		status,
		retryAfterMs,
	});

export const underMaintenance = (status: number, retryAfterMs?: number, words?: string): Failure =>
	notDone(
		'The service is under maintenance',
		`Nothing was done. Try again when the maintenance is over.${waitAsked(retryAfterMs)}${serviceSays(words)}`,
		{ ...ofAccount, repeat: 'afterTrouble', status, retryAfterMs },
	);

export const requestTooLong = (status: number): Failure =>
	notDone(
		'The request is too long for the service',
		'Shorten the values of this item, especially the text.',
		{ status },
	);

export const redirected = (status: number, target: string | undefined): Failure =>
	notDone(
		'The service redirected the request instead of answering it',
		`Check 'Base URL' in the credential first: use https instead of http. If the redirect leads to a login page, paste the API token again and check 'Token Placement'.${target ? ` It leads to ${quote(target)}.` : ''}`,
		{ ...ofAccount, status },
	);

/** @param title of the page, which often shows whose page it is */
export const webPage = (status: number, title: string | undefined): Failure =>
	(status < 300 ? unknownOutcome : notDone)(
		`The service answered with a web page instead of data (HTTP ${status})`,
		`Check 'Base URL' in the credential: it must be the address that you see when you are logged in to the service, not the address of its website or login page.${title ? ` The page is titled ${quote(title)}.` : ''}`,
		{ repeat: 'pointless', concerns: status < 300 ? undefined : 'account', status },
	);

export const emptyAnswer = (status: number): Failure =>
	notDone(
		'The service sent an empty answer instead of data',
		"Try again. If this happens again, check 'Base URL' in the credential.",
		{ repeat: 'ifHarmless', status },
	);

export const malformedAnswer = (status: number, found: unknown): Failure =>
	unknownOutcome(
		'The answer of the service cannot be read',
		`If this happens again, check 'Base URL' in the credential. The service answered: ${quote(found)}.`,
		{ status },
	);

/** The service neither denied nor confirmed the request. @param found its answer */
export const unconfirmed = (status: number, found: unknown, words?: string): Failure =>
	unknownOutcome(
		'The service did not confirm the request',
		words ? `The service says: ${quote(words)}.` : `The service answered: ${quote(found)}.`,
		{ status },
	);

/** The page numbers of a list do not lead to its end. @param reason a sentence */
export const endlessPages = (reason: string): Failure =>
	notDone(
		'The service does not number its pages as expected',
		`${reason} Nothing was changed. Try again later. If this happens again, contact the support of the service.`,
	);

export const unreachable = (reason: string): Failure =>
	notSent(
		'The service cannot be reached',
		sentences(
			reason,
			"Check 'Base URL' in the credential, then the internet connection of the server on which n8n runs. If 'Proxy' is set under 'Request Options' on the Settings tab of the node, check it too.",
		),
		{ ...ofAccount, repeat: 'afterTrouble' },
	);

/** Does not quote the value, which can contain a token. */
export const invalidAddress = (): Failure =>
	notDone(
		"'Base URL' in the credential is not a valid URL",
		'Enter it as in the address bar of the browser when you are logged in to the service, such as https://watbot.ru.',
		ofAccount,
	);

/** With an invalid pace, requests would be sent without any pace. */
export const invalidPace = (found: unknown): Failure =>
	notSent(
		"'Requests per Second' in the credential must be a number, 0 or more",
		`Enter a number such as 2 or 0.5, or 0 for no limit. If the field contains an expression, check its result. Received: ${quote(found)}.`,
		ofAccount,
	);

/** Each process would use the limits as if it were alone. */
export const invalidWorkers = (found: unknown): Failure =>
	notSent(
		"'Workers' in the credential must be a whole number, 1 or more",
		`Enter how many n8n processes use this account, such as 1. If the field contains an expression, check its result. Received: ${quote(found)}.`,
		ofAccount,
	);

/** @param label of the field in the credential */
export const invalidToken = (label: 'API Token' | 'Token Name'): Failure =>
	notSent(
		`'${label}' in the credential contains characters that are not allowed in a header`,
		label === 'API Token'
			? "Paste the API token again from the page 'API' of your account in the service, without line breaks or invisible characters. Or choose 'Query Parameter' as 'Token Placement'."
			: "The name of a header consists of Latin letters, digits and hyphens, such as X-Api-Token. Correct 'Token Name', or choose 'Query Parameter' as 'Token Placement'.",
		ofAccount,
	);

export const certificateRefused = (reason: string): Failure =>
	notSent(
		"The service's certificate is not trusted",
		`Check 'Base URL' in the credential. If you run the service yourself with a self-signed certificate, switch on 'Ignore SSL Issues' under 'Request Options' on the Settings tab of the node. ${reason}`,
		ofAccount,
	);

export const proxyRefused = (status: number): Failure =>
	notSent(
		'The proxy between n8n and the service requires a user name and a password',
		"Enter them in the address of 'Proxy' under 'Request Options' on the Settings tab of the node, such as http://user:password@proxy.example.com:3128.",
		{ ...ofAccount, status },
	);

export const timedOut = (): Failure =>
	unknownOutcome(
		'The service did not answer in time',
		"To wait longer, set a higher 'Timeout' under 'Request Options' on the Settings tab of the node. Without this option, it is 300000 milliseconds.",
	);

export const interrupted = (reason: string): Failure =>
	unknownOutcome('The connection to the service was lost before the answer', reason);

export const withoutHttps = (): Failure =>
	notSent(
		'The server at this address does not support HTTPS',
		"Check 'Base URL' in the credential. If it contains a port, check the port. If you run the service yourself without HTTPS, use http instead of https.",
		ofAccount,
	);

/** The connection was made, but the request had to wait for the TLS handshake. */
export const handshakeFailed = (reason: string, repeat: 'afterTrouble' | 'pointless'): Failure =>
	notSent(
		'The server did not set up a secure connection',
		sentences(
			reason,
			"Check whether the server at the address and port in 'Base URL' of the credential supports HTTPS.",
		),
		{ ...ofAccount, repeat },
	);

/** HTTP cannot carry what the credential or Request Options contain. @param words of Node.js */
export const unsendable = (words: string): Failure =>
	notSent(
		'The request cannot be sent with these settings',
		`Check 'API Token' and 'Token Name' in the credential, and 'Timeout' under 'Request Options' on the Settings tab of the node. n8n says: ${quote(words)}.`,
		ofAccount,
	);

/** n8n blocked the request. @param words of n8n */
export const refusedByN8n = (words: string[]): Failure =>
	notSent(
		'n8n did not send the request',
		`Check the credential and its 'Base URL', or ask the administrator of this n8n. n8n says: ${quote([...new Set(words)].join('. '))}.`,
		ofAccount,
	);

/** The node has stopped because so many items in a row have an unknown outcome. @param latest failure of one of them */
export const manyUnknown = (count: number, latest: Failure): Failure =>
	notDone(
		`The outcome of ${count} items in a row is unknown`,
		`Check in the service whether they were processed, and whether the service works again. The latest of them: ${quote(latest.message)}.`,
		ofAccount,
	);

/** An item that the node has not begun. @param trouble of the account */
export const notAttempted = (trouble: Failure): Failure =>
	notDone(`Nothing was sent. ${trouble.message}`, adviceIn(trouble), { status: trouble.status });

/** An error in the code of this node. @param outcome whether the request may have been sent */
export const brokenHere = (error: unknown, outcome: Failure['outcome']): Failure =>
	(outcome === 'notDone' ? notDone : unknownOutcome)(
		'This node could not process the item',
		sentences(
			outcome === 'notDone' && 'Nothing was sent. Run only this item again.',
			`If this happens again, report this text to the author of the node: ${quote(messageOf(error))}.`,
		),
	);
