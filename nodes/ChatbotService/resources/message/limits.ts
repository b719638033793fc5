import type { Limit, Limits } from '../../client/pace/limits';
import { messengers, unknownMessenger } from '../choices';

/*
 * The service's limits for messages; that of the account is in client/account.ts. `npm run docs` writes the tables of limits from
 * both.
 */

const ten: Limit = { count: 10, windowMs: 10_000 };
const perhapsTen: Limit = { ...ten, assumed: true };

/** Limits of sendMessage. The API documents none for VK. An unknown messenger may be any except WhatsApp. */
const limitsByMessenger = new Map<string, Limits>([
	['whatsapp', { whatsapp: { count: 1, windowMs: 10_000 } }],
	['telegram', { telegram: ten }],
	['viber', { viber: ten }],
	['max', { max: ten }],
	[unknownMessenger, { telegram: perhapsTen, viber: perhapsTen, max: perhapsTen }],
]);

/** Limits of a message sent by sendMessage. @param messenger its ID */
export const messageLimits = (messenger: string = unknownMessenger): Limits =>
	limitsByMessenger.get(messenger) ?? {};

/** Limit of sendMessageToWhatsApp. */
export const whatsAppNumberLimits: Limits = { whatsAppNumber: { count: 1, windowMs: 1000 } };

/** The longest texts that messengers take, in characters, if they differ from most of them. */
const longestTexts = new Map([
	['max', 4000],
	['viber', 7000],
]);
const longestUsually = 4096;

/** What the user should know of a text that is too long for its messenger, because the service may accept it. */
export function noticeOfLength(text: unknown, messenger: string = unknownMessenger): string | undefined {
	const most = longestTexts.get(messenger) ?? longestUsually;
	if (typeof text !== 'string' || text.length <= most) return undefined;
	const name = messengers.find(({ value }) => value === messenger)?.name;
	return `'Text' has more than the ${most} characters that ${name ? `${name} takes` : 'most messengers take'} in one message, so it may arrive in parts, cut or not at all`;
}
