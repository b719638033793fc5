/** The emulator enforces its limits, and reports them as the framework does. */

import { LARAVEL_LIMITS, SEEDED, type Limits } from '../../sandbox/emulator';
import { Limiter } from '../../sandbox/emulator/limits';
import { clientOf, useEmulator } from './client';

const { contacts } = SEEDED;

/** @returns what a limiter says at given times: how many requests are left, or the Retry-After of a refusal */
function saidAt(limits: Partial<Limits>, ...times: number[]) {
	const limiter = new Limiter();
	limiter.set(limits);
	return times.map((now) => {
		const { isRefused, headers } = limiter.count('account', 'a', now);
		return isRefused ? `after ${headers['retry-after']}` : headers['x-ratelimit-remaining'];
	});
}

test('A sliding window limits every interval of its length, and refused requests do not count', () => {
	const account = { requests: 2, windowMs: 1000 };
	const said = saidAt({ account }, 0, 900, 950, 999, 1000, 1899, 1900);
	expect(said).toEqual(['1', '0', 'after 1', 'after 1', '0', 'after 1', '0']);
});

test('A fixed window starts with the first request after the end of the previous one, and rounds down what is left of it', () => {
	const account = { requests: 2, windowMs: 2000, window: 'fixed' } as const;
	const said = saidAt({ ...LARAVEL_LIMITS, account }, 300, 800, 1000, 2250, 2300, 5900, 7899, 7900);
	expect(said).toEqual(['1', '0', 'after 1', 'after 0', '1', '1', '0', '1']);
});

test.each<[Limits['headers'], Array<string | undefined>]>([
	['true', ['2', '1', '0']],
	['none', [undefined, undefined, undefined]],
	['constant', ['2', '2', '2']],
])('With headers: %s, answers say that %j are left', (headers, remaining) => {
	expect(saidAt({ account: { requests: 3, windowMs: 1000 }, headers }, 0, 0, 0)).toEqual(remaining);
});

const service = useEmulator({ limits: {} });
const ask = clientOf(service);

const send = async (contact_id: number) =>
	await ask('sendMessage', { query: { contact_id, text: 'Привет' } });

test('The service limits the rate of an account over all operations; requests without its token do not count', async () => {
	service.setLimits({ account: { requests: 2, windowMs: 60_000 } });
	await ask('getListSchemas', { token: 'wrong' });
	expect(await ask('getListSchemas')).toMatchObject({ status: 200 });
	expect(await ask('getBotTags', { query: { bot_id: 101 } })).toMatchObject({ status: 200 });
	const refused = await send(contacts.vk);
	expect(refused).toMatchObject({ status: 429, json: { message: 'Too Many Attempts.' } });
	expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
	expect(Number(refused.headers.get('x-ratelimit-reset')) - Date.now() / 1000).toBeGreaterThan(50);
	expect(service.requests.at(-1)).toMatchObject({ accepted: false, refusedBy: 'account' });
	expect(service.deliveries()).toEqual([]);
});

test('A message that the limit of its messenger refuses has used the limit of the account', async () => {
	service.setLimits({ account: { requests: 3, windowMs: 60_000 } });
	for (let index = 0; index < 3; index++) await send(contacts.whatsapp);
	await send(contacts.vk);
	const refusedBy = service.requests.map((request) => request.refusedBy);
	expect(refusedBy).toEqual([undefined, 'whatsapp', 'whatsapp', 'account']);
});
