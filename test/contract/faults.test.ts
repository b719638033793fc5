/** Every fault does what it says, to the requests it is meant for, and the recording says what took effect. */

import { SEEDED, loadContract, startService, type Fault, type Service } from '../../sandbox/service';
import { ask, until } from './client';

const { bots, contacts } = SEEDED;

let service: Service;
beforeAll(async () => {
	service = await startService();
});
afterEach(() => service.reset());
afterAll(async () => await service.stop());

const send = async (text = 'Привет', contact_id: number = contacts.telegram, signal?: AbortSignal) =>
	await ask(service, 'POST', 'sendMessage', { query: { contact_id, text }, faulty: true, signal });

const other = async () => await ask(service, 'GET', 'getBotTags', { query: { bot_id: bots.school } });

describe('a fault that answers', () => {
	/** The last one says whether the document describes such an answer to sendMessage. */
	const answers: Array<[string, Fault, number, string | RegExp, boolean]> = [
		['500', { kind: 'server error' }, 500, '{"message":"Server Error"}', true],
		['a 503 page', { kind: 'unavailable' }, 503, /<h1>503 Service Temporarily Unavailable</, true],
		['maintenance', { kind: 'maintenance' }, 503, '{"message":"Service Unavailable"}', true],
		['a page of it', { kind: 'maintenance', page: true }, 503, /<title>Service Unavailable<\/title>/, true],
		['429', { kind: 'too many' }, 429, '{"message":"Too Many Attempts."}', true],
		['a login page', { kind: 'html' }, 200, /Вход в личный кабинет/, false],
		['a 502 page', { kind: 'html', status: 502 }, 502, /502 Bad Gateway/, true],
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
		['a redirect', { kind: 'redirect', to: 'http://other.invalid/' }, 302, '', true],
		['anything', { kind: 'answer', status: 418, body: { a: 1 } }, 418, '{"a":1}', false],
		['any text', { kind: 'answer', status: 200, body: 'ok' }, 200, 'ok', false],
	];

	it.each(answers)(
		'%s: docs/openapi.yaml describes it or not',
		async (_title, fault, status, _text, described) => {
			service.faults.add(fault);
			const { headers, text } = await send();
			const { checkAnswer } = loadContract();
			const problems = checkAnswer('sendMessage', status, headers.get('content-type') ?? '', text);
			expect(problems.length === 0).toBe(described);
		},
	);

	describe.each([
		['before', false],
		['after', true],
	] as const)('%s the request takes effect', (when, accepted) => {
		it.each(answers)('answers with %s', async (_title, fault, status, text) => {
			service.faults.add({ ...fault, when });
			const answer = await send();
			expect(answer.status).toBe(status);
			expect(answer.text).toEqual(typeof text === 'string' ? text : expect.stringMatching(text));
			expect(service.requests).toMatchObject([{ accepted, status, faults: [fault.kind] }]);
			expect(service.deliveries()).toHaveLength(accepted ? 1 : 0);
		});
	});

	it('comes before the request takes effect where no moment is given, but for an empty and a malformed answer', async () => {
		for (const [, fault] of answers) {
			service.faults.clear();
			service.faults.add(fault);
			await send();
		}
		expect(service.requests.filter(({ accepted }) => accepted).map(({ faults }) => faults)).toEqual([
			['empty'],
			['malformed'],
		]);
	});

	it('says in Retry-After when to come back: in seconds, by date or not at all', async () => {
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
		expect(Math.abs(Date.parse(date ?? '') - Date.now() - 30_000)).toBeLessThan(3_000);
	});

	it.each([
		['a 503 page', { kind: 'unavailable' }],
		['a page of maintenance', { kind: 'maintenance', page: true }],
		["PHP's error", { kind: 'php error', plain: true }],
	] as const)('with %s says by its content type that it is a page', async (_title, fault) => {
		service.faults.add(fault);
		expect((await send()).headers.get('content-type')).toBe('text/html; charset=UTF-8');
	});

	it('with maintenance looks at neither token nor limits', async () => {
		service.setLimits({ account: { requests: 1, windowMs: 60_000 } });
		service.faults.add({ kind: 'maintenance', match: { times: 3 } });
		for (const token of ['wrong', service.token, service.token]) {
			const answer = await ask(service, 'GET', 'getListSchemas', { token });
			expect(answer.status).toBe(503);
			expect([...answer.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
		}
		expect(service.requests.map(({ countedAt }) => countedAt)).toEqual([undefined, undefined, undefined]);
		expect(await other()).toMatchObject({ status: 200 });
	});

	it('with a redirect leads where it is told', async () => {
		service.faults.add({ kind: 'redirect', to: 'http://other.invalid/login' });
		expect((await send()).headers.get('location')).toBe('http://other.invalid/login');
	});
});

describe('a fault that does not answer', () => {
	it('resets the connection before the request took effect', async () => {
		service.faults.add({ kind: 'reset' });
		await expect(send()).rejects.toMatchObject({
			cause: { code: expect.stringMatching(/ECONNRESET|UND_ERR_SOCKET/) },
		});
		expect(service.requests).toMatchObject([{ accepted: false, status: undefined, answeredAt: undefined }]);
		expect(service.deliveries()).toEqual([]);
	});

	it('resets the connection after the request took effect', async () => {
		service.faults.add({ kind: 'reset', when: 'after' });
		await expect(send()).rejects.toThrow('fetch failed');
		expect(service.requests).toMatchObject([{ accepted: true, status: undefined, answeredAt: undefined }]);
		expect(service.deliveries()).toHaveLength(1);
	});

	it('accepts the request and falls silent until the client gives up', async () => {
		service.faults.add({ kind: 'timeout' });
		const impatience = new AbortController();
		const asked = send('Привет', contacts.telegram, impatience.signal);
		await until(() => service.deliveries().length === 1);
		expect(service.inFlight.now).toBe(1);
		impatience.abort();
		await expect(asked).rejects.toThrow('aborted');
		await until(() => service.inFlight.now === 0);
		expect(service.requests).toMatchObject([{ accepted: true, status: undefined }]);
	});

	it('falls silent before the request takes effect, where that is asked for', async () => {
		service.faults.add({ kind: 'timeout', when: 'before' });
		await expect(send('Привет', contacts.telegram, AbortSignal.timeout(30))).rejects.toThrow('timeout');
		expect(service.requests).toMatchObject([{ accepted: false }]);
	});

	it('and one that delays are cut off by a reset of the service', async () => {
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
});

describe('a delay', () => {
	it.each([
		['before', 0],
		['after', 1],
	] as const)('%s the request is accepted waits at that moment', async (when, delivered) => {
		service.faults.add({ kind: 'delay', ms: 500, when });
		const asked = send();
		await until(() => service.requests[0]?.faults.length === 1);
		expect(service.deliveries()).toHaveLength(delivered);
		expect(await asked).toMatchObject({ status: 200 });
		const [request] = service.requests;
		expect((request?.answeredAt ?? 0) - (request?.arrivedAt ?? 0)).toBeGreaterThanOrEqual(498);
	});

	it('after the request is accepted delays refusals too', async () => {
		service.faults.add({ kind: 'delay', ms: 40, when: 'after' });
		expect(await send('Привет', 1)).toMatchObject({ status: 404 });
		const [request] = service.requests;
		expect((request?.answeredAt ?? 0) - (request?.arrivedAt ?? 0)).toBeGreaterThanOrEqual(38);
	});

	it('stays in its range and repeats with the same seed', async () => {
		const delays = async (seed: number) => {
			service.reset();
			service.faults.add({ kind: 'delay', ms: [20, 40], match: { seed } });
			for (let index = 0; index < 4; index++) await send();
			return service.requests.map(({ arrivedAt, countedAt }) => Math.round((countedAt ?? 0) - arrivedAt));
		};
		const first = await delays(7);
		for (const delay of first) expect(delay).toBeGreaterThanOrEqual(18);
		for (const delay of first) expect(delay).toBeLessThanOrEqual(41);
		const again = await delays(7);
		for (const [index, delay] of again.entries())
			expect(Math.abs(delay - (first[index] ?? 0))).toBeLessThanOrEqual(2);
	});

	it('passes before the fault that ends the request', async () => {
		service.faults.add({ kind: 'server error' });
		service.faults.add({ kind: 'delay', ms: 30 });
		expect(await send()).toMatchObject({ status: 500 });
		const [request] = service.requests;
		expect((request?.answeredAt ?? 0) - (request?.arrivedAt ?? 0)).toBeGreaterThanOrEqual(28);
	});
});

describe("PHP's warning", () => {
	const printed =
		'<br />\n<b>Warning</b>:  Undefined variable $tariff in <b>/var/www/app/Http/Kernel.php</b> on line <b>57</b><br />\n';
	const inWords = 'Undefined variable $tariff in /var/www/app/Http/Kernel.php on line 57\n';

	it('gets ahead of the answer and makes a page of it, and the request takes effect', async () => {
		service.faults.add({ kind: 'php warning' });
		const answer = await send();
		expect(answer).toMatchObject({ status: 200, text: `${printed}{"success":true}` });
		expect(answer.headers.get('content-type')).toBe('text/html; charset=UTF-8');
		expect(service.requests).toMatchObject([{ accepted: true, status: 200, faults: ['php warning'] }]);
		expect(service.deliveries()).toHaveLength(1);
	});

	it.each([
		[true, `\nWarning: ${inWords}`],
		['logged', `PHP Warning:  ${inWords}`],
	] as const)('comes without HTML where plain is %s', async (plain, text) => {
		service.faults.add({ kind: 'php warning', plain });
		expect(await send()).toMatchObject({ status: 200, text: `${text}{"success":true}` });
	});

	it.each(['before', 'after'] as const)(
		'%s the request takes effect gets ahead of refusals too, with their status',
		async (when) => {
			service.setLimits({ account: { requests: 3, windowMs: 60_000 } });
			service.faults.add({ kind: 'php warning', when });
			const invalid = await ask<unknown>(service, 'POST', 'sendMessage', { faulty: true });
			expect(invalid.status).toBe(422);
			expect(invalid.text.startsWith(`${printed}{"message":"The given data was invalid."`)).toBe(true);
			expect(invalid.headers.get('x-ratelimit-remaining')).toBe('2');
			expect(await send('Привет', 1)).toMatchObject({ status: 404 });
			expect(await send()).toMatchObject({ status: 200 });
			const refused = await send();
			expect(refused).toMatchObject({ status: 429, text: `${printed}{"message":"Too Many Attempts."}` });
			expect(refused.headers.has('retry-after')).toBe(true);
		},
	);

	it('gets ahead of what other faults answer, and of nothing where there is no answer', async () => {
		service.faults.add({ kind: 'server error', match: { nth: 1 } });
		service.faults.add({ kind: 'empty', match: { nth: 1 } });
		service.faults.add({ kind: 'reset', match: { text: 'три' } });
		service.faults.add({ kind: 'php warning' });
		expect(await send('раз')).toMatchObject({ status: 500, text: `${printed}{"message":"Server Error"}` });
		expect(await send('два')).toMatchObject({ status: 200, text: printed });
		await expect(send('три')).rejects.toThrow('fetch failed');
	});

	it('leaves an answer without a body alone', async () => {
		service.answers.sendMessage = 'no content';
		service.faults.add({ kind: 'php warning' });
		const answer = await send();
		expect(answer).toMatchObject({ status: 204, text: '' });
		expect(answer.headers.has('content-type')).toBe(false);
	});
});

describe('a fault hits', () => {
	const kind = 'server error' as const;
	const statuses = () => service.requests.map(({ status }) => status);

	it('the requests of an operation, by name or path', async () => {
		service.faults.add({ kind, match: { path: 'sendMessage' } });
		await send();
		await other();
		service.faults.clear();
		service.faults.add({ kind, match: { path: '/api/v1/getBotTags' } });
		await send();
		await other();
		expect(statuses()).toEqual([500, 200, 200, 500]);
	});

	it('the requests to a recipient, however it is named', async () => {
		service.faults.add({ kind, match: { recipient: contacts.vk } });
		service.faults.add({ kind, match: { recipient: '284119035' } });
		service.faults.add({ kind, match: { recipient: '79035550101' } });
		await send('a', contacts.vk);
		await send('a', contacts.telegram);
		const external = {
			bot_id: bots.school,
			messenger: 'telegram',
			contact_external_id: '284119035',
			text: 'a',
		};
		await ask(service, 'POST', 'sendMessage', { body: external });
		const body = { bot_id: bots.school, phone: '79035550101', text: 'a' };
		await ask(service, 'POST', 'sendMessageToWhatsApp', { body });
		expect(statuses()).toEqual([500, 200, 500, 500]);
	});

	it('the requests with a text, or those that a function picks', async () => {
		service.faults.add({ kind, match: { text: 'два' } });
		service.faults.add({ kind: 'forbidden', match: { where: ({ id }) => id === 3 } });
		for (const text of ['раз', 'два', 'три']) await send(text);
		expect(service.requests.map(({ faults }) => faults)).toEqual([[], [kind], ['forbidden']]);
	});

	it('the nth of the requests it is about', async () => {
		service.faults.add({ kind, match: { path: 'sendMessage', nth: [2, 3] } });
		await other();
		for (let index = 0; index < 4; index++) await send();
		expect(statuses()).toEqual([200, 200, 500, 500, 200]);
	});

	it('as many requests as it is told', async () => {
		service.faults.add({ kind, match: { times: 2 } });
		for (let index = 0; index < 4; index++) await send();
		expect(statuses()).toEqual([500, 500, 200, 200]);
	});

	it('before the faults that were added later, where several end a request', async () => {
		service.faults.add({ kind: 'forbidden', match: { nth: 2 } });
		service.faults.add({ kind });
		service.faults.add({ kind: 'html' });
		await send();
		await send();
		expect(service.requests.map(({ faults }) => faults)).toEqual([[kind], ['forbidden']]);
	});

	it('only requests that were accepted, when it comes after the effect', async () => {
		service.faults.add({ kind, when: 'after', match: { times: 1 } });
		await send('a', 1);
		await send('b');
		expect(service.requests).toMatchObject([
			{ status: 404, accepted: false, faults: [] },
			{ status: 500, accepted: true, faults: [kind] },
		]);
	});

	it('the same requests again with the same seed and probability', async () => {
		const hits = async (seed: number) => {
			service.reset();
			service.faults.add({ kind, match: { probability: 0.2, seed } });
			for (let index = 0; index < 30; index++) await send();
			return statuses().join();
		};
		const first = await hits(3);
		const struck = first.split(',').filter((status) => status === '500').length;
		expect(struck).toBeGreaterThan(0);
		expect(struck).toBeLessThan(15);
		expect(await hits(3)).toBe(first);
		expect(await hits(4)).not.toBe(first);
	});

	it('no request any more once faults are cleared', async () => {
		service.faults.add({ kind });
		service.faults.clear();
		expect(await send()).toMatchObject({ status: 200 });
	});
});
