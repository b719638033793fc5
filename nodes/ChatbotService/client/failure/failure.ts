import type { Expected } from './advice';
import { notDone, ofAccount, unknownOutcome, type Failure } from './result';
import { counted, durationOf } from '../../shared/counted';
import { quote, serviceSays, wordsOf } from '../../shared/quote';

/*
 * Everything that the node says of an item that is not done. What fails before a request is written stands in `unsent.ts`, what concerns
 * a run and not an answer in `ofRun.ts`, what is wrong with single values in resources/kinds.ts and run/values/valueProblems.ts. Which of these
 * messages an item gets: answer.ts, or transport.ts if no answer arrives. A new one needs a sample in tools/failures.ts and a place in
 * docs/tables.yaml.
 */

export type { Failure } from './result';
export * from './ofRun';
export * from './unsent';

/** What is wrong with one field. */
export interface Problem {
	/** Names the field by its label. Contains no value of the user. */
	message: string;
	/** What to do, and the value that was found. */
	advice: string;
}

export const invalidValues = (problems: Problem[]): Failure =>
	notDone(
		joined(problems, ({ message }) => message, '; '),
		joined(problems, ({ advice }) => advice, ' '),
	);

/** A value can be read twice. */
const joined = (problems: Problem[], textOf: (problem: Problem) => string, separator: string) =>
	[...new Set(problems.map(textOf))].join(separator);

export const unknownOperation = (resource: unknown, operation: unknown): Failure =>
	notDone(
		"This node has no such operation: check 'Resource' and 'Operation'",
		`Choose both from their lists. They do not accept expressions. Received: ${quote(resource)} and ${quote(operation)}.`,
	);

export const tokenRefused = (words?: string): Failure =>
	notDone(
		'The service does not accept the token',
		`Open the credential and paste the API token again from the page 'API' of your account in the service. If this happens again, check 'Base URL' and 'Token Placement'.${serviceSays(words)}`,
		ofAccount,
	);

/** Words of a refusal that concerns the account: none besides those of the framework, or about the plan and its API. */
const wordsOfAccount =
	/^(?:forbidden|access denied|доступ запрещ[её]н)?\.?$|\bAPI\b|plan\b|tariff|subscription|тариф|подписк/i;

/**
 * @param expected what the request names; empty if it names nothing
 * @param isForeign whether the record exists but belongs to another account
 */
export const accessRefused = (
	{ expected, isForeign }: { expected: readonly Expected[]; isForeign: boolean },
	words?: string,
): Failure => {
	const plan = 'Check that the plan of the account includes API access.';
	const owner = expected.length
		? `Check ${quotedLabels(expected)}: ${expected.length > 1 ? 'they' : 'it'} must belong to the account whose token is in the credential.`
		: '';
	const advice = (isForeign ? [owner, plan] : [plan, owner]).filter(Boolean).join(' ');
	const concerns = !isForeign && wordsOfAccount.test(words ?? '') ? 'account' : undefined;
	return notDone('The service denied access', `${advice}${serviceSays(words)}`, { concerns });
};

const quotedLabels = (expected: readonly Expected[]) => expected.map(({ label }) => `'${label}'`).join(', ');

/** How services call what a request can name, by the first word of `whatItIs`. */
const russian: Record<string, string> = {
	...{ contact: 'контакт', tag: 'тег', variable: 'переменн', bot: 'бот' },
	...{ list: 'спис', item: 'элемент', field: 'пол[ея]' },
};

/** Those of which the service speaks; all if it speaks of none. */
function meantBy(words: string | undefined, expected: readonly Expected[]): readonly Expected[] {
	const isMeant = ({ whatItIs }: Expected) => {
		const [name = ''] = whatItIs.split(' ');
		return new RegExp(`(?<!\\p{L})(?:${name}|${russian[name] ?? name})`, 'iu').test(words ?? '');
	};
	const meant = expected.filter(isMeant);
	return meant.length ? meant : expected;
}

/** @param expected what the request names, at least one */
export const notFound = (expected: readonly Expected[], words?: string): Failure => {
	const meant = meantBy(words, expected);
	return notDone(
		`${meant.map(({ whatItIs }, index) => `${index ? 'or no' : 'No'} ${whatItIs}`).join(' ')} in this account`,
		`Check ${quotedLabels(meant)}. If the service never finds anything, check 'Base URL' in the credential.${serviceSays(words)}`,
	);
};

/** Laravel's words for an unknown path or method. A 404 without words can also mean an unknown record: then others are found. */
const wordsOfRouting = /^The (?:route|[A-Z]+ method)\b/;

