import fc from 'fast-check';

import {
	accountLimits,
	joinLimits,
	nameOf,
	shareOf,
	type Limits,
} from '../../nodes/ChatbotService/client/pace/limits';

/* The limit of an account, and how limits go together. Those of messages are in messageLimits.test.ts. */

const oneInASecond = { count: 1, windowMs: 1000 };
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

describe('joined limits', () => {
	const assumed = { ...tenInTenSeconds, assumed: true as const };

	test('The limits of a request are those of the account and of the operation, in this order', () => {
		// Frozen: joining changes neither of them.
		const account = Object.freeze(accountLimits(2));
		const operation = Object.freeze({ viber: tenInTenSeconds, max: assumed });
		const both = [...Object.entries(account), ...Object.entries(operation)];
		expect(Object.entries(joinLimits(account, operation))).toEqual(both);
		expect(joinLimits(account, {})).toEqual(account);
	});

	test('Only assumed limits are omitted if the account has no limit', () => {
		expect(joinLimits({}, { viber: assumed, max: assumed })).toEqual({});
		expect(joinLimits({}, { viber: assumed, whatsapp: tenInTenSeconds })).toEqual({
			whatsapp: tenInTenSeconds,
		});
	});

	test('Limits with the same name are the same, even if they are different objects or assumed', () => {
		const both: Limits = { viber: tenInTenSeconds, max: tenInTenSeconds };
		expect(nameOf({ viber: assumed, max: { ...assumed } })).toBe(nameOf(both));
		const others: Limits[] = [{}, { viber: tenInTenSeconds }, { max: tenInTenSeconds }, accountLimits(2)];
		expect(new Set([both, ...others].map(nameOf)).size).toBe(5);
	});
});

describe('the share of one of several processes', () => {
	test.each([
		['all of it for one', tenInTenSeconds, 1, tenInTenSeconds],
		['whole requests if nothing is wasted', tenInTenSeconds, 2, { count: 5, windowMs: 10_000 }],
		['whole requests if little is wasted', tenInTenSeconds, 3, { count: 3, windowMs: 10_000 }],
		['evenly spaced requests if more would be wasted', tenInTenSeconds, 4, { count: 1, windowMs: 4000 }],
		['evenly spaced requests if there is less than one', oneInASecond, 3, { count: 1, windowMs: 3000 }],
	])('The share of a process is %s', (_, limit, workers, share) => {
		expect(shareOf(limit, workers)).toEqual(share);
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
});
