/**
 * Why an item has no answer, in words for the person in front of the editor.
 *
 * n8n replaces a message that contains the name of a system error (`ENOENT`, `EPERM`, …, in any case, within any word)
 * with a text of its own. So only sentences written here stand in `message`; whatever comes from the user or the service is
 * quoted in `description`.
 */
export interface Failure {
	/** What happened; one sentence without a final period. */
	message: string;
	/** What to do next, then what was found: the value, or the service's own words. */
	description: string;
	/** Whether the service may have done what it was asked for all the same. */
	outcome: 'notDone' | 'unknown';
	/** What a repetition of the same request could make of it. */
	repeat: 'pointless' | 'afterLimit' | 'afterMaintenance' | 'ifHarmless' | 'always';
	/** HTTP status of the answer, if there was one. */
	status?: number;
	/** What the service asked to wait, in milliseconds, if it did. */
	retryAfterMs?: number;
}

const longestQuote = 500;

/** Words of somebody else, shortened where they run long. */
export function quote(words: unknown): string {
	const flat = written(words).replace(/\s+/g, ' ').trim();
	return `"${flat.length > longestQuote ? `${flat.slice(0, longestQuote)}…` : flat}"`;
}

function written(words: unknown): string {
	if (typeof words !== 'object') return String(words);
	try {
		return JSON.stringify(words);
	} catch {
		// It holds itself, or a number that JSON does not know.
		return Object.prototype.toString.call(words);
	}
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : error);

const sentences = (...parts: Array<string | false>) => parts.filter(Boolean).join(' ');

const serviceSays = (words: string | undefined) => (words ? ` The service says: ${quote(words)}.` : '');

/** An item's values do not fit the interface; `problems` each name a field. */
export const invalidValues = (problems: Problem[]): Failure => ({
	message: problems.map(({ message }) => message).join('; '),
	description: problems.map(({ advice }) => advice).join(' '),
	outcome: 'notDone',
	repeat: 'pointless',
});

/** What is wrong with one field. */
export interface Problem {
	/** Names the field by its label; no value of the user's in it. */
	message: string;
	/** What to do, and the value that was found. */
	advice: string;
}