/** The service does not know the endpoint. @param expected what the request names; empty if it names nothing */
export const unknownEndpoint = (status: number, expected: readonly Expected[], words?: string): Failure =>
	notDone(
		'The service does not have this endpoint',
		`Check 'Base URL' in the credential: it must be the address of the service.${expected.length ? ` If other operations work, check ${quotedLabels(expected)}.` : ''}${serviceSays(words)}`,
		{ concerns: concernOf(status, words) },
	);

function concernOf(status: number, words: string | undefined): Failure['concerns'] {
	if (words) return wordsOfRouting.test(words) ? 'account' : undefined;
	return status === 404 ? 'endpoint' : 'account';
}

export const valuesRefused = (labels: string[], words: string): Failure =>
	notDone(
		labels.length
			? `The service rejected the value of '${labels.join("', '")}'`
			: 'The service rejected the request',
		`Correct ${labels.length ? 'it' : 'the values'}, then try again.${serviceSays(words)}`,
	);

/** The service requires values that the node can leave out. */
export const valuesMissing = (labels: string[], words: string): Failure =>
	notDone(
		`The service requires '${labels.join("', '")}'`,
		`Enter a value for ${labels.length > 1 ? 'each of them' : 'it'}, then try again.${serviceSays(words)}`,
	);

export const tooManyRequests = (retryAfterMs?: number, words?: string): Failure =>
	notDone(
		"The service's limit of requests was reached",
		`Another program may use this account too. If it is another n8n process, raise 'n8n Processes' in the credential. Otherwise lower 'Requests per Second' there. Then try again.${waitAsked(retryAfterMs)}${serviceSays(words)}`,
		{ repeat: 'afterTrouble', concerns: 'limit', retryAfterMs },
	);

/** Says how long the service asks to wait, if that is a minute or more. */
const waitAsked = (milliseconds = 0) =>
	milliseconds < 60_000 ? '' : ` The service asks to wait for ${durationOf(milliseconds)}.`;

export const serviceFailed = (status: number, retryAfterMs?: number, words?: string): Failure =>
	unknownOutcome(`The service failed to process the request (HTTP ${status})`, serviceSays(words), {
		retryAfterMs,
	});

export const underMaintenance = (retryAfterMs?: number, words?: string): Failure =>
	notDone(
		'The service is under maintenance',
		`Nothing was done. Try again when the maintenance is over.${waitAsked(retryAfterMs)}${serviceSays(words)}`,
		{ ...ofAccount, repeat: 'afterTrouble', retryAfterMs },
	);

export const requestTooLong = (): Failure =>
	notDone('The request is too long for the service', 'Shorten the values of this item, especially the text.');

export const redirected = (target: string | undefined): Failure =>
	notDone(
		'The service redirected the request instead of responding',
		`Check 'Base URL' in the credential first: use https instead of http. If the redirect leads to a login page, paste the API token again and check 'Token Placement'.${target ? ` It leads to ${quote(target)}.` : ''}`,
		ofAccount,
	);

/** @param title of the page, which often shows whose page it is */
export const webPage = (status: number, title: string | undefined): Failure =>
	(status < 300 ? unknownOutcome : notDone)(
		`The service responded with a web page instead of data (HTTP ${status})`,
		`Check 'Base URL' in the credential: it must be the address that you see when you are logged in to the service, not the address of its website or login page.${title ? ` The page is titled ${quote(title)}.` : ''}`,
		{ repeat: 'pointless', concerns: status < 300 ? undefined : 'account' },
	);

export const emptyAnswer = (): Failure =>
	notDone(
		'The service sent an empty response instead of data',
		"Try again. If this happens again, check 'Base URL' in the credential.",
		{ repeat: 'ifHarmless' },
	);

export const malformedAnswer = (found: unknown): Failure =>
	unknownOutcome(
		'The response of the service cannot be read',
		`If this happens again, check 'Base URL' in the credential. The service responded: ${quote(found)}.`,
	);

/** The service neither denied nor confirmed the request. @param found its answer */
export const unconfirmed = (found: unknown, words?: string): Failure =>
	unknownOutcome(
		'The service did not confirm the request',
		serviceSays(words) || `The service responded: ${quote(found)}.`,
	);

/** The page numbers of a list do not lead to its end. @param reason a sentence */
export const endlessPages = (reason: string): Failure =>
	notDone(
		'The service did not return the whole list',
		`${reason} Nothing was changed. Try again later. If this happens again, contact the support of the service.`,
	);

/** @param label of the field with the value @param count of contacts that were read */
export const nobodyFound = (label: string, wanted: unknown, count: number): Failure =>
	notDone(
		`No contact with this '${label}'`,
		`The node compared ${counted(count, 'contact')}. Check '${label}', and 'Bot ID' if it is set. To create the contact then, set 'On Error' to 'Continue (using error output)' on the Settings tab of the node. Looked for: ${quote(wanted)}.`,
	);

