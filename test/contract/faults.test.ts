/** Every fault does what it says to the requests that it matches, and the recording shows what took effect. */

import { SEEDED, type Fault } from '../../sandbox/emulator';
import { clientOf, until, useEmulator } from './client';

const { bots, contacts } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);

const send = async (text = 'Привет', contact_id: number = contacts.telegram, signal?: AbortSignal) =>
	await ask('sendMessage', { query: { contact_id, text }, faulty: true, signal });

const getTags = async () => await ask('getBotTags', { query: { bot_id: bots.school }, faulty: true });

const allHit = async (count: number) =>
	await until(() => service.requests.filter(({ faults }) => faults.length > 0).length === count);

const durationOf = (index: number) =>
	service.requests[index]!.answeredAt! - service.requests[index]!.arrivedAt;

const asJson = 'application/json; charset=utf-8';
const asPage = 'text/html; charset=UTF-8';

const answers: Array<[Fault, number, string | null, string | RegExp]> = [
	[{ kind: 'server error' }, 500, asJson, /^\{"message":"Server Error"\}$/],
	[{ kind: 'unavailable' }, 503, asPage, /<h1>503 Service Temporarily Unavailable</],
	[{ kind: 'maintenance' }, 503, asJson, /^\{"message":"Service Unavailable"\}$/],
	[{ kind: 'maintenance', page: true }, 503, asPage, /<title>Service Unavailable<\/title>/],
	[{ kind: 'too many' }, 429, asJson, /^\{"message":"Too Many Attempts\."\}$/],
	[{ kind: 'html' }, 200, asPage, /Вход в личный кабинет/],
	[{ kind: 'html', status: 502 }, 502, asPage, /502 Bad Gateway/],
	[{ kind: 'php error' }, 200, asPage, /^<br \/>\n<b>Fatal error<\/b>: {2}[^]* on line <b>41<\/b><br \/>\n$/],
	[{ kind: 'forbidden' }, 200, asJson, /^\{"message":"Forbidden"\}$/],
	[{ kind: 'empty' }, 200, asPage, /^$/],
	[{ kind: 'malformed' }, 200, asJson, /^\{"success":tr$/],
	[{ kind: 'redirect' }, 302, asPage, /^$/],
	[{ kind: 'answer', status: 418, body: { a: 1 } }, 418, asJson, /^\{"a":1\}$/],
	[{ kind: 'answer', status: 200, body: 'ok' }, 200, 'text/plain; charset=utf-8', /^ok$/],
];

test.each(answers)(
	'The fault %j answers before or after the request takes effect',
	async (fault, status, type, text) => {
		const usuallyAfter = ['empty', 'malformed'].includes(fault.kind);
		for (const [when, accepted] of [
			['before', false],
			['after', true],
			[undefined, usuallyAfter],
		] as const) {
			service.reset();
			service.faults.add({ ...fault, when });
			const answer = await send();
			expect([answer.status, answer.headers.get('content-type')]).toEqual([status, type]);
			expect(answer.text).toMatch(text);
			expect(service.requests).toMatchObject([{ accepted, status, faults: [fault.kind] }]);
			expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
		}
	},
);

test.each<['reset' | 'timeout', Fault['when'], accepted: boolean]>([
	['reset', 'before', false],
	['reset', 'after', true],
	['reset', undefined, false],
	['timeout', 'before', false],
	['timeout', 'after', true],
	['timeout', undefined, true],
])(
	'The fault %s with when: %s gives no answer, and the recording shows whether the request took effect',
	async (kind, when, accepted) => {
		service.faults.add({ kind, when });
		const impatience = new AbortController();
		const failed = send('Привет', contacts.telegram, impatience.signal).catch((error: Error) => error);
		await allHit(1);
		if (kind === 'timeout') {
			expect(service.inFlight.now).toBe(1);
			impatience.abort();
		}
		const code = expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) as string;
		expect(await failed).toMatchObject(kind === 'timeout' ? { name: 'AbortError' } : { cause: { code } });
		await until(() => service.inFlight.now === 0);
		expect(service.requests).toMatchObject([{ accepted, status: undefined, answeredAt: undefined }]);
		expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
	},
);

test.each([
	{ kind: 'unavailable' },
	{ kind: 'maintenance' },
	{ kind: 'maintenance', page: true },
	{ kind: 'too many' },
] as const)('The fault %j sets Retry-After in seconds or not at all', async (fault) => {
	service.faults.add({ ...fault, match: { times: 1 } });
	expect((await send()).headers.get('retry-after')).toBeNull();
	service.faults.add({ ...fault, retryAfter: 7 });
	expect((await send()).headers.get('retry-after')).toBe('7');
});

