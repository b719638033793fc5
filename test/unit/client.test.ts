import type { IHttpRequestOptions } from 'n8n-workflow';

import type { Account } from '../../nodes/ChatbotService/client/account';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import { Client, type Caller, type ServiceRequest } from '../../nodes/ChatbotService/client/client';
import { invalidAddress, tooManyRequests, type Failure } from '../../nodes/ChatbotService/client/failure';
import { accountLimits, type Limits } from '../../nodes/ChatbotService/client/limits';
import type { Turn } from '../../nodes/ChatbotService/client/turn';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';

/* From a request to its answer, in virtual time, against a service that answers what the test says. */

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => jest.useRealTimers());

/** What the service does with a request: its answer, the error that keeps it away, or what it takes to get one. */
type Reaction = ServiceAnswer | Error | ((options: IHttpRequestOptions) => Promise<ServiceAnswer>);

const answer = (statusCode: number, body: unknown, headers: Record<string, unknown> = {}): ServiceAnswer => ({
	statusCode,
	headers: { 'content-type': 'application/json', ...headers },
	body,
});
const ok = answer(200, { success: true });
const limited = (seconds: number) =>
	answer(429, { message: 'Too Many Attempts.' }, { 'retry-after': seconds });
const broken = answer(500, { message: 'Server Error' });
const lost = (code: string) => Object.assign(new Error(`connect ${code}`), { code });
const pageOf = (current: number, last: number, ...names: string[]) =>
	answer(200, { data: names, meta: { current_page: current, last_page: last } });

let accounts = 0;

/** An account of its own for each test: its turns last as long as the process. */
function accountOf(changes: Partial<Account> = {}): Account {
	const token = `токен-${++accounts}`;
	const baseUrl = 'https://client.example.com/api/v1';
	return {
		key: `${baseUrl} ${token}`,
		token,
		tokenLength: 0,
		baseUrl,
		hasAddress: true,
		limits: {},
		workers: 1,
		bursts: false,
		...changes,
	};
}

interface Sent {
	at: number;
	options: IHttpRequestOptions;
}

/** A client of a service that reacts to one request after the other, and to all others as to the last. */
function clientOf(reactions: Reaction[], account = accountOf()) {
	const sent: Sent[] = [];
	const began = performance.now();
	const client = new Client(account, async (options) => {
		sent.push({ at: performance.now() - began, options: structuredClone(options) });
		const reaction = reactions[Math.min(sent.length, reactions.length) - 1]!;
		if (reaction instanceof Error) throw reaction;
		return typeof reaction === 'function' ? await reaction(options) : reaction;
	});
	return { client, sent, account, times: () => sent.map(({ at }) => Math.round(at)) };
}

function callerOf() {
	const stop = new AbortController();
	const refused = jest.fn<void, [number]>();
	const gaveUp = jest.fn<void, []>();
	return { stop, refused, gaveUp, caller: { signal: stop.signal, refused, gaveUp } satisfies Caller };
}

const requestOf = (changes: Partial<ServiceRequest> = {}): ServiceRequest => ({
	method: 'POST',
	url: '/sendMessage',
	parameters: [{ name: 'contact_id', place: 'query', value: 5 }],
	longInBody: false,
	answer: 'done',
	labels: {
		all: new Map([['contact_id', 'Contact ID']]),
		sought: [{ label: 'Contact ID', thing: 'contact with this ID' }],
	},
	repeatable: false,
	limits: {},
	advice: { unknown: 'The message may have been sent.', assumedLimits: 'Name the messenger.' },
	...changes,
});
const harmless = requestOf({ repeatable: true, advice: { unknown: 'The tag may have been attached.' } });
const many = requestOf({
	method: 'GET',
	url: '/getBotTags',
	answer: 'many',
	repeatable: true,
	advice: {},
});

/** What a promise comes to once all the time it takes has passed. */
async function inTime<T>(promise: Promise<T>, most = 600_000): Promise<T> {
	const settled = { is: false };
	const watched = promise.finally(() => (settled.is = true));
	watched.catch(() => {});
	const until = performance.now() + most;
	while (!settled.is && performance.now() < until) await jest.advanceTimersByTimeAsync(100);
	if (!settled.is) throw new Error(`it takes longer than ${most} ms`);
	return await watched;
}

