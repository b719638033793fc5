/** The limits that tests of the pace rely on are those of the framework, and people can set them and faults with curl. */

import { LARAVEL_LIMITS, SEEDED, type Limits } from '../../sandbox/emulator';
import { Limiter } from '../../sandbox/emulator/limits';
import { clientOf, useEmulator } from './client';

const service = useEmulator();
const ask = clientOf(service);

test('other processes set faults and limits', async () => {
	/** Like a request of curl. */
	const control = async (path: string, body?: unknown) => {
		const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
		return await (await fetch(`${service.url}/sandbox/${path}`, init)).json();
	};
	const send = async (text: string) =>
		(await ask('sendMessage', { query: { contact_id: SEEDED.contacts.telegram, text } })).status;
	await control('faults', [
		{ kind: 'answer', status: 404, body: { message: 'Нет.' }, match: { text: 'раз' } },
	]);
	await control('limits', { account: { requests: 1, windowMs: 90_000 } });
	expect([await send('раз'), await send('два'), await send('три')]).toEqual([404, 200, 429]);
	expect(await control('deliveries')).toMatchObject([{ text: 'два' }]);
	expect(await control('requests')).toMatchObject({ requests: [{}, {}, {}] });
	await control('reset', {});
	expect([await send('раз'), await send('два')]).toEqual([200, 200]);
});

const three = { requests: 3, windowMs: 1000 };
const fixed = { ...LARAVEL_LIMITS, account: { requests: 2, windowMs: 2000, window: 'fixed' } } as const;

/** What a limiter says at given times: how many requests are left, or the Retry-After of a refusal. */
test.each<[limits: Partial<Limits>, times: number[], ...said: Array<string | undefined>]>([
	// A sliding window limits every interval of its length, and refused requests do not count.
	[{}, [0, 900, 950, 999, 1000, 1899, 1900], '1', '0', 'after 1', 'after 1', '0', 'after 1', '0'],
	// A fixed one starts with the first request after the end of the previous one, and what is left of it is rounded down.
	[fixed, [300, 800, 1000, 2250, 2300, 5900, 7899, 7900], '1', '0', 'after 1', 'after 0', '1', '1', '0', '1'],
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
