/** A fault answers before or after the effect of a request; limits are those of the framework; other processes can set both. */

import { LARAVEL_LIMITS, SEEDED, type Fault, type Limits } from '../../sandbox/emulator';
import { Limiter } from '../../sandbox/emulator/limits';
import { clientOf, useEmulator } from './client';

const service = useEmulator();
const ask = clientOf(service);

const send = async (text = 'Привет') =>
	await ask('sendMessage', { query: { contact_id: SEEDED.contacts.telegram, text }, isFaulty: true });

test.each<[Fault, number, RegExp]>([
	[{ kind: 'server error' }, 500, /^\{"message":"Server Error"\}$/],
	[{ kind: 'maintenance', page: true }, 503, /<title>Service Unavailable<\/title>/],
	[{ kind: 'html' }, 200, /Вход в личный кабинет/],
	[{ kind: 'redirect' }, 302, /^$/],
	[{ kind: 'answer', status: 200, body: 'ok' }, 200, /^ok$/],
])('the fault %j answers before or after the effect', async (fault, status, text) => {
	for (const when of ['before', 'after'] as const) {
		service.reset();
		service.faults.add({ ...fault, when });
		const answer = await send();
		expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(text)]);
		const accepted = when === 'after';
		expect(service.requests).toMatchObject([{ accepted, status, faults: [fault.kind] }]);
		expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
	}
});

test('other processes set faults, limits and dialect', async () => {
	/** Like a request of curl. */
	async function control(path: string, body?: unknown) {
		const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
		return (await (await fetch(`${service.url}/sandbox/${path}`, init)).json()) as { requests: unknown[] };
	}
	await control('faults', [{ kind: 'forbidden', match: { text: 'раз' } }]);
	expect(await send('раз')).toMatchObject({ json: { message: 'Forbidden' } });
	await control('faults', []);
	expect(await send('раз')).toMatchObject({ json: { success: true } });
	await control('dialect', { answers: 'wrapped' });
	expect(await send('два')).toMatchObject({ json: { errors: [] } });
	await control('limits', { account: { requests: 1, windowMs: 90_000 } });
	expect([(await send('три')).status, (await send('три')).status]).toEqual([200, 429]);
	expect((await control('requests')).requests).toHaveLength(5);
	expect(await control('deliveries')).toMatchObject([{ text: 'раз' }, { text: 'два' }, { text: 'три' }]);
	await control('reset', {});
	expect(await send()).toMatchObject({ status: 200, json: { success: true } });
	expect([service.requests.length, service.dialect.answers]).toEqual([1, 'usual']);
});

const three = { requests: 3, windowMs: 1000 };
const fixed = { ...LARAVEL_LIMITS, account: { requests: 2, windowMs: 2000, window: 'fixed' } } as const;

/** What a limiter says at given times: how many requests are left, or the Retry-After of a refusal. */
test.each<[limits: Partial<Limits>, times: number[], ...said: Array<string | undefined>]>([
	// A sliding window limits every interval of its length, and refused requests do not count.
	[{}, [0, 900, 950, 999, 1000, 1899, 1900], '1', '0', 'after 1', 'after 1', '0', 'after 1', '0'],
	// A fixed one starts with the first request after the end of the previous one, and what is left of it is rounded down.
	[fixed, [300, 800, 1000, 2250, 2300, 5900, 7899, 7900], '1', '0', 'after 1', 'after 0', '1', '1', '0', '1'],
	[{ account: three, headers: 'true' }, [0, 0, 0], '2', '1', '0'],
	[{ account: three, headers: 'none' }, [0, 0, 0], undefined, undefined, undefined],
	[{ account: three, headers: 'constant' }, [0, 0, 0], '2', '2', '2'],
])('limits %j count requests at %j', (limits, times, ...said) => {
	const limiter = new Limiter();
	limiter.set(limits);
	const answers = times.map((now) => limiter.count('account', 'a', now));
	const inWords = answers.map(({ isRefused, headers }) =>
		isRefused ? `after ${headers['retry-after']}` : headers['x-ratelimit-remaining'],
	);
	expect(inWords).toEqual(said);
});