/** Whether a promise is settled though no time passes. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	let settled = false;
	void promise.finally(() => (settled = true)).catch(() => {});
	for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
	return settled;
}

function failureIn(outcome: Awaited<ReturnType<Client['ask']>>): Failure {
	if (outcome === 'notSent' || !('failure' in outcome))
		throw new Error(`it came to ${JSON.stringify(outcome)}`);
	return outcome.failure;
}

describe('a request', () => {
	test('is sent as the interface has it, and is left to nobody else to judge', async () => {
		const { client, sent } = clientOf([ok]);
		const outcome = await inTime(client.ask(callerOf().caller, requestOf()));
		expect(outcome).toEqual({ rows: [{ success: true }] });
		expect(sent.map(({ options }) => options)).toStrictEqual([
			{
				method: 'POST',
				baseURL: 'https://client.example.com/api/v1',
				url: '/sendMessage',
				qs: { contact_id: 5 },
				body: {},
				headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
				disableFollowRedirect: true,
				ignoreHttpStatusErrors: true,
				returnFullResponse: true,
			},
		]);
	});

	test('has each parameter where it belongs', async () => {
		const { client, sent } = clientOf([ok]);
		const parameters = [
			{ name: 'schema_id', place: 'body' as const, value: '5dee' },
			{ name: 'field.slug', place: 'body' as const, value: 'city' },
			{ name: 'page_size', place: 'query' as const, value: 10 },
		];
		await inTime(client.ask(callerOf().caller, requestOf({ parameters })));
		expect(sent[0]!.options).toMatchObject({
			qs: { page_size: 10 },
			body: { schema_id: '5dee', field: { slug: 'city' } },
		});
	});

	test('is sent as the user wants it, in every attempt, and otherwise as ever', async () => {
		const sending = {
			timeout: 5000,
			skipSslCertificateValidation: true,
			proxy: { host: 'proxy.example.com', port: 3128, protocol: 'http' },
		};
		const { client, sent } = clientOf([broken, ok]);
		await inTime(client.ask(callerOf().caller, { ...harmless, sending }));
		const usual = clientOf([ok]);
		await inTime(usual.client.ask(callerOf().caller, harmless));
		expect(sent).toHaveLength(2);
		for (const { options } of sent) {
			expect(options).toStrictEqual({ ...usual.sent[0]!.options, ...sending });
		}
	});

	test('is sent as we want it, whatever the user wants', async () => {
		const sending = { timeout: 5000, url: '/other', headers: { Accept: 'text/html' }, method: 'GET' };
		const { client, sent } = clientOf([ok]);
		await inTime(client.ask(callerOf().caller, requestOf({ sending })));
		expect(sent[0]!.options).toMatchObject({
			url: '/sendMessage',
			method: 'POST',
			headers: { Accept: 'application/json' },
		});
	});

	describe('that gets long', () => {
		const text = 'a'.repeat(3900);
		const long = requestOf({
			parameters: [{ name: 'text', place: 'query', value: text }],
			longInBody: true,
		});
		const placeOf = async (request: ServiceRequest, changes: Partial<Account> = {}) => {
			const { client, sent } = clientOf([ok], accountOf(changes));
			await inTime(client.ask(callerOf().caller, request));
			const { qs, body } = sent[0]!.options;
			return [qs, body];
		};
		const inQuery = [{ text }, {}];
		const inBody = [{}, { text }];

		test('goes into the query as long as it fits', async () => {
			expect(await placeOf(long)).toEqual(inQuery);
		});

		test('goes into the body with the token that comes to it', async () => {
			// 19 of the path, 3,900 of the text, and 6 of its name with what goes between them.
			expect(await placeOf(long, { tokenLength: 75 })).toEqual(inQuery);
			expect(await placeOf(long, { tokenLength: 76 })).toEqual(inBody);
		});

		test('counts the whole path', async () => {
			const baseUrl = `https://client.example.com/${'b'.repeat(76)}/api/v1`;
			expect(await placeOf(long, { baseUrl })).toEqual(inBody);
		});

		test('stays in the query where the interface knows no body', async () => {
			expect(await placeOf({ ...long, longInBody: false }, { tokenLength: 500 })).toEqual(inQuery);
		});
	});

	test('has its answer read as what it was asked for', async () => {
		const { client } = clientOf([answer(200, { data: { id: 5, links: {} } })]);
		const ask = async (shape: ServiceRequest['answer']) =>
			await inTime(client.ask(callerOf().caller, requestOf({ answer: shape })));
		expect(await ask('one')).toEqual({ rows: [{ id: 5 }] });
		expect(await ask('done')).toEqual({ rows: [{ data: { id: 5, links: {} } }] });
		expect(await ask('deleted')).toEqual({ rows: [{ deleted: true }] });
	});

	test('that is refused is told with the labels of the editor', async () => {
		const { client } = clientOf([answer(422, { errors: { contact_id: ['Нет контакта.'] } })]);
		const refused = failureIn(await inTime(client.ask(callerOf().caller, requestOf())));
		expect(refused.message).toBe("The service refused the value of 'Contact ID'");
		const missing = clientOf([answer(404, {})]).client;
		const notFound = failureIn(await inTime(missing.ask(callerOf().caller, requestOf())));
		expect(notFound.message).toBe('No contact with this ID in this account');
		expect(notFound.description).toMatch(/^Check 'Contact ID'\. /);
	});

	test('of an account without an address is not sent', async () => {
		const account = accountOf({ baseUrl: 'https:///api/v1', hasAddress: false });
		const { client, sent } = clientOf([ok], account);
		expect(client.unusable).toEqual(invalidAddress());
		expect(await inTime(client.ask(callerOf().caller, requestOf()))).toEqual({ failure: invalidAddress() });
		expect(await inTime(client.askPage(callerOf().caller, many, 1))).toEqual({ failure: invalidAddress() });
		expect(sent).toEqual([]);
		expect(clientOf([ok]).client.unusable).toBeUndefined();
	});
});

describe('pages', () => {
	const rows = (...names: string[]) => ({ rows: names.map((name) => ({ name })) });

	test('are asked for one after the other, until the last', async () => {
		const { client, sent } = clientOf([pageOf(1, 3, 'а', 'б'), pageOf(2, 3, 'в'), pageOf(3, 3, 'г')]);
		expect(await inTime(client.ask(callerOf().caller, many))).toEqual(rows('а', 'б', 'в', 'г'));
		expect(sent.map(({ options }) => options.qs)).toStrictEqual([
			{ contact_id: 5 },
			{ contact_id: 5, page: 2 },
			{ contact_id: 5, page: 3 },
		]);
	});

	test('are no more than are wanted', async () => {
		const pages = [pageOf(1, 3, 'а', 'б'), pageOf(2, 3, 'в', 'г'), pageOf(3, 3, 'д')];
		const upTo = async (most: number) => {
			const { client, sent } = clientOf(pages);
			const outcome = await inTime(client.ask(callerOf().caller, many, most));
			return [sent.length, outcome];
		};
		expect(await upTo(1)).toEqual([1, rows('а')]);
		expect(await upTo(2)).toEqual([1, rows('а', 'б')]);
		expect(await upTo(3)).toEqual([2, rows('а', 'б', 'в')]);
		expect(await upTo(4)).toEqual([2, rows('а', 'б', 'в', 'г')]);
		expect(await upTo(5)).toEqual([3, rows('а', 'б', 'в', 'г', 'д')]);
		expect(await upTo(50)).toEqual([3, rows('а', 'б', 'в', 'г', 'д')]);
	});

	test.each<[string, ServiceAnswer]>([
		['says nothing of pages', answer(200, { data: ['а'] })],
		['is the only one', pageOf(1, 1, 'а')],
		['is beyond the last', pageOf(3, 2, 'а')],
	])('end with one that %s', async (_, page) => {
		const { client, sent } = clientOf([page]);
		expect(await inTime(client.ask(callerOf().caller, many))).toEqual(rows('а'));
		expect(sent).toHaveLength(1);
	});

	test('end with an empty one, whatever it says of others', async () => {
		const { client, sent } = clientOf([pageOf(1, 9, 'а'), pageOf(2, 9), pageOf(3, 9, 'б')]);
		expect(await inTime(client.ask(callerOf().caller, many))).toEqual(rows('а'));
		expect(sent).toHaveLength(2);
	});

	test('of which one fails come to its failure', async () => {
		const { client, sent } = clientOf([pageOf(1, 3, 'а'), answer(403, { message: 'Forbidden' })]);
		const failure = failureIn(await inTime(client.ask(callerOf().caller, many)));
		expect(failure.message).toBe('The service refused access');
		expect(sent).toHaveLength(2);
	});

	test('are repeated each by itself, as often as the first', async () => {
		const { client, sent } = clientOf([
			broken,
			broken,
			pageOf(1, 2, 'а'),
			broken,
			lost('ECONNRESET'),
			pageOf(2, 2, 'б'),
		]);
		expect(await inTime(client.ask(callerOf().caller, many))).toEqual(rows('а', 'б'));
		expect(sent.map(({ options }) => options.qs!.page)).toEqual([undefined, undefined, undefined, 2, 2, 2]);
	});

	test('are not asked for any more when nothing is to leave', async () => {
		const { caller, stop } = callerOf();
		const { client, sent } = clientOf([
			async () => {
				stop.abort();
				return pageOf(1, 2, 'а');
			},
		]);
		expect(await inTime(client.ask(caller, many))).toBe('notSent');
		expect(sent).toHaveLength(1);
	});

	test('can be asked for one at a time, with word of what there is', async () => {
		const { client, sent } = clientOf([pageOf(2, 7, 'а', 'б')]);
		expect(await inTime(client.askPage(callerOf().caller, many, 2))).toEqual({
			...rows('а', 'б'),
			page: { current: 2, last: 7 },
		});
		expect(sent.map(({ options }) => options.qs!.page)).toEqual([2]);
	});
});

describe('a request is sent again', () => {
	test.each<[string, Reaction]>([
		['the service fails', broken],
		['a proxy answers for it', answer(502, '<html>Bad Gateway</html>')],
		['the connection breaks off', lost('ECONNRESET')],
		['the answer does not come in time', lost('ETIMEDOUT')],
		['the answer cannot be read', answer(200, '{"succ')],
	])('where that does no harm, when %s', async (_, reaction) => {
		const { client, times } = clientOf([reaction, reaction, ok]);
		const outcome = await inTime(client.ask(callerOf().caller, harmless));
		expect(outcome).toEqual({ rows: [{ success: true }] });
		expect(times()).toEqual([0, 1000, 3000]);
	});

	test('when there was no connection, whatever it asks for', async () => {
		const { client, times } = clientOf([lost('ECONNREFUSED'), lost('ENOTFOUND'), ok]);
		const outcome = await inTime(client.ask(callerOf().caller, requestOf()));
		expect(outcome).toEqual({ rows: [{ success: true }] });
		expect(times()).toEqual([0, 1000, 3000]);
	});

	test('no more than three times in all, and then it is told as it is', async () => {
		const { client, sent } = clientOf([broken]);
		const failure = failureIn(await inTime(client.ask(callerOf().caller, harmless)));
		expect(sent).toHaveLength(3);
		expect(failure).toMatchObject({
			message: 'The service failed to process the request (HTTP 500)',
			outcome: 'unknown',
		});
		expect(failure.description).toBe('The tag may have been attached. The service says: "Server Error".');
	});

	test.each<[string, Reaction]>([
		['the service fails', broken],
		['a proxy answers for it', answer(502, '<html>Bad Gateway</html>')],
		['a page comes instead of an answer', answer(200, '<html>Вход</html>')],
		['the answer cannot be read', answer(200, '{"succ')],
		['the connection breaks off', lost('ECONNRESET')],
		['the answer does not come in time', lost('ECONNABORTED')],
		['nobody knows what happened', new Error('socket hang up')],
	])(
		'never where it may be done already and doing it twice is not the same, when %s',
		async (_, reaction) => {
			const { client, sent } = clientOf([reaction, ok]);
			const failure = failureIn(await inTime(client.ask(callerOf().caller, requestOf())));
			expect(sent).toHaveLength(1);
			expect(failure.outcome).toBe('unknown');
			expect(failure.description).toMatch(/^The message may have been sent\./);
		},
	);

	test('and what cannot be read in the end has changed nothing', async () => {
		const { client, sent } = clientOf([broken]);
		const failure = failureIn(await inTime(client.ask(callerOf().caller, many)));
		expect(sent).toHaveLength(3);
		expect(failure.description).toBe(
			'Nothing was changed. Try again later. The service says: "Server Error".',
		);
	});

	test.each<[string, Reaction]>([
		['the token is refused', answer(401, { message: 'Unauthenticated.' })],
		['the values are refused', answer(422, { errors: { contact_id: ['Нет контакта.'] } })],
		['there is nothing', answer(404, {})],
		['it is sent elsewhere', answer(302, '', { location: '/login' })],
		['the certificate is not trusted', lost('CERT_HAS_EXPIRED')],
	])('never where the answer would be the same, when %s', async (_, reaction) => {
		const { client, sent } = clientOf([reaction, ok]);
		const failure = failureIn(await inTime(client.ask(callerOf().caller, harmless)));
		expect(sent).toHaveLength(1);
		expect(failure.outcome).toBe('notDone');
		expect(failure.description).not.toMatch(/may have been/);
	});

	test('when the service says how long to wait, after that and the second that it may have cut off', async () => {
		const busy = answer(503, '', { 'retry-after': '7' });
		const { client, times } = clientOf([busy, busy, ok]);
		await inTime(client.ask(callerOf().caller, harmless));
		expect(times()).toEqual([0, 8000, 16_000]);
	});

	test('never when it asks for more than anybody waits', async () => {
		const { client, sent } = clientOf([answer(503, '', { 'retry-after': '121' }), ok]);
		expect(failureIn(await inTime(client.ask(callerOf().caller, harmless))).status).toBe(503);
		expect(sent).toHaveLength(1);
	});

	test('with clean options, whatever the credential or n8n did to the ones before', async () => {
		const seen: unknown[] = [];
		const spoil = async (options: IHttpRequestOptions) => {
			seen.push(structuredClone(options));
			Object.assign(options.qs!, { api_token: 'секрет' });
			Object.assign(options.headers!, { Authorization: 'секрет' });
			Object.assign(options.body as object, { api_token: 'секрет' });
			delete options.method;
			return seen.length % 3 ? broken : ok;
		};
		const { client } = clientOf([spoil]);
		for (let time = 0; time < 2; time++) await inTime(client.ask(callerOf().caller, harmless));
		expect(seen).toHaveLength(6);
		for (const options of seen) expect(options).toStrictEqual(seen[0]);
		expect(JSON.stringify(seen)).not.toContain('секрет');
	});

	test('and an answer that throws at whoever reads it is one that cannot be read', async () => {
		const { client } = clientOf([async () => undefined as never]);
		const failure = failureIn(await inTime(client.ask(callerOf().caller, requestOf())));
		expect(failure).toMatchObject({ outcome: 'unknown', repeat: 'ifHarmless' });
	});
});

describe('at a limit of the service', () => {
	test('a request waits for what the service asks and a second more, and is sent again whatever it asks for', async () => {
		const { client, times } = clientOf([limited(7), limited(2), ok]);
		const { caller, refused } = callerOf();
		expect(await inTime(client.ask(caller, requestOf()))).toEqual({ rows: [{ success: true }] });
		expect(times()).toEqual([0, 8000, 11_000]);
		expect(refused.mock.calls).toEqual([[8000], [3000]]);
	});

	test('all others of the account wait with it', async () => {
		const account = accountOf();
		const { client, times } = clientOf([limited(7), ok], account);
		const first = client.ask(callerOf().caller, requestOf());
		await jest.advanceTimersByTimeAsync(100);
		const other = clientOf([ok], account);
		const second = other.client.ask(callerOf().caller, requestOf());
		const { caller, refused } = callerOf();
		const stranger = clientOf([ok]);
		await inTime(stranger.client.ask(caller, requestOf()));
		await Promise.all([inTime(first), inTime(second)]);
		expect(times()).toEqual([0, 8000]);
		expect(other.times()[0]).toBeGreaterThanOrEqual(7900);
		expect(stranger.times()[0]).toBeLessThan(200);
		expect(refused).not.toHaveBeenCalled();
	});

	test('it goes by the limits of the account and of the request', async () => {
		const account = accountOf({ limits: { account: { count: 2, windowMs: 1000 } } });
		const { client, times } = clientOf([ok], account);
		const { caller } = callerOf();
		const slow = { number: { count: 1, windowMs: 10_000 } };
		await inTime(
			Promise.all([
				client.ask(caller, requestOf({ limits: slow })),
				client.ask(caller, requestOf({ limits: slow })),
				client.ask(caller, requestOf()),
				client.ask(caller, requestOf()),
			]),
		);
		const [first, second, third, fourth] = times() as [number, number, number, number];
		expect([first, second]).toEqual([0, 0]);
		expect(third).toBeGreaterThanOrEqual(1000);
		expect(third).toBeLessThan(2000);
		expect(fourth).toBeGreaterThanOrEqual(10_000);
	});

	test('what is only assumed does not count where the account has no limit', async () => {
		const assumed = { viber: { count: 1, windowMs: 10_000, assumed: true as const } };
		const { client, times } = clientOf([ok]);
		const { caller } = callerOf();
		const ask = () => client.ask(caller, requestOf({ limits: assumed }));
		await inTime(Promise.all([ask(), ask(), ask()]));
		expect(times()).toEqual([0, 0, 0]);
	});

	test('it is shared among as many processes as the credential says', async () => {
		const account = accountOf({ limits: { account: { count: 2, windowMs: 1000 } }, workers: 2 });
		const { client, times } = clientOf([ok], account);
		const { caller } = callerOf();
		await inTime(Promise.all([client.ask(caller, requestOf()), client.ask(caller, requestOf())]));
		expect(times()[1]! - times()[0]!).toBeGreaterThanOrEqual(1000);
	});

	test('a request is given up after twenty attempts, and that is told without a wait', async () => {
		const { client, sent } = clientOf([limited(1)]);
		const { caller, refused } = callerOf();
		const failure = failureIn(await inTime(client.ask(caller, requestOf())));
		expect(failure).toEqual(tooManyRequests(429, 1000, 'Too Many Attempts.'));
		expect(sent).toHaveLength(20);
		expect(refused.mock.calls.map(([waitMs]) => waitMs)).toEqual([
			2000,
			2000,
			4000,
			...Array.from({ length: 16 }, () => 5000),
			0,
		]);
	});

	test('its waits grow where the service asks for none that is long enough', async () => {
		const { client, times } = clientOf([...Array.from({ length: 5 }, () => limited(0)), ok]);
		const { caller, refused } = callerOf();
		expect(await inTime(client.ask(caller, requestOf()))).toEqual({ rows: [{ success: true }] });
		expect(refused.mock.calls.flat()).toEqual([1000, 2000, 4000, 5000, 5000]);
		expect(times()).toEqual([0, 1000, 3000, 7000, 12_000, 17_000]);
	});

	test('a minute is outlasted without any wait asked for, or any limit in the credential', async () => {
		let [endsAt, left] = [-Infinity, 0];
		const byTheMinute = async () => {
			if (performance.now() >= endsAt) [endsAt, left] = [performance.now() + 60_000, 8];
			return left-- > 0 ? ok : limited(0);
		};
		const { client, sent } = clientOf([byTheMinute]);
		const { caller } = callerOf();
		const outcomes = await inTime(
			Promise.all(Array.from({ length: 10 }, () => client.ask(caller, requestOf()))),
		);
		expect(outcomes).toEqual(Array.from({ length: 10 }, () => ({ rows: [{ success: true }] })));
		// Two of them, every five seconds of a minute.
		expect(sent.length).toBeLessThan(10 + 2 * 15);
	});

	test('what its answers say of the count reaches the pace', async () => {
		const left = async (bursts: boolean, headers: boolean) => {
			const account = accountOf({ limits: accountLimits(2), bursts });
			let remaining = 120;
			const counted = async () =>
				answer(
					200,
					{},
					headers ? { 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': String(--remaining) } : {},
				);
			const { client, sent } = clientOf([counted], account);
			const { caller } = callerOf();
			for (let item = 0; item < 50; item++) void client.ask(caller, requestOf());
			await jest.advanceTimersByTimeAsync(3000);
			client.leave(caller);
			return sent.length;
		};
		expect(await left(true, true)).toBe(50);
		expect(await left(true, false)).toBeLessThan(9);
		expect(await left(false, true)).toBeLessThan(9);
	});

	test('what a refusal says of the count reaches the pace too', async () => {
		const account = accountOf({ limits: accountLimits(2) });
		const refusedByTelegram = answer(
			429,
			{ message: 'Too Many Attempts.' },
			{ 'retry-after': '1', 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0' },
		);
		const { client, times } = clientOf([refusedByTelegram, ok], account);
		const { caller } = callerOf();
		const message = client.ask(caller, requestOf({ limits: messageLimits('telegram') }));
		await jest.advanceTimersByTimeAsync(10);
		const other = client.ask(caller, requestOf());
		await inTime(Promise.all([message, other]));
		// The messenger's window has ten seconds; everything else goes on.
		expect(times()[1]).toBeLessThan(1100);
		expect(times()[2]).toBeGreaterThanOrEqual(10_000);
	});

	test('a request is given up when all its waits together get too long', async () => {
		const { client, times } = clientOf([limited(60)]);
		expect(failureIn(await inTime(client.ask(callerOf().caller, requestOf()))).repeat).toBe('afterLimit');
		expect(times()).toEqual([0, 61_000, 122_000, 183_000, 244_000, 305_000]);
	});

	test('a request that is sent again goes before all else of its run', async () => {
		const account = accountOf({ limits: { account: { count: 1, windowMs: 1000 } } });
		const { client, sent } = clientOf([limited(7), ok], account);
		const { caller } = callerOf();
		const ask = async (id: number) =>
			await client.ask(
				caller,
				requestOf({ parameters: [{ name: 'contact_id', place: 'query', value: id }] }),
			);
		await inTime(Promise.all([ask(1), ask(2), ask(3)]));
		expect(sent.map(({ options }) => options.qs!.contact_id)).toEqual([1, 1, 2, 3]);
	});

	test('a request is given up at once where it would take longer than anybody waits', async () => {
		const { client, sent } = clientOf([limited(121)]);
		const { caller, refused } = callerOf();
		expect(failureIn(await inTime(client.ask(caller, requestOf())))).toMatchObject({ repeat: 'afterLimit' });
		expect(sent).toHaveLength(1);
		expect(refused.mock.calls).toEqual([[0]]);
	});

	test('a refusal now says nothing of the attempts before', async () => {
		const { client } = clientOf([lost('ECONNRESET'), limited(121)]);
		const failure = failureIn(await inTime(client.ask(callerOf().caller, harmless)));
		expect(failure).toMatchObject({
			message: "The service's limit of requests was reached",
			outcome: 'unknown',
		});
		expect(failure.description).toMatch(/^The tag may have been attached\. /);
	});

	describe('a refusal that is told says first', () => {
		const description = async (limits: Limits, reactions: Reaction[]) => {
			const { client } = clientOf(reactions, accountOf({ limits: accountLimits(2) }));
			return failureIn(await inTime(client.ask(callerOf().caller, requestOf({ limits })))).description;
		};

		test('which limit was only assumed, where one was', async () => {
			expect(await description(messageLimits(undefined), [limited(121)])).toMatch(
				/^Name the messenger\. Something else may use this account too\./,
			);
		});

		test.each<[string, Limits]>([
			['a messenger that is known', messageLimits('telegram')],
			['one without a limit', messageLimits('vk')],
			['a WhatsApp number', whatsAppNumberLimits],
			['nothing but the account', {}],
		])('what else may use the account, where all limits are known: %s', async (_, limits) => {
			expect(await description(limits, [limited(121)])).toMatch(/^Something else may use this account too\./);
		});

		test('that it may be done, where an attempt before may have done it', async () => {
			const { client } = clientOf([lost('ECONNRESET'), limited(121)]);
			const request = { ...harmless, limits: messageLimits(undefined) };
			const { description: found } = failureIn(await inTime(client.ask(callerOf().caller, request)));
			expect(found).toMatch(/^The tag may have been attached\. Something else may use/);
		});
	});

	test('what was certainly not done before is not doubted now', async () => {
		const { client } = clientOf([lost('ECONNREFUSED'), limited(1), limited(121)]);
		const failure = failureIn(await inTime(client.ask(callerOf().caller, requestOf())));
		expect(failure.outcome).toBe('notDone');
	});

	test('nobody has to be told', async () => {
		const { client, times } = clientOf([limited(1), ok]);
		const { signal } = new AbortController();
		expect(await inTime(client.ask({ signal }, requestOf()))).toEqual({ rows: [{ success: true }] });
		expect(times()).toEqual([0, 2000]);
	});

	test('a refusal is told to whom it happened, and nothing else is', async () => {
		const { client } = clientOf([broken, lost('ECONNREFUSED'), ok]);
		const { caller, refused } = callerOf();
		await inTime(client.ask(caller, harmless));
		expect(refused).not.toHaveBeenCalled();
	});
});

describe('during maintenance', () => {
	const json = answer(503, { message: 'Service Unavailable' });
	const page = answer(503, '<!DOCTYPE html><html><head><title>Service Unavailable</title></head></html>');
	const done = { rows: [{ success: true }] };

	test.each([
		['by an answer', json],
		['by a page', page],
	])('a message waits and is sent again, as the service says so %s', async (_, closed) => {
		const { client, times } = clientOf([closed, closed, closed, ok]);
		const { caller, refused, gaveUp } = callerOf();
		expect(await inTime(client.ask(caller, requestOf()))).toEqual(done);
		expect(times()).toEqual([0, 1000, 3000, 7000]);
		expect(refused).not.toHaveBeenCalled();
		expect(gaveUp).not.toHaveBeenCalled();
	});

	test('it waits for what the service asks, and a second more', async () => {
		const { client, times } = clientOf([answer(503, json.body, { 'retry-after': '60' }), ok]);
		expect(await inTime(client.ask(callerOf().caller, requestOf()))).toEqual(done);
		expect(times()).toEqual([0, 61_000]);
	});

	test('nobody of the account asks meanwhile, and others do', async () => {
		const account = accountOf({ limits: accountLimits(2) });
		const { client, times } = clientOf([answer(503, json.body, { 'retry-after': '6' }), ok], account);
		const other = clientOf([ok], account);
		const stranger = clientOf([ok]);
		const first = client.ask(callerOf().caller, requestOf());
		await jest.advanceTimersByTimeAsync(100);
		const asked = [other, stranger].map((each) => each.client.ask(callerOf().caller, harmless));
		await inTime(Promise.all([first, ...asked]));
		expect(times()).toEqual([0, 7000]);
		expect(other.times()[0]).toBeGreaterThanOrEqual(6900);
		expect(stranger.times()[0]).toBeLessThan(200);
	});

	test('a message is given up after six attempts, as one that is not done', async () => {
		const { client, times } = clientOf([json]);
		const { caller, gaveUp } = callerOf();
		const failure = failureIn(await inTime(client.ask(caller, requestOf())));
		expect(times()).toEqual([0, 1000, 3000, 7000, 15_000, 31_000]);
		expect(failure).toMatchObject({ message: 'The service is under maintenance', outcome: 'notDone' });
		expect(failure.description).not.toMatch(/may have been/);
		expect(gaveUp).toHaveBeenCalledTimes(1);
	});

	test('one that is given up holds up nobody', async () => {
		const { client, times } = clientOf([answer(503, json.body, { 'retry-after': '121' }), ok]);
		const { caller } = callerOf();
		expect(failureIn(await inTime(client.ask(caller, requestOf()))).repeat).toBe('afterMaintenance');
		expect(await inTime(client.ask(caller, requestOf()))).toEqual(done);
		expect(times()[1]).toBeLessThan(200);
	});

	test('the pace is the same afterwards', async () => {
		const account = accountOf({ limits: accountLimits(2) });
		const { client, times } = clientOf([json, json, json, ok], account);
		const { caller } = callerOf();
		await inTime(Promise.all(Array.from({ length: 4 }, () => client.ask(caller, requestOf()))));
		const [first, second, third] = times().slice(-3) as [number, number, number];
		expect(second - first).toBeLessThan(100);
		expect(third - first).toBeLessThan(1200);
	});

	test('a message that is doubted since before stays so', async () => {
		const { client } = clientOf([lost('ECONNRESET'), json]);
		const failure = failureIn(await inTime(client.ask(callerOf().caller, harmless)));
		expect(failure).toMatchObject({ message: 'The service is under maintenance', outcome: 'unknown' });
	});

	test.each<[string, ServiceAnswer]>([
		[
			'the service has counted the request',
			answer(503, json.body, { 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': '7' }),
		],
		['the words are others', answer(503, { message: 'Server Error' })],
		[
			'the page is that of a proxy',
			answer(503, '<html><title>503 Service Temporarily Unavailable</title></html>'),
		],
		['there is no page', answer(503, '')],
		['the status is 500', answer(500, json.body)],
		['the status is 502', answer(502, page.body)],
	])('is not when %s: a message is sent once then, and nobody knows what came of it', async (_, failed) => {
		const { client, sent } = clientOf([failed, ok]);
		const { caller } = callerOf();
		expect(failureIn(await inTime(client.ask(caller, requestOf()))).outcome).toBe('unknown');
		expect(sent).toHaveLength(1);
		await inTime(client.ask(caller, requestOf()));
		expect(sent[1]!.at).toBeLessThan(300);
	});
});

describe('what a failure means for all others of the account', () => {
	/** When another request of the account leaves that is asked for when the first one has been answered. */
	const otherAfter = async (reaction: Reaction, request: ServiceRequest) => {
		const account = accountOf();
		const { client } = clientOf([reaction, ok], account);
		const first = client.ask(callerOf().caller, request);
		await jest.advanceTimersByTimeAsync(50);
		const { client: other, times } = clientOf([ok], account);
		await inTime(Promise.all([first, other.ask(callerOf().caller, requestOf())]));
		return times()[0]!;
	};

	test.each<[string, Reaction]>([
		['fails', broken],
		['fails and asks for a wait', answer(503, '', { 'retry-after': '7' })],
		['is not there', lost('ECONNREFUSED')],
		['refuses the values', answer(422, { errors: {} })],
		['does it', ok],
	])('is nothing where the service %s', async (_, reaction) => {
		expect(await otherAfter(reaction, harmless)).toBeLessThan(200);
	});

	test.each<[string, Reaction, number]>([
		['at a limit', limited(7), 7950],
		['at a limit that asks for nothing', answer(429, {}), 950],
		['during maintenance', answer(503, { message: 'Service Unavailable' }), 950],
	])('is a wait %s', async (_, reaction, expected) => {
		const at = await otherAfter(reaction, requestOf());
		expect(at).toBeGreaterThanOrEqual(expected - 10);
		expect(at).toBeLessThan(expected + 200);
	});
});

