import type { Limit, Limits } from '../../client/pace/limits';
import { quote } from '../../shared/quote';
import { messengers, unknownMessenger } from '../choices';

/*
 * The service's limits for messages; that of the account is in client/credential/account.ts. `npm run docs` writes the tables of limits from
 * both.
 */

const ten: Limit = { count: 10, windowMs: 10_000 };
const perhapsTen: Limit = { ...ten, assumed: true };

/** An unknown messenger may be any except WhatsApp. */
const ofUnknown: Limits = { telegram: perhapsTen, viber: perhapsTen, max: perhapsTen };

/** Limits of sendMessage. The API documents none for VK. */
const limitsByMessenger = new Map<string, Limits>([
	['whatsapp', { whatsapp: { count: 1, windowMs: 10_000 } }],
	['telegram', { telegram: ten }],
	['viber', { viber: ten }],
	['max', { max: ten }],
	['vk', {}],
]);

/** Limits of a message sent by sendMessage. @param messenger its ID, or what else the workflow says of it */
export const messageLimits = (messenger: string = unknownMessenger): Limits =>
	limitsByMessenger.get(messenger) ?? ofUnknown;

/** Limit of sendMessageToWhatsApp. */
export const whatsAppNumberLimits: Limits = { whatsAppNumber: { count: 1, windowMs: 1000 } };

/** The longest texts that messengers take, in characters, if they differ from most of them. */
const longestTexts = new Map([
	['max', 4000],
	['viber', 7000],
]);
const longestUsually = 4096;

/** How many characters a message can have in any case. @param messenger as above; an unknown one may be any */
export const longestText = (messenger: string = unknownMessenger): number =>
	longestTexts.get(messenger) ??
	(messenger === unknownMessenger ? Math.min(...longestTexts.values()) : longestUsually);

/** What the user should know of a text that is too long for its messenger, because the service may accept it. */
export function noticeOfLength(text: unknown, messenger: string = unknownMessenger): string | undefined {
	const most = longestTexts.get(messenger) ?? longestUsually;
	if (typeof text !== 'string' || text.length <= most) return undefined;
	const name = messengers.find(({ value }) => value === messenger)?.name;
	return `'Text' has more than the ${most} characters that ${name ? `${name} takes` : 'most messengers take'} in one message, so it may arrive in parts, cut or not at all`;
}

/** @param label of the field with the question @param count characters of it that were sent */
export const noticeOfShortened = (label: string, count: number): string =>
	`'${label}' is too long for one message with the link, so the message contains its first ${count} characters. The page shows all of it.`;

/** What the user should know of a value that names no messenger. @param label of its field */
export const noticeOfMessenger = (label: string, messenger: string = unknownMessenger) =>
	messenger === unknownMessenger || limitsByMessenger.has(messenger)
		? undefined
		: `'${label}' ${quote(messenger)} is not a messenger that the node knows, so it sends at the pace for an unknown messenger`;
