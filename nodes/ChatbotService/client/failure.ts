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
	message: "'Resource' and 'Operation' do not name anything that this node can do",
	description: `Choose both from their lists; they take no expressions. They are ${quote(resource)} and ${quote(operation)}.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

export const credentialUnreadable = (error: unknown): Failure => ({
	message: 'The credential of the node cannot be read',
	description: `Open it in the node, check that it is there and save it again. n8n says: ${quote(error instanceof Error ? error.message : error)}.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

/** n8n's store failed, and nothing is sent without being noted there. */
export const notNoted = (error: unknown): Failure => ({
	message: 'n8n could not note this beforehand, so nothing was sent',
	description: `Look at the database of n8n, and run this again. n8n says: ${quote(error instanceof Error ? error.message : error)}.`,
	outcome: 'notDone',
	repeat: 'pointless',
});

/** A run before has claimed the recipient, and nobody knows what came of it. */
export const inDoubt = (label: string): Failure => ({
	message: 'This message may have been sent already, so it was not sent again',
	description: `A run before was cut off while the message was on its way, or got no answer. Look at the chat in the service. If the message is not there, send it with another value of '${label}'.`,
	outcome: 'unknown',
	repeat: 'pointless',
});

/** An earlier try of the same execution got no answer. */
export const leftUnknown = (): Failure => ({
	message: 'The service may have done this already, so it was not asked again',
	description:
		'It gave no answer when this execution was run before. Look in the service. If it is not done there, run the workflow anew for this item alone.',
	outcome: 'unknown',
	repeat: 'pointless',
});

export const tokenRefused = (status: number, words?: string): Failure => ({
	message: 'The service does not accept the token',
	description: `Open the credential, paste the API token again from the service's settings, and check 'Token Placement' and 'Base URL'.${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

export const accessRefused = (status: number, words?: string): Failure => ({
	message: 'The service refused access',
	description: `The token has no right to do this: check that the tariff includes API access and that the bot, the contact or the list belongs to the account of the token.${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

/** @param labels of the fields that say what to look for */
export const notFound = (status: number, labels: readonly string[], words?: string): Failure => ({
	message: 'The service could not find what was asked for',
	description: `Check ${labels.length ? labels.map((label) => `'${label}'`).join(', ') : 'the IDs and names'}, and 'Base URL' in the credential if nothing is ever found.${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

/** The service looked at the values and refused them. */
export const valuesRefused = (status: number, labels: string[], words: string): Failure => ({
	message: labels.length
		? `The service refused the value of ${labels.map((label) => `'${label}'`).join(', ')}`
		: 'The service refused the request',
	description: `Correct the values and try again.${serviceSays(words)}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

export const tooManyRequests = (status: number, retryAfterMs?: number, words?: string): Failure => ({
	message: "The service's limit of requests was reached",
	description: `Lower 'Requests per Second' in the credential, or raise 'Workers' there if several n8n processes use this account, and try again.${serviceSays(words)}`,
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
	description: 'Shorten the values, the text above all.',
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

export const redirected = (status: number, target: string | undefined): Failure => ({
	message: 'The service redirected the request instead of answering it',
	description: `Usually that is a login page: check 'Base URL' (https instead of http, no extra path), the token and 'Token Placement' in the credential.${target ? ` It points to ${quote(target)}.` : ''}`,
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

/** `title` is that of the page, which often tells whose it is. */
export const webPage = (status: number, title: string | undefined): Failure => ({
	message: `The service answered with a web page instead of data (HTTP ${status})`,
	description: `Check 'Base URL' in the credential: it must be the address of the service itself, not of a login page or a proxy before it.${title ? ` The page is titled ${quote(title)}.` : ''}`,
	outcome: status < 300 ? 'unknown' : 'notDone',
	repeat: 'pointless',
	status,
});

export const emptyAnswer = (status: number): Failure => ({
	message: 'The service answered with nothing where data was expected',
	description: "Try again; if it stays so, check 'Base URL' in the credential.",
	outcome: 'notDone',
	repeat: 'ifHarmless',
	status,
});

export const malformedAnswer = (status: number, found: unknown): Failure => ({
	message: 'The answer of the service cannot be read',
	description: `If it stays so, check 'Base URL' in the credential. It answered: ${quote(found)}.`,
	outcome: 'unknown',
	repeat: 'ifHarmless',
	status,
});

export const unreachable = (reason: string): Failure => ({
	message: 'The service cannot be reached',
	description: `Check 'Base URL' in the credential, 'Proxy' in the request options of the node if it is set, and the network of this n8n. Nothing was sent. ${reason}`,
	outcome: 'notDone',
	repeat: 'always',
});

export const invalidAddress = (): Failure => ({
	message: "'Base URL' in the credential is not an address",
	description:
		'It must look like https://example.com, as in the address bar when you are logged in to the service.',
	outcome: 'notDone',
	repeat: 'pointless',
});

export const certificateRefused = (reason: string): Failure => ({
	message: "The service's certificate is not trusted",
	description: `Nothing was sent. Check 'Base URL' in the credential; if the service is your own and has a certificate of its own making, switch on 'Ignore SSL Issues' under Settings. ${reason}`,
	outcome: 'notDone',
	repeat: 'pointless',
});

export const proxyRefused = (status: number): Failure => ({
	message: 'The proxy between n8n and the service wants a user name and a password',
	description:
		"Nothing was sent. Give them in the address under 'Proxy' in the request options of the node, such as http://user:password@proxy.example.com:3128.",
	outcome: 'notDone',
	repeat: 'pointless',
	status,
});

export const timedOut = (): Failure => ({
	message: 'The service did not answer in time',
	description: "'Timeout' in the settings of the node allows more time.",
	outcome: 'unknown',
	repeat: 'ifHarmless',
});

export const interrupted = (reason: string): Failure => ({
	message: 'The connection to the service broke off before the answer',
	description: reason,
	outcome: 'unknown',
	repeat: 'ifHarmless',
});

export const withoutHttps = (): Failure => ({
	message: 'What answers at the address of the service does not speak https',
	description: "Nothing was sent. Check 'Base URL' in the credential: the port, and http instead of https.",
	outcome: 'notDone',
	repeat: 'pointless',
});

/**
 * A failure that says first what matters most: whether the item may be run again without a second thought.
 *
 * @param repeatable whether the operation is harmless to repeat
 */
export function withOutcome(failure: Failure, repeatable: boolean): Failure {
	if (failure.outcome === 'notDone') return failure;
	const outcome = repeatable
		? 'The service may have done it all the same; doing it again does no harm, so try again later.'
		: 'The service may have done it all the same, so it is not repeated: look in the service before you send it again.';
	return { ...failure, description: `${outcome} ${failure.description}`.trim() };
}