describe('whoever asks is told that a request is given up', () => {
	test.each<[string, Reaction[], ServiceRequest]>([
		['whose values are refused', [answer(422, { errors: {} })], harmless],
		['that may be done', [broken], requestOf()],
		['after all attempts', [broken, broken, broken], harmless],
		['that never came through', [lost('ECONNREFUSED')], requestOf()],
		['at a limit', [limited(1), limited(121)], requestOf()],
		['on a later page', [pageOf(1, 2, 'а'), answer(403, { message: 'Forbidden' })], many],
	])('%s: once', async (_, reactions, request) => {
		const { client } = clientOf(reactions);
		const { caller, gaveUp } = callerOf();
		failureIn(await inTime(client.ask(caller, request)));
		expect(gaveUp).toHaveBeenCalledTimes(1);
	});

	test.each<[string, Reaction[], ServiceRequest]>([
		['answered', [ok], requestOf()],
		['answered in the end', [broken, lost('ECONNREFUSED'), ok], harmless],
		['let through in the end', [limited(1), limited(1), ok], requestOf()],
		['answered by all pages', [pageOf(1, 2, 'а'), pageOf(2, 2, 'б')], many],
	])('but not of one that is %s', async (_, reactions, request) => {
		const { client } = clientOf(reactions);
		const { caller, gaveUp } = callerOf();
		expect(await inTime(client.ask(caller, request))).toHaveProperty('rows');
		expect(gaveUp).not.toHaveBeenCalled();
	});

	test('but not where nothing is to leave any more', async () => {
		const { client } = clientOf([lost('ECONNREFUSED')]);
		const { caller, gaveUp, stop } = callerOf();
		const asked = client.ask(caller, harmless);
		await jest.advanceTimersByTimeAsync(300);
		stop.abort();
		expect(await inTime(asked)).toBe('notSent');
		expect(gaveUp).not.toHaveBeenCalled();
	});

	test('before another one takes its place', async () => {
		const { client, sent } = clientOf([answer(422, { errors: {} })]);
		const { caller, gaveUp, stop } = callerOf();
		gaveUp.mockImplementation(() => {
			stop.abort();
			client.leave(caller);
		});
		const outcomes = await inTime(
			Promise.all(Array.from({ length: 30 }, () => client.ask(caller, requestOf()))),
		);
		expect(sent).toHaveLength(10);
		expect(outcomes.filter((outcome) => outcome === 'notSent')).toHaveLength(20);
	});

	test('before another one that has lined up takes its place', async () => {
		const { client, sent } = clientOf([answer(422, { errors: {} })]);
		const { caller, gaveUp } = callerOf();
		gaveUp.mockImplementation(() => client.leave(caller));
		for (let item = 0; item < 30; item++) {
			client.lineUp(caller, {}, (turn) => void client.ask(caller, requestOf(), undefined, turn));
		}
		await jest.advanceTimersByTimeAsync(60_000);
		expect(sent).toHaveLength(10);
	});

	test('and need not listen', async () => {
		const { client } = clientOf([broken]);
		const { signal } = new AbortController();
		expect(failureIn(await inTime(client.ask({ signal }, requestOf()))).status).toBe(500);
	});
});