test('During maintenance neither the token nor the limits are checked', async () => {
	service.setLimits({ account: { requests: 1, windowMs: 60_000 } });
	service.faults.add({ kind: 'maintenance', match: { times: 3 } });
	for (const token of ['wrong', service.token, service.token]) {
		const answer = await ask('getListSchemas', { token });
		expect([answer.status, answer.headers.has('x-ratelimit-limit')]).toEqual([503, false]);
	}
	expect(service.requests.map(({ countedAt }) => countedAt)).toEqual([undefined, undefined, undefined]);
	expect(await getTags()).toMatchObject({ status: 200 });
});

test('A delay waits before or after the request takes effect', async () => {
	service.faults.add({ kind: 'delay', ms: 500, match: { text: 'до' } });
	service.faults.add({ kind: 'delay', ms: 500, match: { text: 'после' }, when: 'after' });
	const asked = Promise.all([send('до'), send('после')]);
	await allHit(2);
	expect(service.deliveries()).toMatchObject([{ text: 'после' }]);
	expect(await asked).toMatchObject([{ status: 200 }, { status: 200 }]);
	for (const index of [0, 1]) expect(durationOf(index)).toBeGreaterThanOrEqual(498);
});

const warning =
	'<br />\n<b>Warning</b>:  Undefined variable $tariff in <b>/var/www/app/Http/Kernel.php</b> on line <b>57</b><br />\n';

test.each(['before', 'after'] as const)(
	"PHP's warning %s the request takes effect turns any answer into a page, but keeps its status and headers",
	async (when) => {
		service.setLimits({ account: { requests: 2, windowMs: 60_000 } });
		service.faults.add({ kind: 'php warning', when });
		const done = await send();
		expect(done).toMatchObject({ status: 200, text: `${warning}{"success":true}` });
		expect(done.headers.get('content-type')).toBe(asPage);
		expect(service.requests).toMatchObject([{ accepted: true, status: 200, faults: ['php warning'] }]);
		const invalid = await ask('sendMessage', { faulty: true });
		expect(invalid.status).toBe(422);
		expect(invalid.text.startsWith(`${warning}{"message":"The given data was invalid."`)).toBe(true);
		expect(invalid.headers.get('x-ratelimit-remaining')).toBe('0');
		const refused = await send();
		expect(refused).toMatchObject({ status: 429, text: `${warning}{"message":"Too Many Attempts."}` });
		expect(refused.headers.has('retry-after')).toBe(true);
		expect(service.deliveries()).toHaveLength(1);
	},
);

test.each<[Omit<Fault, 'kind'>, ids: number[]]>([
	[{}, [1, 2, 3, 4, 5, 6]],
	[{ when: 'after' }, [1, 2, 3, 4, 5]],
	[{ match: { path: 'sendMessage' } }, [2, 3, 4, 6]],
	[{ match: { path: 'getBotTags' } }, [1]],
	[{ match: { recipient: contacts.vk } }, [3]],
	[{ match: { recipient: '284119035' } }, [4]],
	[{ match: { recipient: '79035550101' } }, [5]],
	[{ match: { text: 'два' } }, [3]],
	[{ match: { where: ({ id }) => id > 4 } }, [5, 6]],
	[{ match: { nth: 2 } }, [2]],
	[{ match: { path: 'sendMessage', nth: [2, 3] } }, [3, 4]],
	[{ match: { times: 2 } }, [1, 2]],
	// The last request is refused, so a fault after its effect does not count it.
	[{ when: 'after', match: { path: 'sendMessage', nth: 4 } }, []],
])('Of six requests, a fault with %j applies to %j', async (when, ids) => {
	service.faults.add({ kind: 'server error', ...when });
	const bot_id = bots.school;
	const inTelegram = { bot_id, messenger: 'telegram', contact_external_id: '284119035' };
	await getTags();
	await send('раз', contacts.telegram);
	await send('два', contacts.vk);
	await ask('sendMessage', { body: { ...inTelegram, text: 'три' } });
	await ask('sendMessageToWhatsApp', { body: { bot_id, phone: '79035550101', text: 'четыре' } });
	await send('пять', 1);
	expect(service.requests.filter(({ status }) => status === 500).map(({ id }) => id)).toEqual(ids);
});
