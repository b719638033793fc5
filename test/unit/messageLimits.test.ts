import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';

/* The limits of sendMessage and sendMessageToWhatsApp as the API documents them. */

const tenInTenSeconds = { count: 10, windowMs: 10_000 };

test('messages to WhatsApp are limited to one in ten seconds', () => {
	expect(messageLimits('whatsapp')).toEqual({ whatsapp: { count: 1, windowMs: 10_000 } });
});

test.each(['telegram', 'viber', 'max'])('messages to %s are limited to ten in ten seconds', (messenger) => {
	expect(messageLimits(messenger)).toEqual({ [messenger]: tenInTenSeconds });
});

test.each(['vk', 'another', 'constructor', '__proto__', 'toString'])(
	'a message to %s has no limit of its own',
	(messenger) => {
		expect(messageLimits(messenger)).toEqual({});
	},
);

test('a message to an unknown messenger counts for each messenger but WhatsApp, as an assumption', () => {
	const assumed = { ...tenInTenSeconds, assumed: true };
	expect(messageLimits(undefined)).toEqual({ telegram: assumed, viber: assumed, max: assumed });
});

test('messages to a WhatsApp number are limited to one per second', () => {
	expect(whatsAppNumberLimits).toEqual({ whatsAppNumber: { count: 1, windowMs: 1000 } });
});
