/** The limits of the stand-in are really kept, and said as the framework says them. */

import {
	DOCUMENTED_LIMITS,
	LARAVEL_LIMITS,
	SEEDED,
	addContacts,
	startService,
	type Limits,
	type Service,
} from '../../sandbox/service';
import { Limiter } from '../../sandbox/service/limits';
import { ask, until } from './client';

const { bots, contacts } = SEEDED;
const wait = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
const OFF = { account: null, whatsAppNumber: null };

/** @returns what is left after a request at a time, or its refusal */
function limiterOf(account: Limits['account'], more: Partial<Limits> = {}) {
	const limiter = new Limiter();
	limiter.set({ account, ...more });
	return (now: number, token = 'a') => {
		try {
			return limiter.count('account', token, now)['x-ratelimit-remaining'];
		} catch (refusal) {
			return refusal;
		}
	};
}

describe('a sliding window', () => {
	it('lets no window of its length see more, and does not count refused requests', () => {
		const count = limiterOf({ requests: 2, windowMs: 1000 });
		expect(count(0)).toBe('1');
		expect(count(900)).toBe('0');
		expect(count(950)).toMatchObject({ status: 429, limit: 'account' });
		expect(count(999)).toMatchObject({ status: 429 });
		expect(count(1000)).toBe('0');
		expect(count(1899)).toMatchObject({ status: 429 });
		expect(count(1900)).toBe('0');
	});

	it('is as long as the scale says', () => {
		const count = limiterOf({ requests: 1, windowMs: 1000 }, { scale: 0.1 });
		expect(count(0)).toBe('0');
		expect(count(99)).toMatchObject({ status: 429 });
		expect(count(100)).toBe('0');
	});

	it('says in whole seconds how long to wait', () => {
		const count = limiterOf({ requests: 1, windowMs: 10_000 });
		count(0);
		expect(count(1)).toMatchObject({ headers: { 'retry-after': '10', 'x-ratelimit-limit': '1' } });
		expect(count(8_500)).toMatchObject({ headers: { 'retry-after': '2', 'x-ratelimit-remaining': '0' } });
		expect(count(9_999)).toMatchObject({ headers: { 'retry-after': '1' } });
	});

	it('waits for the oldest request, in whatever order they counted', () => {
		const count = limiterOf({ requests: 2, windowMs: 10_000 });
		count(3_000);
		count(1_000);
		expect(count(4_000)).toMatchObject({ headers: { 'retry-after': '7' } });
	});

	it('is one for each account', () => {
		const count = limiterOf({ requests: 1, windowMs: 1000 });
		expect([count(0, 'a'), count(0, 'b')]).toEqual(['0', '0']);
	});
});

describe('a fixed window', () => {
	it('begins with the first request after the one before has ended, and does not slide', () => {
		const count = limiterOf({ requests: 2, windowMs: 1000, window: 'fixed' });
		expect([count(300), count(1250)]).toEqual(['1', '0']);
		expect(count(1299)).toMatchObject({ status: 429, limit: 'account' });
		expect([count(1300), count(1301)]).toEqual(['1', '0']);
		expect(count(2299)).toMatchObject({ status: 429 });
		// Nothing came for a while: the next one begins when something does, not where the last one ended.
		expect([count(5900), count(6899), count(6900)]).toEqual(['1', '0', '1']);
	});

	it('does not count refused requests, and is not made longer by them', () => {
		const count = limiterOf({ requests: 1, windowMs: 1000, window: 'fixed' });
		count(0);
		for (const now of [100, 500, 999]) expect(count(now)).toMatchObject({ status: 429 });
		expect([count(1000), count(2000)]).toEqual(['0', '0']);
	});

	it('is as long as the scale says, and one for each account', () => {
		const count = limiterOf({ requests: 1, windowMs: 1000, window: 'fixed' }, { scale: 0.1 });
		expect([count(0), count(50, 'b'), count(100)]).toEqual(['0', '0', '0']);
		expect(count(149, 'b')).toMatchObject({ status: 429 });
	});

	it('takes a request that was overtaken on its way into the window it finds', () => {
		const count = limiterOf({ requests: 2, windowMs: 1000, window: 'fixed' });
		expect([count(20), count(10)]).toEqual(['1', '0']);
		expect(count(1019)).toMatchObject({ status: 429 });
	});

	it('can say how long to wait in whole seconds cut off, so that nothing is left of the last one', () => {
		const count = limiterOf({ requests: 1, windowMs: 10_000, window: 'fixed' }, { retryAfter: 'cut off' });
		count(0);
		const retryAfter = (seconds: string) => ({ headers: { 'retry-after': seconds } });
		expect(count(0)).toMatchObject(retryAfter('10'));
		expect(count(1)).toMatchObject(retryAfter('9'));
		expect(count(9_000)).toMatchObject(retryAfter('1'));
		expect(count(9_001)).toMatchObject(retryAfter('0'));
		expect(count(9_999)).toMatchObject(retryAfter('0'));
		expect(count(10_000)).toBe('0');
	});
});

