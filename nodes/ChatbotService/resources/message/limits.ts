import type { Limit, Limits } from '../../client/pace/limits';

/** Messages per 10 seconds through sendMessage. The interface states none for VK. */
const messengerLimits: Record<string, Limit> = {
	whatsapp: { count: 1, windowMs: 10_000 },
	telegram: { count: 10, windowMs: 10_000 },
	viber: { count: 10, windowMs: 10_000 },
	max: { count: 10, windowMs: 10_000 },
};

const limitsByMessenger = new Map<string, Limits>(
	Object.entries(messengerLimits).map(([messenger, limit]) => [messenger, { [messenger]: limit }]),
);

const assumedLimits: Limits = Object.fromEntries(
	['telegram', 'viber', 'max'].map((each) => [each, { ...messengerLimits[each]!, assumed: true }]),
);

const none: Limits = {};

/**
 * Limits of a message by sendMessage.
 *
 * @param messenger ID of the messenger; undefined when the contact's is not known. WhatsApp, the slow one, must be named:
 * any other messenger is assumed, and so the message counts towards all of them.
 */
export const messageLimits = (messenger: string | undefined): Limits =>
	messenger === undefined ? assumedLimits : (limitsByMessenger.get(messenger) ?? none);

/** Limit of sendMessageToWhatsApp: 1 message per second. */
export const whatsAppNumberLimits: Limits = { whatsAppNumber: { count: 1, windowMs: 1000 } };
