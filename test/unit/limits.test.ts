import fc from 'fast-check';

import { accountLimits } from '../../nodes/ChatbotService/client/account';
import { joinLimits, shareOf, type Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';

/* Which limits a request counts towards: that of the account, and those of messages as the API documents them. */

const tenInTenSeconds = { count: 10, windowMs: 10_000 };

describe('an account', () => {
	test.each<[number, object]>([
		[2, { count: 2, windowMs: 1000 }],
		[30, { count: 30, windowMs: 1000 }],
		[0.5, { count: 1, windowMs: 2000 }],
		[2.5, { count: 1, windowMs: 400 }],
	])('An account with %p requests per second has a limit', (perSecond, account) => {
		expect(accountLimits(perSecond)).toEqual({ account });
	});

	test.each([0, -1, NaN])('An account with %p requests per second has no limit', (perSecond) => {
		expect(accountLimits(perSecond)).toEqual({});
	});
});

describe('a message', () => {
	const assumed = { ...tenInTenSeconds, assumed: true };

	test.each<[string | undefined, Limits]>([
		['whatsapp', { whatsapp: { count: 1, windowMs: 10_000 } }],
		['telegram', { telegram: tenInTenSeconds }],
		['viber', { viber: tenInTenSeconds }],
		['max', { max: tenInTenSeconds }],
		['vk', {}],
		['another', {}],
		['constructor', {}],
		['__proto__', {}],
		[undefined, { telegram: assumed, viber: assumed, max: assumed } as Limits],
	])('A message to %s has the limits of its messenger', (messenger, limits) => {
		expect(messageLimits(messenger)).toEqual(limits);
	});

	test('Messages to a WhatsApp number are limited to one per second', () => {
		expect(whatsAppNumberLimits).toEqual({ whatsAppNumber: { count: 1, windowMs: 1000 } });
	});
});

describe('joined limits', () => {
	test('A request has the limits of its account and of its operation, which stay as they are', () => {
		const account = Object.freeze(accountLimits(2));
		const operation = Object.freeze(messageLimits(undefined));
		expect(joinLimits(account, operation)).toEqual({ ...account, ...operation });
		expect(joinLimits(account, {})).toEqual(account);
	});

	test('Only assumed limits are omitted if the account has no limit', () => {
		expect(joinLimits({}, messageLimits(undefined))).toEqual({});
		expect(joinLimits({}, messageLimits('whatsapp'))).toEqual(messageLimits('whatsapp'));
	});
});

test('The shares of all processes add up to nearly the limit and never to more (generated)', () => {
	fc.assert(
		fc.property(
			fc.record({
				count: fc.integer({ min: 1, max: 60 }),
				windowMs: fc.integer({ min: 100, max: 60_000 }),
			}),
			fc.integer({ min: 1, max: 20 }),
			(limit, workers) => {
				const share = shareOf(limit, workers);
				const used = ((share.count / share.windowMs) * workers) / (limit.count / limit.windowMs);
				expect(used).toBeLessThanOrEqual(1 + 1e-9);
				expect(used).toBeGreaterThanOrEqual(0.9 - 1e-9);
				expect(Number.isInteger(share.count)).toBe(true);
			},
		),
	);
});