describe('when nothing is to leave any more', () => {
	test('nothing does', async () => {
		const { client, sent } = clientOf([ok]);
		const { caller, stop } = callerOf();
		stop.abort();
		expect(await inTime(client.ask(caller, requestOf()))).toBe('notSent');
		expect(await inTime(client.askPage(caller, many, 1))).toBe('notSent');
		expect(sent).toEqual([]);
	});

	/** What becomes of a request that waits for its repetition when all is stopped. */
	async function stoppedAfter(reaction: Reaction, request: ServiceRequest) {
		const { client, sent } = clientOf([reaction, ok]);
		const { caller, stop } = callerOf();
		const asked = client.ask(caller, request);
		await jest.advanceTimersByTimeAsync(300);
		expect(await isSettled(asked)).toBe(false);
		stop.abort();
		client.leave(caller);
		expect(await isSettled(asked)).toBe(true);
		await jest.advanceTimersByTimeAsync(60_000);
		expect(sent).toHaveLength(1);
		return await asked;
	}

	test('waiting for a repetition ends at once', async () => {
		expect(await stoppedAfter(lost('ECONNREFUSED'), requestOf())).toBe('notSent');
		expect(await stoppedAfter(lost('ECONNREFUSED'), harmless)).toBe('notSent');
	});

	test('waiting for a repetition of what may be done already ends at once too, and that is told', async () => {
		for (const reaction of [broken, lost('ECONNRESET')]) {
			const failure = failureIn(await stoppedAfter(reaction, harmless));
			expect(failure.outcome).toBe('unknown');
			expect(failure.description).toMatch(/^The tag may have been attached\. /);
		}
	});

	test('what may be done already is told though a limit refused it since', async () => {
		const { client, sent } = clientOf([lost('ECONNRESET'), limited(60), ok]);
		const { caller, stop } = callerOf();
		const asked = client.ask(caller, harmless);
		await jest.advanceTimersByTimeAsync(5000);
		expect(sent).toHaveLength(2);
		stop.abort();
		client.leave(caller);
		expect(await isSettled(asked)).toBe(true);
		expect(failureIn(await asked)).toMatchObject({
			message: 'The connection to the service broke off before the answer',
			outcome: 'unknown',
		});
	});

	test('waiting for a turn ends with whoever leaves, and with nobody else', async () => {
		const account = accountOf({ limits: { account: { count: 1, windowMs: 1000 } } });
		const { client, sent } = clientOf([ok], account);
		const [leaving, staying] = [callerOf(), callerOf()];
		const first = client.ask(leaving.caller, requestOf());
		const second = client.ask(leaving.caller, requestOf());
		const third = client.ask(staying.caller, requestOf());
		await jest.advanceTimersByTimeAsync(10);
		leaving.stop.abort();
		client.leave(leaving.caller);
		expect(await isSettled(second)).toBe(true);
		expect(await second).toBe('notSent');
		expect(await inTime(Promise.all([first, third]))).toEqual([
			{ rows: [{ success: true }] },
			{ rows: [{ success: true }] },
		]);
		expect(sent).toHaveLength(2);
	});

	test('waiting after a refusal ends with whoever leaves', async () => {
		const { client, sent } = clientOf([limited(60), ok]);
		const { caller, stop } = callerOf();
		const asked = client.ask(caller, requestOf());
		await jest.advanceTimersByTimeAsync(5000);
		stop.abort();
		client.leave(caller);
		expect(await isSettled(asked)).toBe(true);
		expect(await asked).toBe('notSent');
		await jest.advanceTimersByTimeAsync(120_000);
		expect(sent).toHaveLength(1);
	});

	test('what is on its way is waited for', async () => {
		let arrive = (_: ServiceAnswer) => {};
		const { client } = clientOf([async () => await new Promise((resolve) => (arrive = resolve))]);
		const { caller, stop } = callerOf();
		const asked = client.ask(caller, requestOf());
		await jest.advanceTimersByTimeAsync(100);
		stop.abort();
		client.leave(caller);
		expect(await isSettled(asked)).toBe(false);
		arrive(ok);
		expect(await inTime(asked)).toEqual({ rows: [{ success: true }] });
	});
});

