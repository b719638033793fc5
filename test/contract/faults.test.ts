/** Every fault does what it says to the requests that it matches, and the recording shows what took effect. */

import { SEEDED, loadContract, type Fault } from '../../sandbox/emulator';
import { clientOf, until, useEmulator, type Invalid } from './client';

const { bots, contacts } = SEEDED;

const service = useEmulator();
const ask = clientOf(service);

const send = async (text = 'Привет', contact_id: number = contacts.telegram, signal?: AbortSignal) =>
	await ask('sendMessage', { query: { contact_id, text }, faulty: true, signal });

const other = async () => await ask('getBotTags', { query: { bot_id: bots.school } });

const statuses = () => service.requests.map(({ status }) => status);

const moments = [
	['before', false],
	['after', true],
] as const;

/** The last value says whether the document describes such an answer to sendMessage. */
const answers: Array<[string, Fault, number, string | RegExp, boolean]> = [
	['500', { kind: 'server error' }, 500, '{"message":"Server Error"}', true],
	['a page under 503', { kind: 'unavailable' }, 503, /<h1>503 Service Temporarily Unavailable</, true],
	['maintenance', { kind: 'maintenance' }, 503, '{"message":"Service Unavailable"}', true],
	[
		'a page of maintenance',
		{ kind: 'maintenance', page: true },
		503,
		/<title>Service Unavailable<\/title>/,
		true,
	],
	['429', { kind: 'too many' }, 429, '{"message":"Too Many Attempts."}', true],
	['a login page', { kind: 'html' }, 200, /Вход в личный кабинет/, false],
	['a page under 502', { kind: 'html', status: 502 }, 502, /502 Bad Gateway/, true],
	[
		"PHP's error",
		{ kind: 'php error' },
		200,
		/^<br \/>\n<b>Fatal error<\/b>: {2}Uncaught [^]* in <b>\/var\/www\/[\w/.]+<\/b> on line <b>41<\/b><br \/>\n$/,
		false,
	],
	[
		"PHP's error as text",
		{ kind: 'php error', plain: true },
		200,
		/^\nFatal error: Uncaught [^<]* on line 41\n$/,
		false,
	],
	[
		"PHP's error as logged",
		{ kind: 'php error', plain: 'logged' },
		200,
		/^PHP Fatal error: {2}Uncaught [^<]* on line 41\n$/,
		false,
	],
	['Forbidden', { kind: 'forbidden' }, 200, '{"message":"Forbidden"}', false],
	['nothing', { kind: 'empty' }, 200, '', false],
	['malformed JSON', { kind: 'malformed' }, 200, /^\{"success":tr$/, false],
	['a redirect', { kind: 'redirect' }, 302, '', true],
	['anything', { kind: 'answer', status: 418, body: { a: 1 } }, 418, '{"a":1}', false],
	['any text', { kind: 'answer', status: 200, body: 'ok' }, 200, 'ok', false],
];

test.each(answers)(
	'A fault answers with %s, before or after the request takes effect',
	async (_name, fault, status, text, isDescribed) => {
		for (const [when, accepted] of moments) {
			service.reset();
			service.faults.add({ ...fault, when });
			const answer = await send();
			expect(answer.status).toBe(status);
			expect(answer.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
			expect(service.requests).toMatchObject([{ accepted, status, faults: [fault.kind] }]);
			expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
			const type = answer.headers.get('content-type') ?? '';
			const problems = loadContract().checkAnswer('sendMessage', status, type, answer.text);
			expect(problems.length === 0).toBe(isDescribed);
		}
	},
);

test('By default, a fault comes before the request takes effect, except for an empty and a malformed answer', async () => {
	for (const [, fault] of answers) {
		service.faults.clear();
		service.faults.add(fault);
		await send();
	}
	const after = service.requests.filter(({ accepted }) => accepted);
	expect(after.map(({ faults }) => faults)).toEqual([['empty'], ['malformed']]);
});

test('A fault sets Retry-After in seconds, as a date or not at all', async () => {
	const retryAfter = async (fault: Fault) => {
		service.faults.clear();
		service.faults.add(fault);
		return (await send()).headers.get('retry-after');
	};
	expect(await retryAfter({ kind: 'unavailable' })).toBeNull();
	expect(await retryAfter({ kind: 'unavailable', retryAfter: 7 })).toBe('7');
	expect(await retryAfter({ kind: 'maintenance' })).toBeNull();
	expect(await retryAfter({ kind: 'maintenance', retryAfter: 60 })).toBe('60');
	expect(await retryAfter({ kind: 'maintenance', retryAfter: 60, page: true })).toBe('60');
	expect(await retryAfter({ kind: 'too many' })).toBeNull();
	expect(await retryAfter({ kind: 'too many', retryAfter: 2 })).toBe('2');
	const date = await retryAfter({ kind: 'too many', retryAfter: 'date', dateInMs: 30_000 });
	expect(date).toMatch(/ GMT$/);
	expect(Math.abs(Date.parse(date ?? '') - Date.now() - 30_000)).toBeLessThan(10_000);
});

test("PHP's error is sent as a page, even without HTML", async () => {
	service.faults.add({ kind: 'php error', plain: true });
	expect((await send()).headers.get('content-type')).toBe('text/html; charset=UTF-8');
});

test('During maintenance neither the token nor the limits are checked', async () => {
	service.setLimits({ account: { requests: 1, windowMs: 60_000 } });
	service.faults.add({ kind: 'maintenance', match: { times: 3 } });
	for (const token of ['wrong', service.token, service.token]) {
		const answer = await ask('getListSchemas', { token });
		expect(answer.status).toBe(503);
		expect([...answer.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
	}
	expect(service.requests.map(({ countedAt }) => countedAt)).toEqual([undefined, undefined, undefined]);
	expect(await other()).toMatchObject({ status: 200 });
});

test.each(moments)(
	"The fault 'reset' closes the connection %s the request takes effect",
	async (when, accepted) => {
		service.faults.add({ kind: 'reset', when });
		const code = expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) as string;
		await expect(send()).rejects.toMatchObject({ cause: { code } });
		expect(service.requests).toMatchObject([{ accepted, status: undefined, answeredAt: undefined }]);
		expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
	},
);

test.each(moments)(
	"The fault 'timeout' does not answer %s the request takes effect, until the client gives up",
	async (when, accepted) => {
		service.faults.add({ kind: 'timeout', when });
		const impatience = new AbortController();
		const asked = expect(send('Привет', contacts.telegram, impatience.signal)).rejects.toThrow('aborted');
		await until(() => service.requests[0]?.faults.length === 1);
		expect(service.inFlight.now).toBe(1);
		impatience.abort();
		await asked;
		await until(() => service.inFlight.now === 0);
		expect(service.requests).toMatchObject([{ accepted, status: undefined, answeredAt: undefined }]);
		expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
	},
);

test("By default, the fault 'reset' comes before the request takes effect, and 'timeout' after it", async () => {
	service.faults.add({ kind: 'reset', match: { text: 'раз' } });
	service.faults.add({ kind: 'timeout' });
	const asked = Promise.allSettled([send('раз'), send('два')]);
	await until(() => service.requests.filter(({ faults }) => faults.length > 0).length === 2);
	expect(service.deliveries()).toMatchObject([{ text: 'два' }]);
	service.reset();
	await asked;
});

test('A reset of the service closes the connections of requests that wait for a fault', async () => {
	service.faults.add({ kind: 'timeout' });
	service.faults.add({ kind: 'delay', ms: 60_000, match: { text: 'до' } });
	service.faults.add({ kind: 'delay', ms: 60_000, when: 'after', match: { path: 'getBotTags' } });
	const asked = Promise.allSettled([send('рано'), send('до'), other()]);
	await until(() => service.requests.filter(({ faults }) => faults.length > 0).length === 3);
	service.reset();
	expect((await asked).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
	await until(() => service.inFlight.now === 0);
	expect(service.deliveries()).toEqual([]);
});

/** The duration of the first request in milliseconds. */
const duration = () => service.requests[0]!.answeredAt! - service.requests[0]!.arrivedAt;

test.each(moments)('A delay waits %s the request takes effect', async (when, accepted) => {
	service.faults.add({ kind: 'delay', ms: 500, when });
	const asked = send();
	await until(() => service.requests[0]?.faults.length === 1);
	expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
	expect(await asked).toMatchObject({ status: 200 });
	expect(duration()).toBeGreaterThanOrEqual(498);
});

test('A delay after the request delays refusals too', async () => {
	service.faults.add({ kind: 'delay', ms: 40, when: 'after' });
	expect(await send('Привет', 1)).toMatchObject({ status: 404 });
	expect(duration()).toBeGreaterThanOrEqual(38);
});

test('A delay comes before the fault that ends the request', async () => {
	service.faults.add({ kind: 'server error' });
	service.faults.add({ kind: 'delay', ms: 30 });
	expect(await send()).toMatchObject({ status: 500 });
	expect(duration()).toBeGreaterThanOrEqual(28);
});

test('A delay stays in its range, and repeats with the same seed', async () => {
	const delays = async () => {
		service.reset();
		service.faults.add({ kind: 'delay', ms: [20, 40], match: { seed: 7 } });
		for (let index = 0; index < 4; index++) await send();
		return service.requests.map(({ arrivedAt, countedAt }) => countedAt! - arrivedAt);
	};
	const first = await delays();
	expect(Math.min(...first)).toBeGreaterThanOrEqual(18);
	expect(Math.max(...first)).toBeLessThanOrEqual(41);
	const again = await delays();
	for (const [index, delay] of again.entries())
		expect(Math.abs(delay - first[index]!)).toBeLessThanOrEqual(2);
});

const warning =
	'<br />\n<b>Warning</b>:  Undefined variable $tariff in <b>/var/www/app/Http/Kernel.php</b> on line <b>57</b><br />\n';
const warningInWords = 'Undefined variable $tariff in /var/www/app/Http/Kernel.php on line 57\n';

test("PHP's warning precedes the answer and turns it into a page, and the request takes effect", async () => {
	service.faults.add({ kind: 'php warning' });
	const answer = await send();
	expect(answer).toMatchObject({ status: 200, text: `${warning}{"success":true}` });
	expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8');
	expect(service.requests).toMatchObject([{ accepted: true, status: 200, faults: ['php warning'] }]);
	expect(service.deliveries()).toHaveLength(1);
});

test.each([
	[true, `\nWarning: ${warningInWords}`],
	['logged', `PHP Warning:  ${warningInWords}`],
] as const)("PHP's warning has no HTML when plain is %s", async (plain, text) => {
	service.faults.add({ kind: 'php warning', plain });
	expect(await send()).toMatchObject({ status: 200, text: `${text}{"success":true}` });
});

test.each(['before', 'after'] as const)(
	"PHP's warning %s the request takes effect precedes refusals too, and keeps their status",
	async (when) => {
		service.setLimits({ account: { requests: 3, windowMs: 60_000 } });
		service.faults.add({ kind: 'php warning', when });
		const invalid = await ask<Invalid>('sendMessage', { faulty: true });
		expect(invalid.status).toBe(422);
		expect(invalid.text.startsWith(`${warning}{"message":"The given data was invalid."`)).toBe(true);
		expect(invalid.headers.get('x-ratelimit-remaining')).toBe('2');
		expect(await send('Привет', 1)).toMatchObject({ status: 404 });
		expect(await send()).toMatchObject({ status: 200 });
		const refused = await send();
		expect(refused).toMatchObject({ status: 429, text: `${warning}{"message":"Too Many Attempts."}` });
		expect(refused.headers.has('retry-after')).toBe(true);
	},
);

test("PHP's warning precedes the answers of other faults, and does nothing when there is no answer", async () => {
	service.faults.add({ kind: 'server error', match: { nth: 1 } });
	service.faults.add({ kind: 'empty', match: { nth: 1 } });
	service.faults.add({ kind: 'reset', match: { text: 'три' } });
	service.faults.add({ kind: 'php warning' });
	expect(await send('раз')).toMatchObject({ status: 500, text: `${warning}{"message":"Server Error"}` });
	expect(await send('два')).toMatchObject({ status: 200, text: warning });
	await expect(send('три')).rejects.toThrow('fetch failed');
});

test("PHP's warning does not change an answer without a body", async () => {
	service.answers.sendMessage = 'no content';
	service.faults.add({ kind: 'php warning' });
	const answer = await send();
	expect(answer).toMatchObject({ status: 204, text: '' });
	expect(answer.headers.has('content-type')).toBe(false);
});

const kind = 'server error';

test('A fault applies to the requests of an operation, by name or path', async () => {
	service.faults.add({ kind, match: { path: 'sendMessage' } });
	await send();
	await other();
	service.faults.clear();
	service.faults.add({ kind, match: { path: '/api/v1/getBotTags' } });
	await send();
	await other();
	expect(statuses()).toEqual([500, 200, 200, 500]);
});

test('A fault applies to the requests to a recipient, in every form of address', async () => {
	service.faults.add({ kind, match: { recipient: contacts.vk } });
	service.faults.add({ kind, match: { recipient: '284119035' } });
	service.faults.add({ kind, match: { recipient: '79035550101' } });
	const bot_id = bots.school;
	await send('a', contacts.vk);
	await send('a', contacts.telegram);
	const body = { bot_id, messenger: 'telegram', contact_external_id: '284119035', text: 'a' };
	await ask('sendMessage', { body });
	await ask('sendMessageToWhatsApp', { body: { bot_id, phone: '79035550101', text: 'a' } });
	expect(statuses()).toEqual([500, 200, 500, 500]);
});

test('A fault applies to the requests with a text, or to those that a function selects', async () => {
	service.faults.add({ kind, match: { text: 'два' } });
	service.faults.add({ kind: 'forbidden', match: { where: ({ id }) => id === 3 } });
	for (const text of ['раз', 'два', 'три']) await send(text);
	expect(service.requests.map(({ faults }) => faults)).toEqual([[], [kind], ['forbidden']]);
});

test('A fault applies to the nth of its matching requests', async () => {
	service.faults.add({ kind, match: { path: 'sendMessage', nth: [2, 3] } });
	await other();
	for (let index = 0; index < 4; index++) await send();
	expect(statuses()).toEqual([200, 200, 500, 500, 200]);
});

test('A fault applies to the given number of requests, and to none after faults are cleared', async () => {
	service.faults.add({ kind, match: { times: 2 } });
	for (let index = 0; index < 3; index++) await send();
	service.faults.add({ kind });
	service.faults.clear();
	await send();
	expect(statuses()).toEqual([500, 500, 200, 200]);
});

test('When several faults can end a request, the one that was added first applies', async () => {
	service.faults.add({ kind: 'forbidden', match: { nth: 2 } });
	service.faults.add({ kind });
	service.faults.add({ kind: 'html' });
	await send();
	await send();
	expect(service.requests.map(({ faults }) => faults)).toEqual([[kind], ['forbidden']]);
});

test('A fault after the request has taken effect does not apply to a refused request', async () => {
	service.faults.add({ kind, when: 'after', match: { times: 1 } });
	await send('a', 1);
	await send('b');
	expect(service.requests).toMatchObject([
		{ status: 404, accepted: false, faults: [] },
		{ status: 500, accepted: true, faults: [kind] },
	]);
});