describe('the headers', () => {
	const limiter = new Limiter();

	/** @returns what each of so many requests in one moment is told, when the limits have just been set */
	function saidTo(requests: number, limits: Partial<Limits>) {
		limiter.set({ account: { requests: 5, windowMs: 9_500 }, ...limits });
		return Array.from({ length: requests }, () => {
			try {
				return limiter.count('account', 'a', 0);
			} catch (refusal) {
				return (refusal as { headers: Record<string, string> }).headers;
			}
		});
	}
	const remainingIn = (said: Array<Record<string, string>>) =>
		said.map((headers) => headers['x-ratelimit-remaining']);

	it('tell what remains, and after a refusal when the window ends', () => {
		const said = saidTo(6, {});
		expect(remainingIn(said)).toEqual(['4', '3', '2', '1', '0', '0']);
		expect(said[4]).toEqual({ 'x-ratelimit-limit': '5', 'x-ratelimit-remaining': '0' });
		expect(said[5]).toMatchObject({ 'x-ratelimit-limit': '5', 'retry-after': '10' });
		expect(Math.abs(Number(said[5]?.['x-ratelimit-reset']) - Date.now() / 1000 - 10)).toBeLessThan(3);
	});

	it('can be left out, but for Retry-After', () => {
		const said = saidTo(6, { headers: 'none' });
		expect(said).toEqual([{}, {}, {}, {}, {}, { 'retry-after': '10' }]);
	});

	it('can say of every request that hardly anything was used', () => {
		const said = saidTo(6, { headers: 'constant' });
		expect(remainingIn(said)).toEqual(Array(6).fill('4'));
		expect(said[5]).toMatchObject({ 'x-ratelimit-limit': '5', 'retry-after': '10' });
	});

	it('can name a remainder that jumps about, each time in the same way', () => {
		const remaining = remainingIn(saidTo(40, { headers: 'jumping' }));
		expect([...new Set(remaining)].sort()).toEqual(['0', '1', '2', '3', '4', '5']);
		expect(remaining.some((said, index) => Number(said) > Number(remaining[index - 1]))).toBe(true);
		expect(remainingIn(saidTo(40, { headers: 'jumping' }))).toEqual(remaining);
	});

	it('can be words in place of numbers', () => {
		const said = saidTo(6, { headers: 'words' });
		for (const headers of said) {
			const { 'retry-after': retryAfter, ...words } = headers;
			expect(retryAfter).toBe(headers === said[5] ? '10' : undefined);
			expect(Object.keys(words).length).toBeGreaterThan(1);
			for (const word of Object.values(words)) expect(Number(word)).toBeNaN();
		}
	});

	it('are those of the tightest limit, whichever was counted last', () => {
		limiter.set({ account: { requests: 12, windowMs: 60_000 } });
		const told = Array.from({ length: 9 }, (_, index) => {
			const ofAccount = limiter.count('account', 'a', index);
			return index < 3 ? ofAccount : limiter.count('telegram', 'a', index, ofAccount);
		});
		// The messenger's limit is lower, and yet the account's is nearer all the time.
		expect(told.map((headers) => headers['x-ratelimit-limit'])).toEqual(Array(9).fill('12'));
		limiter.set({ account: { requests: 120, windowMs: 60_000 } });
		const headers = limiter.count('telegram', 'a', 0, limiter.count('account', 'a', 0));
		expect(headers).toEqual({ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '9' });
		expect(limiter.count('vk', 'a', 0, headers)).toBe(headers);
	});
});

