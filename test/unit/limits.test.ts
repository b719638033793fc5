import { accountLimits } from '../../nodes/ChatbotService/client/credential/account';
import { joinLimits, type Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';

/* Which limits a request counts towards: that of the account, and those of messages as the API documents them. */

const ten = { count: 10, windowMs: 10_000 };
const perhapsTen = { ...ten, assumed: true } as const;

test.each<[string | undefined, Limits]>([
	['whatsapp', { whatsapp: { count: 1, windowMs: 10_000 } }],
	...['telegram', 'viber', 'max'].map((each): [string, Limits] => [each, { [each]: ten }]),
	['vk', {}],
	...['__proto__', 'widget', undefined].map((each): [string | undefined, Limits] => [
		each,
		{ telegram: perhapsTen, viber: perhapsTen, max: perhapsTen },
	]),
])('A message to %s has the limits of its messenger', (messenger, limits) => {
	expect(messageLimits(messenger)).toEqual(limits);
});

test('Messages to a WhatsApp number are limited to one per second', () => {
	expect(whatsAppNumberLimits).toEqual({ whatsAppNumber: { count: 1, windowMs: 1000 } });
});

test('Only assumed limits are omitted if the account has no limit', () => {
	expect(joinLimits(accountLimits(0), messageLimits(undefined))).toEqual({});
	expect(joinLimits(accountLimits(0), messageLimits('whatsapp'))).toEqual(messageLimits('whatsapp'));
});
