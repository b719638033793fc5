/** The emulator enforces its limits, and reports them as the framework does. */

import { DOCUMENTED_LIMITS, SEEDED, addContacts, type Limits } from '../../sandbox/emulator';
import { Limiter } from '../../sandbox/emulator/limits';
import type { Refusal } from '../../sandbox/emulator/refusal';
import { clientOf, until, useEmulator } from './client';

const { bots, contacts } = SEEDED;

/** @returns a function that asks a limiter at a given time, and returns the headers or the refusal */
function limiterOf(limits: Partial<Limits>) {
	const limiter = new Limiter();
	limiter.set(limits);
	return (now: number, token = 'a') => {
		try {
			return { status: 200, headers: limiter.count('account', token, now) };
		} catch (refusal) {
			return refusal as Refusal;
		}
	};
}

/** @returns the same function, which returns the remaining requests, or 'refused' */
function remainderOf(limits: Partial<Limits>) {
	const ask = limiterOf(limits);
	return (now: number, token?: string) => {
		const { status, headers } = ask(now, token);
		return status === 429 ? 'refused' : headers['x-ratelimit-remaining'];
	};
}

test('A sliding window limits every interval of its length, and refused requests do not count', () => {
	const left = remainderOf({ account: { requests: 2, windowMs: 1000 } });
	expect([left(0), left(900), left(950), left(999)]).toEqual(['1', '0', 'refused', 'refused']);
	expect([left(1000), left(1899), left(1900)]).toEqual(['0', 'refused', '0']);
});

test('A fixed window starts with the first request after the end of the previous window, and refused requests do not extend it', () => {
	const left = remainderOf({ account: { requests: 2, windowMs: 1000, window: 'fixed' } });
	expect([left(300), left(1250), left(1299)]).toEqual(['1', '0', 'refused']);
	expect([left(1300), left(1301), left(2299)]).toEqual(['1', '0', 'refused']);
	// No request came for a while: the next window starts with the next request, not at the end of the last window.
	expect([left(5900), left(6899), left(6900)]).toEqual(['1', '0', '1']);
});

test.each(['sliding', 'fixed'] as const)(
	'A %s window has the length that the scale sets, and each account has its own',
	(window) => {
		const left = remainderOf({ account: { requests: 1, windowMs: 1000, window }, scale: 0.1 });
		expect([left(0), left(50, 'b'), left(99), left(100)]).toEqual(['0', '0', 'refused', '0']);
		expect([left(149, 'b'), left(150, 'b')]).toEqual(['refused', '0']);
	},
);

test.each<[Limits['retryAfter'], string[]]>([
	['rounded up', ['10', '10', '2', '1', '1']],
	['rounded down', ['10', '9', '1', '0', '0']],
])('Retry-After gives the wait in whole seconds, %s', (retryAfter, said) => {
	const ask = limiterOf({ account: { requests: 1, windowMs: 10_000, window: 'fixed' }, retryAfter });
	ask(0);
	const moments = [0, 1, 8_999, 9_001, 9_999];
	expect(moments.map((now) => ask(now).headers['retry-after'])).toEqual(said);
	expect(ask(10_000)).toMatchObject({ status: 200 });
});

/** @returns the answers of a limit of five to the given number of simultaneous requests */
function saidTo(requests: number, headers: Limits['headers']) {
	const ask = limiterOf({ account: { requests: 5, windowMs: 9_500 }, headers });
	return Array.from({ length: requests }, () => ask(0).headers);
}
const remainingIn = (said: Array<Record<string, string>>) =>
	said.map((headers) => headers['x-ratelimit-remaining']);

test.each<[Limits['headers'], string | undefined, Array<string | undefined>]>([
	['true', '5', ['4', '3', '2', '1', '0', '0']],
	['none', undefined, Array(6).fill(undefined)],
	['constant', '5', Array(6).fill('4')],
	['words', 'unlimited', Array(6).fill('plenty')],
])(
	'With headers: %s, the limit is %s and the remainder %j, and Retry-After is true',
	(headers, limit, remaining) => {
		const said = saidTo(6, headers);
		expect(remainingIn(said)).toEqual(remaining);
		expect(said.map((each) => each['retry-after'])).toEqual([...Array(5).fill(undefined), '10']);
		expect(said.map((each) => each['x-ratelimit-limit'])).toEqual(Array(6).fill(limit));
		const reset = Number(said[5]!['x-ratelimit-reset']);
		if (limit === '5') expect(Math.abs(reset - Date.now() / 1000 - 10)).toBeLessThan(3);
		else expect(reset).toBeNaN();
	},
);

