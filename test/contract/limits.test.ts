/** The limits of the stand-in are really kept, and said as the framework says them. */

import { DOCUMENTED_LIMITS, SEEDED, addContacts, startService, type Service } from '../../sandbox/service';
import { Limiter } from '../../sandbox/service/limits';
import { ask, until } from './client';

const { bots, contacts } = SEEDED;
const OFF = { account: null, whatsAppNumber: null };

describe('a sliding window', () => {
	function limiterOf(requests: number, windowMs: number, scale = 1) {
		const limiter = new Limiter();
		limiter.set({ account: { requests, windowMs }, scale });
		return (now: number, account = 'a') => {
			try {
				return limiter.count('account', account, now)['x-ratelimit-remaining'];
			} catch (refusal) {
				return refusal;
			}
		};
	}

	it('lets no window of its length see more, and does not count refused requests', () => {
		const count = limiterOf(2, 1000);
		expect(count(0)).toBe('1');
		expect(count(900)).toBe('0');
		expect(count(950)).toMatchObject({ status: 429, limit: 'account' });
		expect(count(999)).toMatchObject({ status: 429 });
		expect(count(1000)).toBe('0');
		expect(count(1899)).toMatchObject({ status: 429 });
		expect(count(1900)).toBe('0');
	});

	it('is as long as the scale says', () => {
		const count = limiterOf(1, 1000, 0.1);
		expect(count(0)).toBe('0');
		expect(count(99)).toMatchObject({ status: 429 });
		expect(count(100)).toBe('0');
	});

	it('says in whole seconds how long to wait', () => {
		const count = limiterOf(1, 10_000);
		count(0);
		expect(count(1)).toMatchObject({ headers: { 'retry-after': '10', 'x-ratelimit-limit': '1' } });
		expect(count(8_500)).toMatchObject({ headers: { 'retry-after': '2', 'x-ratelimit-remaining': '0' } });
		expect(count(9_999)).toMatchObject({ headers: { 'retry-after': '1' } });
	});

	it('waits for the oldest request, in whatever order they counted', () => {
		const count = limiterOf(2, 10_000);
		count(3_000);
		count(1_000);
		expect(count(4_000)).toMatchObject({ headers: { 'retry-after': '7' } });
	});

	it('is one for each account', () => {
		const count = limiterOf(1, 1000);
		expect([count(0, 'a'), count(0, 'b')]).toEqual(['0', '0']);
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
		await new Promise((resolve) => setTimeout(resolve, 510));
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

	it('has its limits back after a reset, and none without them', async () => {
		service.setLimits(false);
		const once = async () => await ask(service, 'GET', 'getBotTags', { query: { bot_id: bots.school } });
		expect(await statusesOf(5, once)).toEqual([200, 200, 200, 200, 200]);
		expect((await once()).headers.has('x-ratelimit-limit')).toBe(false);
		service.reset();
		expect((await once()).headers.get('x-ratelimit-limit')).toBe('2');
	});
});