/** Several items of a list have the value by which one of them is recognized. @param label of the field that names it */
export const keyNotUnique = (label: string, key: unknown): Failure =>
	notDone(
		'Several items of the list have this value, so the node changed none of them',
		`Choose another field in '${label}', or delete all but one of these items in the service. Value: ${quote(key)}.`,
	);

/** By an encrypted field, the service finds nothing, so each run would create the item again. Parameters: as above. */
export const keyEncrypted = (label: string, slug: string): Failure =>
	notDone(
		`'${label}' names an encrypted field, by which the service finds no item`,
		`Nothing was changed. Choose a field that is not encrypted. Field: ${quote(slug)}.`,
	);

/** There is no item to update, and a new one needs more. @param labels of the required fields that are empty */
export const newItemIncomplete = (labels: string[]): Failure =>
	notDone(
		`The list does not have this item, and a new one needs '${labels.join("', '")}'`,
		"Nothing was changed. Enter a value under 'Fields', or use the operation 'Update' for items that exist.",
	);

/** The service returned a row that does not match a filter. @param found what the row has there */
export const filterIgnored = (filter: string, found: unknown): Failure =>
	notDone(
		'The service returned items that do not match the filters',
		`Check the filter by ${quote(filter)}: a service ignores it if the list does not have this field, or if the field is encrypted. The first of these items has ${found === undefined ? 'no such field' : `the value ${quote(found)} there`}. The node returned none of them.`,
	);

/**
 * The service stored a list item without its values: it looks for them elsewhere, or the list no longer has their fields. Each further
 * new item would be empty too.
 *
 * @param labels of the fields
 */
export const noneStored = (id: unknown, labels: string[], { isNew }: { isNew: boolean }): Failure => {
	const advice = `Not stored: '${labels.join("', '")}'. If the list no longer has these fields, choose 'Refresh Field List' in the menu beside 'Fields'. If this happens again, report it to the author of the node.`;
	const message = 'The service stored none of the values of an item';
	return isNew
		? unknownOutcome(
				message,
				`Look at the item with the ID ${quote(id)} in the list, and delete it if it is empty. ${advice}`,
				{ repeat: 'pointless', concerns: 'operation' },
			)
		: notDone(message, `Look at the item with the ID ${quote(id)} in the list. ${advice}`);
};

/**
 * Nobody can be chosen by what cannot be read.
 *
 * @param part of a contact: its tags, its variables
 */
export function partUnreadable(part: 'tags' | 'variables', found: unknown): Failure {
	const reads = { tags: "'Tag' and 'Get Many by Contact'", variables: "'Contact Variable' and 'Get Many'" };
	return notDone(
		`The service returned the contacts with ${part} that cannot be read, so they cannot be filtered by ${part}`,
		`Remove the filters by ${part}. To read the ${part} of each contact, put another node with ${reads[part]} after this node. Received: ${quote(found)}.`,
	);
}

/** A model does not wait for thousands of requests. @param parts of contacts that the service leaves out */
export const tooManyForModel = (parts: string[], contacts: number, most: number): Failure =>
	notDone(
		`This service returns contacts without ${parts.join(' and ')}, and reading those of ${contacts} contacts one by one takes too long for an AI agent`,
		`Use filters that leave at most ${most} contacts, such as a name or a phone number${parts.includes('variables') ? '' : ', or a variable in place of a tag'}. In a workflow without an agent, the node reads them all.`,
	);

export const timedOut = (): Failure =>
	unknownOutcome(
		'The service did not respond in time',
		"To wait longer, set a higher 'Timeout' under 'Request Options' on the Settings tab of the node. Without this option, it is 60000 milliseconds for a message, and 300000 otherwise.",
	);

export const interrupted = (reason: string): Failure =>
	unknownOutcome('The connection to the service was lost before the response', reason);

/** n8n does not tell with which credential it sends. @param outcome unknown if the service has answered */
export const unsupportedN8n = (outcome: Failure['outcome']): Failure =>
	(outcome === 'notDone' ? notDone : unknownOutcome)(
		'This version of the node does not support this version of n8n',
		`${outcome === 'notDone' ? 'Nothing was sent.' : 'The node dropped the response of the service.'} n8n no longer tells the node which credential it uses for a request, so an edited token could appear in the output. Open 'Community nodes' in the settings of n8n and update the node. If there is no newer version, report this to the author of the node.`,
		{ ...ofAccount, repeat: 'pointless' },
	);

/** An error in the code of this node. @param outcome whether the request may have been sent */
export const brokenHere = (error: unknown, outcome: Failure['outcome']): Failure =>
	(outcome === 'notDone' ? notDone : unknownOutcome)(
		'This node could not process the item',
		`${outcome === 'notDone' ? 'Nothing was sent. Run only this item again.' : ''} If this happens again, report this text to the author of the node: ${quote(wordsOf(error) || error)}.`,
	);