describe('the service', () => {
	let service: Service;
	beforeAll(async () => {
		service = await startService({ limits: {} });
	});
	afterEach(() => service.reset());
	afterAll(async () => await service.stop());

	const send = async (contact_id: number) =>
		await ask(service, 'POST', 'sendMessage', { query: { contact_id, text: 'Привет' } });

	/** @returns the statuses of so many messages, sent one after the other */
	async function statusesOf(count: number, once: () => Promise<{ status: number }>) {
		const statuses: number[] = [];
		for (let index = 0; index < count; index++) statuses.push((await once()).status);
		return statuses;
	}

	it('keeps the account to its rate over all operations', async () => {
		service.setLimits({ account: { requests: 2, windowMs: 60_000 } });
		const first = await ask(service, 'GET', 'getListSchemas');
		expect(first.headers.get('x-ratelimit-limit')).toBe('2');
		expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
		expect(await ask(service, 'GET', 'getBotTags', { query: { bot_id: bots.school } })).toMatchObject({
			status: 200,
		});
		const refused = await send(contacts.vk);
		expect(refused).toMatchObject({ status: 429, json: { message: 'Too Many Attempts.' } });
		expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
		expect(refused.headers.get('x-ratelimit-limit')).toBe('2');
		expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
		expect(service.requests[2]).toMatchObject({ status: 429, accepted: false, refusedBy: 'account' });
		expect(service.deliveries()).toEqual([]);
	});

	it('opens again when the shortened window has passed', async () => {
		service.setLimits({ ...OFF, scale: 0.05 });
		expect(await send(contacts.whatsapp)).toMatchObject({ status: 200 });
		expect(await send(contacts.whatsapp)).toMatchObject({ status: 429 });
		await wait(510);
		expect(await send(contacts.whatsapp)).toMatchObject({ status: 200 });
		expect(service.deliveries()).toHaveLength(2);
	});

	it.each([
		['whatsapp', 1],
		['telegram', 10],
		['viber', 10],
		['max', 10],
	] as const)('keeps %s to %d in ten seconds, whoever the recipient is', async (messenger, limit) => {
		service.setLimits(OFF);
		const [other] = addContacts(service.data, 1, { messenger });
		const statuses = await statusesOf(limit, async () => await send(contacts[messenger]));
		expect(statuses).toEqual(Array(limit).fill(200));
		const refused = await send(other?.id ?? 0);
		expect(refused).toMatchObject({ status: 429 });
		expect(refused.headers.get('x-ratelimit-limit')).toBe(String(limit));
		expect(service.requests.at(-1)).toMatchObject({ refusedBy: messenger });
		expect(service.deliveries()).toHaveLength(limit);
		expect(await send(contacts.vk)).toMatchObject({ status: 200 });
	});

	it('keeps vk to nothing of its own', async () => {
		service.setLimits(OFF);
		expect(await statusesOf(15, async () => await send(contacts.vk))).toEqual(Array(15).fill(200));
	});

	it('keeps messages to a number to one per second, apart from those to a contact', async () => {
		service.setLimits({ account: null, whatsAppNumber: { requests: 1, windowMs: 60_000 } });
		const body = { bot_id: bots.school, phone: '79035550101', text: 'Привет' };
		const toNumber = async () => await ask(service, 'POST', 'sendMessageToWhatsApp', { body });
		expect(await statusesOf(2, toNumber)).toEqual([200, 429]);
		expect(service.requests.at(-1)).toMatchObject({ refusedBy: 'whatsAppNumber' });
		expect(await send(contacts.whatsapp)).toMatchObject({ status: 200 });
		expect(DOCUMENTED_LIMITS.whatsAppNumber).toEqual({ requests: 1, windowMs: 1000 });
	});

	it('counts a refused message against the account all the same', async () => {
		service.setLimits({ account: { requests: 3, windowMs: 60_000 } });
		await statusesOf(3, async () => await send(contacts.whatsapp));
		await send(contacts.telegram);
		expect(service.requests.map(({ refusedBy }) => refusedBy)).toEqual([
			undefined,
			'whatsapp',
			'whatsapp',
			'account',
		]);
	});

	it('does not count requests without a right token', async () => {
		service.setLimits({ account: { requests: 1, windowMs: 60_000 } });
		await statusesOf(3, async () => await ask(service, 'GET', 'getListSchemas', { token: 'wrong' }));
		expect(await ask(service, 'GET', 'getListSchemas')).toMatchObject({ status: 200 });
	});

	it('counts when a request came through a delay on its way', async () => {
		service.setLimits({ account: { requests: 1, windowMs: 100 } });
		service.faults.add({ kind: 'delay', ms: 300, match: { nth: 1 } });
		const late = ask(service, 'GET', 'getBotTags', { query: { bot_id: bots.school } });
		await until(() => service.requests.length === 1);
		expect(await ask(service, 'GET', 'getListSchemas')).toMatchObject({ status: 200 });
		expect(await late).toMatchObject({ status: 200 });
		const [first] = service.requests;
		expect((first?.countedAt ?? 0) - (first?.arrivedAt ?? 0)).toBeGreaterThanOrEqual(298);
	});

	it('lets all of a window pass at once as the framework does, and then none until it ends', async () => {
		expect(LARAVEL_LIMITS.account).toEqual({ requests: 120, windowMs: 60_000, window: 'fixed' });
		const account = { ...LARAVEL_LIMITS.account!, requests: 12 };
		service.setLimits({ ...LARAVEL_LIMITS, account, scale: 0.05 });
		const once = async () => await ask(service, 'GET', 'getBotTags', { query: { bot_id: bots.school } });
		expect(await statusesOf(12, once)).toEqual(Array(12).fill(200));
		const endsAt = (service.requests[0]?.countedAt ?? 0) + 3_000;
		for (const leftMs of [2_000, 900]) {
			await wait(endsAt - leftMs - performance.now());
			const refused = await once();
			expect(refused).toMatchObject({ status: 429, json: { message: 'Too Many Attempts.' } });
			const left = endsAt - (service.requests.at(-1)?.countedAt ?? 0);
			expect(refused.headers.get('retry-after')).toBe(String(Math.floor(left / 1000)));
		}
		await wait(endsAt + 5 - performance.now());
		expect((await once()).headers.get('x-ratelimit-remaining')).toBe('11');
	});

	it('keeps the documented limits of messages beside that of the framework', async () => {
		service.setLimits(LARAVEL_LIMITS);
		expect((await send(contacts.whatsapp)).headers.get('x-ratelimit-limit')).toBe('1');
		const refused = await send(contacts.whatsapp);
		expect(refused).toMatchObject({ status: 429 });
		expect(refused.headers.get('retry-after')).toMatch(/^[89]$/);
		expect((await send(contacts.vk)).headers.get('x-ratelimit-remaining')).toBe('117');
	});

	it('says the same of the limits in refusals of other kinds', async () => {
		service.setLimits({ account: { requests: 2, windowMs: 60_000 }, headers: 'constant' });
		const invalid = await ask(service, 'GET', 'getBotTags');
		expect(invalid).toMatchObject({ status: 422 });
		expect(invalid.headers.get('x-ratelimit-remaining')).toBe('1');
		await send(contacts.vk);
		const refused = await send(contacts.vk);
		expect(refused).toMatchObject({ status: 429 });
		expect(refused.headers.get('x-ratelimit-remaining')).toBe('1');
	});

	it('has its limits back after a reset, and none without them', async () => {
		service.setLimits(false);
		const once = async () => await ask(service, 'GET', 'getBotTags', { query: { bot_id: bots.school } });
		expect(await statusesOf(5, once)).toEqual([200, 200, 200, 200, 200]);
		expect((await once()).headers.has('x-ratelimit-limit')).toBe(false);
		service.reset();
		expect((await once()).headers.get('x-ratelimit-limit')).toBe('2');
	});
});
