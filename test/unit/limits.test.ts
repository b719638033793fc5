import fc from 'fast-check';

import {
	accountLimits,
	joinLimits,
	messageLimits,
	shareOf,
	whatsAppNumberLimits,
} from '../../nodes/ChatbotService/shared/limits';

/* The limits of the service as the interface states them, in section 8. */

const tenInTenSeconds = { count: 10, windowMs: 10_000 };

describe('a message', () => {
	test('to WhatsApp may leave once in ten seconds', () => {
		expect(messageLimits('whatsapp')).toEqual({ whatsapp: { count: 1, windowMs: 10_000 } });
	});

	test.each(['telegram', 'viber', 'max'])('to %s may leave ten times in ten seconds', (messenger) => {
		expect(messageLimits(messenger)).toEqual({ [messenger]: tenInTenSeconds });
	});

	test.each(['vk', 'another'])('to %s has no limit of its own', (messenger) => {
		expect(messageLimits(messenger)).toEqual({});
	});

	test('to a messenger that is not known counts for each but WhatsApp, as an assumption', () => {
		const assumed = { ...tenInTenSeconds, assumed: true };
		expect(messageLimits(undefined)).toEqual({ telegram: assumed, viber: assumed, max: assumed });
	});

	test('to a WhatsApp number may leave once a second', () => {
		expect(whatsAppNumberLimits).toEqual({ whatsAppNumber: { count: 1, windowMs: 1000 } });
	});
});

describe('an account', () => {
	test.each<[number, object]>([
		[2, { count: 2, windowMs: 1000 }],
		[30, { count: 30, windowMs: 1000 }],
		[0.5, { count: 1, windowMs: 2000 }],
		[2.5, { count: 1, windowMs: 400 }],
	])('with %p requests per second', (perSecond, account) => {
		expect(accountLimits(perSecond)).toEqual({ account });
	});

	test.each([0, -1, NaN])('with %p requests per second has no limit', (perSecond) => {
		expect(accountLimits(perSecond)).toEqual({});
	});
});

describe('limits together', () => {
	test('are those of the account and of the operation', () => {
		expect(joinLimits(accountLimits(2), messageLimits('viber'))).toEqual({
			account: { count: 2, windowMs: 1000 },
			viber: tenInTenSeconds,
		});
		expect(Object.keys(joinLimits(accountLimits(2), messageLimits(undefined)))).toEqual([
			'account',
			'telegram',
			'viber',
			'max',
		]);
	});

	test('leave out what is only assumed where the account has no limit, and nothing else', () => {
		expect(joinLimits(accountLimits(0), messageLimits(undefined))).toEqual({});
		expect(joinLimits(accountLimits(0), messageLimits('whatsapp'))).toEqual(messageLimits('whatsapp'));
	});
});

describe('the share of one of several processes', () => {
	test.each([
		['all of it for one', tenInTenSeconds, 1, tenInTenSeconds],
		['whole requests where they come out even', tenInTenSeconds, 2, { count: 5, windowMs: 10_000 }],
		['whole requests where little is wasted', tenInTenSeconds, 3, { count: 3, windowMs: 10_000 }],
		['spaced evenly where more would be', tenInTenSeconds, 4, { count: 1, windowMs: 4000 }],
		[
			'spaced evenly where there is less than one',
			{ count: 1, windowMs: 1000 },
			3,
			{ count: 1, windowMs: 3000 },
		],
	])('is %s', (_, limit, workers, share) => {
		expect(shareOf(limit, workers)).toEqual(share);
	});

	test('adds up to nearly the limit and never to more (generated)', () => {
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
});