test('The headers describe the tightest limit, regardless of the order of counting', () => {
	const limiter = new Limiter();
	limiter.set({ account: { requests: 12, windowMs: 60_000 } });
	const told = Array.from({ length: 9 }, (_, index) => {
		const ofAccount = limiter.count('account', 'a', index);
		return index < 3 ? ofAccount : limiter.count('telegram', 'a', index, ofAccount);
	});
	// The messenger's limit is lower, but fewer requests of the account's limit remain at all times.
	expect(told.map((headers) => headers['x-ratelimit-limit'])).toEqual(Array(9).fill('12'));
	limiter.set({ account: { requests: 120, windowMs: 60_000 } });
	const headers = limiter.count('telegram', 'a', 0, limiter.count('account', 'a', 0));
	expect(headers).toEqual({ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '9' });
	expect(limiter.count('vk', 'a', 0, headers)).toBe(headers);
});

const service = useEmulator({ limits: {} });
const ask = clientOf(service);
const withoutAccount = { account: null, whatsAppNumber: null };

const send = async (contact_id: number) =>
	await ask('sendMessage', { query: { contact_id, text: 'Привет' } });
const getTags = async () => await ask('getBotTags', { query: { bot_id: bots.school } });

/** @returns the statuses of the given number of consecutive requests */
async function statusesOf(count: number, once: () => Promise<{ status: number }>) {
	const statuses: number[] = [];
	for (let index = 0; index < count; index++) statuses.push((await once()).status);
	return statuses;
}

test('The service limits the rate of an account over all operations', async () => {
	service.setLimits({ account: { requests: 2, windowMs: 60_000 } });
	const first = await ask('getListSchemas');
	expect(first.headers.get('x-ratelimit-limit')).toBe('2');
	expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
	expect(await getTags()).toMatchObject({ status: 200 });
	const refused = await send(contacts.vk);
	expect(refused).toMatchObject({ status: 429, json: { message: 'Too Many Attempts.' } });
	expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
	expect(service.requests[2]).toMatchObject({ status: 429, accepted: false, refusedBy: 'account' });
	expect(service.deliveries()).toEqual([]);
});

test.each([
	['whatsapp', 1],
	['telegram', 10],
	['viber', 10],
	['max', 10],
] as const)(
	'The service limits %s to %d messages in ten seconds over all recipients',
	async (messenger, limit) => {
		service.setLimits(withoutAccount);
		const [other] = addContacts(service.data, 1, { messenger });
		const statuses = await statusesOf(limit, async () => await send(contacts[messenger]));
		expect(statuses).toEqual(Array(limit).fill(200));
		const refused = await send(other!.id);
		expect(refused).toMatchObject({ status: 429 });
		expect(refused.headers.get('x-ratelimit-limit')).toBe(String(limit));
		expect(service.requests.at(-1)).toMatchObject({ refusedBy: messenger });
		expect(service.deliveries()).toHaveLength(limit);
		expect(DOCUMENTED_LIMITS.messengers[messenger]!.windowMs).toBe(10_000);
	},
);

test('The service has no limit for messages to vk', async () => {
	service.setLimits(withoutAccount);
	expect(await statusesOf(15, async () => await send(contacts.vk))).toEqual(Array(15).fill(200));
});

test('The service limits messages to a number to one per second, apart from those to a contact', async () => {
	service.setLimits({ account: null, whatsAppNumber: { requests: 1, windowMs: 60_000 } });
	const body = { bot_id: bots.school, phone: '79035550101', text: 'Привет' };
	expect(await statusesOf(2, async () => await ask('sendMessageToWhatsApp', { body }))).toEqual([200, 429]);
	expect(service.requests.at(-1)).toMatchObject({ refusedBy: 'whatsAppNumber' });
	expect(await send(contacts.whatsapp)).toMatchObject({ status: 200 });
	expect(DOCUMENTED_LIMITS.whatsAppNumber).toEqual({ requests: 1, windowMs: 1000 });
});

test('Requests without a valid token do not count', async () => {
	service.setLimits({ account: { requests: 1, windowMs: 60_000 } });
	await statusesOf(3, async () => await ask('getListSchemas', { token: 'wrong' }));
	expect(await ask('getListSchemas')).toMatchObject({ status: 200 });
});

test('A request counts after its delay in transit', async () => {
	service.setLimits({ account: { requests: 1, windowMs: 60_000 } });
	service.faults.add({ kind: 'delay', ms: 500, match: { nth: 1 } });
	const late = getTags();
	await until(() => service.requests.length === 1);
	expect(await ask('getListSchemas')).toMatchObject({ status: 200 });
	expect(await late).toMatchObject({ status: 429 });
	const [first] = service.requests;
	expect(first!.countedAt! - first!.arrivedAt).toBeGreaterThanOrEqual(498);
});