describe('who has lined up', () => {
	test('is called in the turn, and asks in it', async () => {
		const account = accountOf({ limits: { account: { count: 1, windowMs: 1000 } } });
		const { client, times } = clientOf([ok], account);
		const { caller } = callerOf();
		const outcomes: unknown[] = [];
		for (let item = 0; item < 3; item++) {
			client.lineUp(caller, {}, (turn) => {
				void client.ask(caller, requestOf(), undefined, turn).then((outcome) => outcomes.push(outcome));
			});
		}
		await jest.advanceTimersByTimeAsync(10_000);
		expect(outcomes).toEqual(Array.from({ length: 3 }, () => ({ rows: [{ success: true }] })));
		const [first, second, third] = times() as [number, number, number];
		expect(first).toBe(0);
		expect(second - first).toBeGreaterThanOrEqual(1000);
		expect(third - second).toBeGreaterThanOrEqual(1000);
	});

	test('counts towards the limits of the request', async () => {
		const { client } = clientOf([ok]);
		const { caller } = callerOf();
		const slow = { number: { count: 1, windowMs: 10_000 } };
		const turns: Turn[] = [];
		for (let item = 0; item < 2; item++) client.lineUp(caller, slow, (turn) => turns.push(turn));
		expect(turns.map(({ uses }) => uses.length)).toEqual([1]);
		const asked = client.ask(caller, requestOf({ limits: slow }), undefined, turns[0]);
		await inTime(asked);
		await jest.advanceTimersByTimeAsync(9000);
		expect(turns).toHaveLength(1);
		await jest.advanceTimersByTimeAsync(2000);
		expect(turns).toHaveLength(2);
	});

	test('takes the turn for the first request alone; pages and repetitions have their own', async () => {
		const account = accountOf({ limits: { account: { count: 1, windowMs: 1000 } } });
		const busy = answer(503, '', { 'retry-after': '0' });
		const { client, times } = clientOf([busy, pageOf(1, 2, 'а'), pageOf(2, 2, 'б')], account);
		const { caller } = callerOf();
		let asked: ReturnType<Client['ask']> | undefined;
		client.lineUp(caller, many.limits, (turn) => (asked = client.ask(caller, many, undefined, turn)));
		expect(await inTime(asked!)).toEqual({ rows: [{ name: 'а' }, { name: 'б' }] });
		const [first, second, third] = times() as [number, number, number];
		expect(first).toBe(0);
		expect(second).toBeGreaterThanOrEqual(1000);
		expect(third - second).toBeGreaterThanOrEqual(1000);
	});

	test('is not called once it has left', async () => {
		const account = accountOf({ limits: { account: { count: 1, windowMs: 1000 } } });
		const { client } = clientOf([ok], account);
		const { caller } = callerOf();
		const begin = jest.fn<void, [Turn]>();
		for (let item = 0; item < 5; item++) client.lineUp(caller, {}, begin);
		expect(begin).toHaveBeenCalledTimes(1);
		client.leave(caller);
		await inTime(client.ask(caller, requestOf(), undefined, begin.mock.calls[0]![0]));
		await jest.advanceTimersByTimeAsync(60_000);
		expect(begin).toHaveBeenCalledTimes(1);
	});
});

