import type { Limit, Limits } from '../../client/pace/limits';

/** Limits of sendMessage. The API documents none for VK. */
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
 * Limits of a message sent by sendMessage.
 *
 * @param messenger its ID; if undefined, the message counts towards all limits except that of WhatsApp
 */
export const messageLimits = (messenger: string | undefined): Limits =>
	messenger === undefined ? assumedLimits : (limitsByMessenger.get(messenger) ?? none);

/** Limit of sendMessageToWhatsApp. */
export const whatsAppNumberLimits: Limits = { whatsAppNumber: { count: 1, windowMs: 1000 } };