/** Resource and Operation do not name one of the node's operations. */
export const unknownOperation = (resource: unknown, operation: unknown): Failure => ({
	message: "'Resource' and 'Operation' do not name an operation of this node",
	description: `Choose both from their lists; they take no expressions. Received: ${quote(resource)} and ${quote(operation)}.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

export const credentialUnreadable = (error: unknown): Failure => ({
	message: 'The credential of the node cannot be read',
	description: `Open the credential in the node and save it again. If it no longer exists, choose another one. n8n says: ${quote(messageOf(error))}.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

/** n8n's store failed, and nothing is sent without being noted there. */
export const notNoted = (error: unknown): Failure => ({
	message: 'n8n could not record this message before sending, so nothing was sent',
	description: `The database of n8n did not answer. Check that it works, then run this item again. n8n says: ${quote(messageOf(error))}.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

/** Another run has claimed the recipient, and its outcome is unknown. */
export const inDoubt = (label: string, { unknown }: Advice): Failure => ({
	message: 'This message may have been sent already, so it was not sent again',
	description: `${unknown ?? ofReading} Another run was interrupted while it sent the message, is still sending it, or got no answer from the service. If the message is not there, send it to this recipient alone, with another value of '${label}'.`,
	outcome: 'unknown',
	repeat: 'pointless',
});

/** An earlier try of the same execution got no answer. */
export const leftUnknown = ({ unknown }: Advice): Failure => ({
	message: 'The service may have done this already, so it was not asked again',
	description: `${unknown ?? ofReading} The service did not answer when this execution ran before. If the service did not do it, run the workflow again for this item alone.`,
	outcome: 'unknown',
	repeat: 'pointless',
});

export const tokenRefused = (status: number, words?: string): Failure => ({
	message: 'The service does not accept the token',
	description: `Open the credential and paste the API token again from the page 'API' of your account in the service. If this happens again, check 'Base URL' and 'Token Placement'.${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

/**
 * @param expected what the request names; empty where it names nothing
 * @param isForeign whether it is there, and belongs to somebody else
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
	return {
		message: 'The service refused access',
		description: `${(isForeign ? [owner, plan] : [plan, owner]).filter(Boolean).join(' ')}${serviceSays(words)}`,
		outcome: 'notDone',
		repeat: 'pointless',
		status,
	};
};

/** What has to be there for a request to succeed. */
export interface Expected {
	/** Of the field that names it. */
	label: string;
	/** What there is none of when it is not found, such as 'contact with this ID'. */
	whatItIs: string;
}

const listed = (expected: readonly Expected[]) => expected.map(({ label }) => `'${label}'`).join(', ');

/** @param expected what the request names, at least one */
export const notFound = (status: number, expected: readonly Expected[], words?: string): Failure => ({
	message: `${expected.map(({ whatItIs }, index) => `${index ? 'or no' : 'No'} ${whatItIs}`).join(' ')} in this account`,
	description: `Check ${listed(expected)}. If the service never finds anything, check 'Base URL' in the credential.${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

/** The service does not know the method. @param expected what the request names; empty where it names nothing */
export const unknownMethod = (status: number, expected: readonly Expected[], words?: string): Failure => ({
	message: 'The service does not have this endpoint',
	description: `Check 'Base URL' in the credential: it must be the address of the service, without a path.${
		expected.length ? ` If other operations work, check ${listed(expected)}.` : ''
	}${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

/** The service looked at the values and refused them. */
export const valuesRefused = (status: number, labels: string[], words: string): Failure => ({
	message: labels.length
		? `The service refused the value of ${labels.map((label) => `'${label}'`).join(', ')}`
		: 'The service refused the request',
	description: `${labels.length ? 'Correct it, then try again.' : 'Correct the values, then try again.'}${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

export const tooManyRequests = (status: number, retryAfterMs?: number, words?: string): Failure => ({
	message: "The service's limit of requests was reached",
	description: `Something else may use this account too. If that is another n8n process, raise 'Workers' in the credential; if not, lower 'Requests per Second' there. Then try again.${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'afterLimit',
	status,
	retryAfterMs,
});

export const serviceFailed = (status: number, retryAfterMs?: number, words?: string): Failure => ({
	message: `The service failed to process the request (HTTP ${status})`,
	description: serviceSays(words).trim(),
	outcome: 'unknown',
	repeat: 'ifHarmless',
	status,
	retryAfterMs,
});

/** Before anything was looked at. */
export const underMaintenance = (status: number, retryAfterMs?: number, words?: string): Failure => ({
	message: 'The service is under maintenance',
	description: `Nothing was done. Try again when the maintenance is over.${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'afterMaintenance',
	status,
	retryAfterMs,
});

export const requestTooLong = (status: number): Failure => ({
	message: 'The request is too long for the service',
	description: 'Shorten the values of this item, especially the text.',
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

export const redirected = (status: number, target: string | undefined): Failure => ({
	message: 'The service redirected the request instead of answering it',
	description: `Check 'Base URL' in the credential first: use https instead of http, and no path after the domain name. If the redirect leads to a login page, paste the API token again and check 'Token Placement'.${target ? ` It leads to ${quote(target)}.` : ''}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

/** `title` is that of the page, which often tells whose it is. */
export const webPage = (status: number, title: string | undefined): Failure => ({
	message: `The service answered with a web page instead of data (HTTP ${status})`,
	description: `Check 'Base URL' in the credential: it must be the address that you see when you are logged in to the service, not the address of its website or login page.${title ? ` The page is titled ${quote(title)}.` : ''}`,
	outcome: status < 300 ? 'unknown' : 'notDone',
	repeat: 'pointless',
	status,
});

export const emptyAnswer = (status: number): Failure => ({
	message: 'The service sent an empty answer instead of data',
	description: "Try again. If this happens again, check 'Base URL' in the credential.",
	outcome: 'notDone',
	repeat: 'ifHarmless',
	status,
});

export const malformedAnswer = (status: number, found: unknown): Failure => ({
	message: 'The answer of the service cannot be read',
	description: `If this happens again, check 'Base URL' in the credential. It answered: ${quote(found)}.`,
	outcome: 'unknown',
	repeat: 'ifHarmless',
	status,
});

/** The service did not deny it, but did not confirm it either. `found` is what it answered. */
export const unconfirmed = (status: number, found: unknown, words?: string): Failure => ({
	message: 'The service did not confirm the request',
	description: words ? `The service says: ${quote(words)}.` : `It answered: ${quote(found)}.`,
	outcome: 'unknown',
	repeat: 'ifHarmless',
	status,
});

/** The pages of a list do not lead to its end. @param reason a sentence */
export const endlessPages = (reason: string): Failure => ({
	message: 'The service does not number its pages as expected',
	description: `${reason} Nothing was changed. Try again later. If this happens again, ask the support of the service.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

export const unreachable = (reason: string): Failure => ({
	message: 'The service cannot be reached',
	description: sentences(
		'Nothing was sent.',
		reason,
		"Check 'Base URL' in the credential, then the internet connection of the server on which n8n runs. If 'Proxy' is set under 'Request Options' in the Settings of the node, check it too.",
	),
	outcome: 'notDone',
	repeat: 'always',
});

/** What was found is not quoted: a token can stand in it. */
export const invalidAddress = (): Failure => ({
	message: "'Base URL' in the credential is not a valid URL",
	description:
		'Enter it as in the address bar of the browser when you are logged in to the service, such as https://watbot.ru.',
	outcome: 'notDone',
	repeat: 'pointless',
});

/** Without a pace that can be kept, requests would leave without any. */
export const invalidPace = (found: unknown): Failure => ({
	message: "'Requests per Second' in the credential must be a number, 0 or more",
	description: `Nothing was sent. Enter a number such as 2 or 0.5, or 0 for no limit. If the field contains an expression, check its result. Received: ${quote(found)}.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

/** @param label of the field in the credential */
export const invalidToken = (label: 'API Token' | 'Token Name'): Failure => ({
	message: `'${label}' in the credential contains characters that are not allowed in a header`,
	description:
		label === 'API Token'
			? "Nothing was sent. Paste the API token again from the page 'API' of your account in the service, without line breaks or invisible characters. Or choose 'Query Parameter' as 'Token Placement'."
			: "Nothing was sent. The name of a header consists of Latin letters, digits and hyphens, such as X-Api-Token. Correct 'Token Name', or choose 'Query Parameter' as 'Token Placement'.",
	outcome: 'notDone',
	repeat: 'pointless',
});

export const certificateRefused = (reason: string): Failure => ({
	message: "The service's certificate is not trusted",
	description: `Nothing was sent. Check 'Base URL' in the credential. If you run the service yourself with a self-signed certificate, switch on 'Ignore SSL Issues' under 'Request Options' in the Settings of the node. ${reason}`,
	outcome: 'notDone',
	repeat: 'pointless',
});

export const proxyRefused = (status: number): Failure => ({
	message: 'The proxy between n8n and the service requires a user name and a password',
	description:
		"Nothing was sent. Enter them in the address of 'Proxy' under 'Request Options' in the Settings of the node, such as http://user:password@proxy.example.com:3128.",
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

export const timedOut = (): Failure => ({
	message: 'The service did not answer in time',
	description: "To wait longer, raise 'Timeout' under 'Request Options' in the Settings of the node.",
	outcome: 'unknown',
	repeat: 'ifHarmless',
});

export const interrupted = (reason: string): Failure => ({
	message: 'The connection to the service was lost before the answer',
	description: reason,
	outcome: 'unknown',
	repeat: 'ifHarmless',
});

export const withoutHttps = (): Failure => ({
	message: 'The server at this address does not support HTTPS',
	description:
		"Nothing was sent. Check 'Base URL' in the credential. If it contains a port, check the port. If you run the service yourself without HTTPS, use http instead of https.",
	outcome: 'notDone',
	repeat: 'pointless',
});

/** The connection was made, and the request had to wait for the TLS handshake. */
export const handshakeFailed = (reason: string, repeat: 'always' | 'pointless'): Failure => ({
	message: 'The server did not set up a secure connection',
	description: sentences(
		'Nothing was sent.',
		reason,
		"Check whether the server at the address and port in 'Base URL' of the credential supports HTTPS.",
	),
	outcome: 'notDone',
	repeat,
});

/** HTTP cannot carry what the credential or Request Options ask for; `words` are those of Node.js. */
export const unsendable = (words: string): Failure => ({
	message: 'The request cannot be sent as it is set up',
	description: `Nothing was sent. Check 'API Token' and 'Token Name' in the credential, and 'Timeout' under 'Request Options' in the Settings of the node. n8n says: ${quote(words)}.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

/** n8n did not let the request leave; `words` are its own. */
export const refusedByN8n = (words: string[]): Failure => ({
	message: 'n8n did not send the request',
	description: `Nothing was sent. Check the credential and its 'Base URL', or ask the administrator of this n8n. n8n says: ${quote([...new Set(words)].join('. '))}.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

/** An error in the code of this node. @param outcome whether the request may have left */
export const brokenHere = (error: unknown, outcome: Failure['outcome']): Failure => ({
	message: 'This node could not process the item',
	description: sentences(
		outcome === 'notDone' && 'Nothing was sent. Run this item again alone.',
		`If this happens again, report this text to the author of the node: ${quote(messageOf(error))}.`,
	),
	outcome,
	repeat: outcome === 'unknown' ? 'ifHarmless' : 'pointless',
});

/** What the user is told in the words of an operation. */
export interface Advice {
	/** Where nobody knows whether the service has done it: what may have happened, and what to do. Undefined for reading. */
	unknown?: string;
	/** Where a limit was reached although those that the node had to assume were kept. */
	assumedLimits?: string;
}

const ofReading = 'Nothing was changed. Try again later.';

/**
 * A failure that says first what matters most: whether the item may be run again without a second thought, and the likeliest
 * reason why a limit was reached. `hasAssumed` says whether limits were assumed for the request.
 */
export function withAdvice(
	failure: Failure,
	advice: Advice,
	{ hasAssumed }: { hasAssumed: boolean },
): Failure {
	const { outcome, repeat, description } = failure;
	let first: string | undefined;
	// Where reading again is pointless too, what to do stands in the description.
	if (outcome === 'unknown') first = advice.unknown ?? (repeat === 'pointless' ? undefined : ofReading);
	else if (repeat === 'afterLimit' && hasAssumed) first = advice.assumedLimits;
	return first ? { ...failure, description: `${first} ${description}`.trim() } : failure;
}