describe('how many requests can leave within two seconds', () => {
	const free = messageLimits('vk');

	test.each<[string, number, number, Limits, number]>([
		['as many as the account allows', 2, 1, free, 4],
		['and with a fraction', 0.5, 1, free, 1],
		['or where it allows many', 40, 1, free, 80],
		['as many as the messenger allows, if that is less', 40, 1, messageLimits('telegram'), 2],
		['WhatsApp above all', 40, 1, messageLimits('whatsapp'), 0.2],
		['a WhatsApp number', 40, 1, whatsAppNumberLimits, 2],
		['as many as the account allows, if that is less', 0.5, 1, messageLimits('telegram'), 1],
		['where the messenger is not known, as in any but WhatsApp', 40, 1, messageLimits(undefined), 2],
		["this worker's part of it", 4, 2, free, 4],
		['its part of what is not to be parted', 2, 3, free, 4 / 3],
		["its part of the messenger's", 40, 4, messageLimits('telegram'), 0.5],
		['all there are where there is no limit', 0, 1, free, Infinity],
		[
			'all there are where a limit is only assumed, and the account has none',
			0,
			3,
			messageLimits(undefined),
			Infinity,
		],
		["the messenger's where the account has none", 0, 1, messageLimits('viber'), 2],
	])('%s', (_, perSecond, workers, limits, count) => {
		const { client } = clientOf([ok], accountOf({ limits: accountLimits(perSecond), workers }));
		expect(client.leaving(limits, 2000)).toBeCloseTo(count, 9);
	});

	test('is in proportion to the time, and asking changes nothing', async () => {
		const { client, sent } = clientOf([ok], accountOf({ limits: accountLimits(2) }));
		expect([500, 1000, 60_000].map((ms) => client.leaving(free, ms))).toEqual([1, 2, 120]);
		await inTime(client.ask(callerOf().caller, requestOf()));
		expect(sent).toHaveLength(1);
		expect(client.leaving(free, 1000)).toBe(2);
	});
});

