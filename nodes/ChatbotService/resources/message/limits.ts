import type { Limit, Limits } from '../../client/pace/limits';
import { unknownMessenger } from '../choices';

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