test('the address of a client is that of the methods', () => {
	expect(clientOf([ok]).client.address).toBe('https://client.example.com/api/v1');
});

describe('the token', () => {
	test('is in no row, whatever the service repeats', async () => {
		const account = accountOf();
		const url = `https://client.example.com/api/v1/x?api_token=${encodeURIComponent(account.token)}&page=2`;
		const { client } = clientOf([answer(200, { next: url, [account.token]: [account.token] })], account);
		expect(await inTime(client.ask(callerOf().caller, requestOf()))).toEqual({
			rows: [{ next: 'https://client.example.com/api/v1/x?api_token=***&page=2', '***': ['***'] }],
		});
	});

	test('is in no row of a page, of which all else stays', async () => {
		const account = accountOf();
		const { client } = clientOf([pageOf(1, 2, 'а', account.token)], account);
		expect(await inTime(client.askPage(callerOf().caller, many, 1))).toEqual({
			rows: [{ name: 'а' }, { name: '***' }],
			page: { current: 1, last: 2 },
		});
	});

	test('is in no failure, whatever the service says', async () => {
		const account = accountOf();
		const words = { message: `Токен ${account.token} просрочен` };
		for (const status of [400, 401, 403, 404, 422, 429, 500]) {
			const { client } = clientOf([answer(status, words, { 'retry-after': '121' })], account);
			const failure = failureIn(await inTime(client.ask(callerOf().caller, requestOf())));
			expect(JSON.stringify(failure)).not.toContain(account.token);
			expect(failure.description).toContain('Токен *** просрочен');
		}
	});
});
