import { getEventListeners } from 'node:events';

import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { readAccount, type Account } from '../../nodes/ChatbotService/client/account';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import { Client, type Caller, type ServiceRequest } from '../../nodes/ChatbotService/client/client';
import { ofReading } from '../../nodes/ChatbotService/client/advice';
import {
	interrupted,
	invalidAddress,
	serviceFailed,
	timedOut,
	tooManyRequests,
	valuesRefused,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { accountLimits, type Limits } from '../../nodes/ChatbotService/client/pace/limits';
import type { Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import { witnessOf } from '../../nodes/ChatbotService/client/request';
import { wait } from '../../nodes/ChatbotService/client/wait';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';

/* From a request to its answer, in virtual time, with a service whose answers the test determines. */

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** The reaction of the service to a request: an answer, an error without an answer, or a function that returns the answer. */
type Reaction = ServiceAnswer | Error | ((options: IHttpRequestOptions) => Promise<ServiceAnswer>);

const answer = (statusCode: number, body: unknown, headers: Record<string, unknown> = {}): ServiceAnswer => ({
	statusCode,
	headers: { 'content-type': 'application/json', ...headers },
	body,
});
const ok = answer(200, { success: true });
const done = { rows: [{ success: true }] };
const limited = (seconds: number) =>
	answer(429, { message: 'Too Many Attempts.' }, { 'retry-after': seconds });
const broken = answer(500, { message: 'Server Error' });
const busy = (seconds: number) => answer(503, '', { 'retry-after': seconds });
const closed = (seconds?: number) =>
	answer(503, { message: 'Service Unavailable' }, { 'retry-after': seconds });
const forbidden = answer(403, { message: 'Forbidden' });
/** The error of Node.js for a failed step: a connection cannot be made, or it breaks. */
const lost = (code: string, step = ['ECONNREFUSED', 'ENOTFOUND'].includes(code) ? 'connect' : 'read') =>
	Object.assign(new Error(`${step} ${code}`), { code });
const pageOf = (current: number, last: number, ...names: string[]) =>
	answer(200, { data: names, meta: { current_page: current, last_page: last } });

let accounts = 0;

const newCredential = () => ({ baseUrl: 'https://client.example.com', token: `токен-${++accounts}` });

/** A separate account for each test, because its scheduler lasts as long as the process. */
function accountOf(changes: Partial<Account> = {}): Account {
	return { ...readAccount(newCredential()), tokenLength: 0, limits: {}, ...changes };
}

interface Sent {
	at: number;
	options: IHttpRequestOptions;
}

/** A client of a service with one reaction for each request; the last reaction also applies to all further requests. */
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

const inQuery = (name: string, value: string | number) => ({ name, place: 'query' as const, value });

const message: ServiceRequest = {
	method: 'POST',
	url: '/sendMessage',
	parameters: [inQuery('contact_id', 5)],
	longInBody: false,
	answer: 'done',
	labels: {
		all: new Map([['contact_id', 'Contact ID']]),
		expected: [{ label: 'Contact ID', whatItIs: 'contact with this ID' }],
	},
	idempotent: false,
	limits: {},
	advice: { unknown: 'The message may have been sent.', assumedLimits: 'Name the messenger.' },
};
const requestOf = (changes: Partial<ServiceRequest>): ServiceRequest => ({ ...message, ...changes });
const tag = requestOf({ idempotent: true, advice: { unknown: 'The tag may have been attached.' } });
const list = requestOf({
	method: 'GET',
	url: '/getBotTags',
	answer: 'many',
	idempotent: true,
	advice: undefined,
});

const repeated = <T>(count: number, value: T) => Array.from({ length: count }, () => value);

function expectApart(times: number[], leastMs: number) {
	for (const [index, at] of times.slice(1).entries())
		expect(at - times[index]!).toBeGreaterThanOrEqual(leastMs);
}

/** The value of a promise, for which virtual time passes. */
async function inTime<T>(promise: Promise<T>, most = 600_000): Promise<T> {
	const settled = { is: false };
	const watched = promise.finally(() => (settled.is = true));
	watched.catch(() => {});
	const until = performance.now() + most;
	while (!settled.is && performance.now() < until) await jest.advanceTimersByTimeAsync(100);
	if (!settled.is) throw new Error(`it takes longer than ${most} ms`);
	return await watched;
}

/** Whether a promise is settled without any time passing. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	let settled = false;
	void promise.finally(() => (settled = true)).catch(() => {});
	for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
	return settled;
}

/** One request, all that is sent for it, and what its caller is told. */
async function ask(reactions: Reaction[], request = message, account = accountOf()) {
	const asked = clientOf(reactions, account);
	const { caller, refused, gaveUp } = callerOf();
	const outcome = await inTime(asked.client.ask(caller, request));
	return { ...asked, refused, gaveUp, outcome };
}

function failureIn(outcome: Awaited<ReturnType<Client['ask']>>): Failure {
	if (typeof outcome !== 'object' || !('failure' in outcome))
		throw new Error(`it came to ${JSON.stringify(outcome)}`);
	return outcome.failure;
}

const failureOf = async (...asked: Parameters<typeof ask>) => failureIn((await ask(...asked)).outcome);

describe('a request', () => {
	test('is sent as the API documents it, and no status is an error for n8n', async () => {
		const { outcome, sent } = await ask([ok]);
		expect(outcome).toEqual(done);
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

	test("has the user's options in every attempt, except for its method, address and headers", async () => {
		const proxy = { host: 'proxy.example.com', port: 3128, protocol: 'http' };
		const wanted = { timeout: 5000, skipSslCertificateValidation: true, proxy };
		const sending = { ...wanted, url: '/other', headers: { Accept: 'text/html' }, method: 'GET' };
		const usual = await ask([ok], tag);
		const { sent } = await ask([broken, ok], { ...tag, sending });
		const expected = { ...usual.sent[0]!.options, ...wanted };
		expect(sent.map(({ options }) => options)).toStrictEqual([expected, expected]);
	});

	test('that is refused names the labels of the editor', async () => {
		const invalid = answer(422, { errors: { contact_id: ['Нет контакта.'] } });
		expect(await failureOf([invalid])).toEqual(valuesRefused(422, ['Contact ID'], 'Нет контакта.'));
	});

	test('of an account without an address is not sent', async () => {
		const account = accountOf({ baseUrl: 'https:///api/v1', unusable: invalidAddress() });
		const { client, sent, outcome } = await ask([ok], message, account);
		expect(client.unusable).toEqual(invalidAddress());
		expect(outcome).toEqual({ failure: invalidAddress() });
		expect(await inTime(client.askPage(callerOf().caller, list, 1))).toEqual({ failure: invalidAddress() });
		expect(sent).toEqual([]);
		expect(clientOf([ok]).client.unusable).toBeUndefined();
	});
});

describe('pages', () => {
	const rows = (...names: string[]) => ({ rows: names.map((name) => ({ name })) });
	const pagesOf = ({ sent }: { sent: Sent[] }) => sent.map(({ options }) => options.qs!.page as unknown);

	test('are requested one after the other, until the last one', async () => {
		const asked = await ask([pageOf(1, 3, 'а', 'б'), pageOf(2, 3, 'в'), pageOf(3, 3, 'г')], list);
		expect(asked.outcome).toEqual(rows('а', 'б', 'в', 'г'));
		expect(asked.sent.map(({ options }) => options.qs)).toStrictEqual([
			{ contact_id: 5 },
			{ contact_id: 5, page: 2 },
			{ contact_id: 5, page: 3 },
		]);
	});

	test.each<[number, number, string[]]>([
		[1, 1, ['а']],
		[3, 2, ['а', 'б', 'в']],
		[4, 2, ['а', 'б', 'в', 'г']],
		[5, 3, ['а', 'б', 'в', 'г', 'д']],
	])('are only as many as the wanted rows need: for %d rows %d', async (most, pages, names) => {
		const { client, sent } = clientOf([pageOf(1, 3, 'а', 'б'), pageOf(2, 3, 'в', 'г'), pageOf(3, 3, 'д')]);
		expect(await inTime(client.ask(callerOf().caller, list, most))).toEqual(rows(...names));
		expect(sent).toHaveLength(pages);
	});

	test('are each repeated separately, as often as the first one', async () => {
		const failing = [broken, lost('ECONNRESET')];
		const asked = await ask([...failing, pageOf(1, 2, 'а'), ...failing, pageOf(2, 2, 'б')], list);
		expect(asked.outcome).toEqual(rows('а', 'б'));
		expect(pagesOf(asked)).toEqual([undefined, undefined, undefined, 2, 2, 2]);
	});

	test('can be requested one at a time, with the number of pages', async () => {
		const asked = clientOf([pageOf(2, 7, 'а', 'б')]);
		expect(await inTime(asked.client.askPage(callerOf().caller, list, 2))).toEqual({
			...rows('а', 'б'),
			page: { current: 2, last: 7 },
		});
		expect(pagesOf(asked)).toEqual([2]);
	});
});

describe('a request that fails', () => {
	test.each<[string, ServiceRequest, Reaction[], number[]]>([
		['after a failure or a lost connection', tag, [broken, lost('ECONNRESET'), ok], [0, 1000, 3000]],
		['without a connection', message, [lost('ECONNREFUSED'), lost('ENOTFOUND'), ok], [0, 1000, 3000]],
		['after what a limit asks and a second', message, [limited(7), limited(2), ok], [0, 8000, 11_000]],
		['during maintenance', message, [closed(), closed(), closed(), ok], [0, 1000, 3000, 7000]],
	])('is sent again if that does no harm: %s', async (_, request, reactions, attemptsAt) => {
		const { outcome, times, gaveUp } = await ask(reactions, request);
		expect(outcome).toEqual(done);
		expect(times()).toEqual(attemptsAt);
		expect(gaveUp).not.toHaveBeenCalled();
	});

	const maintained = [0, 1000, 3000, 7000, 15_000, 31_000];
	test.each<[string, ServiceRequest, Reaction[], number[], Failure['outcome']]>([
		['values that are refused', tag, [answer(422, { errors: {} }), ok], [0], 'notDone'],
		['a certificate that is not trusted', tag, [lost('CERT_HAS_EXPIRED'), ok], [0], 'notDone'],
		['a message that a failing service may have sent', message, [broken, ok], [0], 'unknown'],
		['a message whose connection broke', message, [lost('ECONNRESET'), ok], [0], 'unknown'],
		['three attempts', tag, [broken], [0, 1000, 3000], 'unknown'],
		['a limit that asks for more than two minutes', message, [limited(121)], [0], 'notDone'],
		['a later page that is refused', list, [pageOf(1, 2, 'а'), forbidden], [0, 0], 'notDone'],
		['wrong numbers of pages', list, [pageOf(1, 2, 'а'), pageOf(1, 2, 'б')], [0, 0], 'notDone'],
		['a doubt and then a limit', tag, [lost('ECONNRESET'), limited(121)], [0, 1000], 'unknown'],
		['a doubt and then maintenance', tag, [lost('ECONNRESET'), closed()], maintained, 'unknown'],
		['no connection and then a limit', message, [lost('ENOTFOUND'), limited(121)], [0, 1000], 'notDone'],
	])(
		'is given up after %s, and its outcome is unknown if an attempt may have been processed',
		async (_, request, reactions, attemptsAt, expected) => {
			const { outcome, times, gaveUp } = await ask(reactions, request);
			expect(times()).toEqual(attemptsAt);
			expect(gaveUp).toHaveBeenCalledTimes(1);
			const failure = failureIn(outcome);
			expect(failure.outcome).toBe(expected);
			const doubt = request.advice?.unknown ?? ofReading;
			expect(failure.description.startsWith(doubt)).toBe(expected === 'unknown');
		},
	);
});

test('a request that is given up ends with its last failure, in the words of the service', async () => {
	const { description, ...failure } = serviceFailed(500, undefined, 'Server Error');
	expect(await failureOf([broken], tag)).toEqual({
		...failure,
		description: `${tag.advice!.unknown} ${description}`,
	});
});

test.each<[string, Reaction[], Failure]>([
	['a limit then', [lost('ECONNRESET'), limited(121)], tooManyRequests(429)],
	['maintenance then', [lost('ECONNRESET'), closed()], interrupted('')],
	['no connection then', [broken, lost('ENOTFOUND')], serviceFailed(500)],
])('no text says that nothing was done if an attempt is in doubt: %s', async (_, reactions, expected) => {
	const { message: words, outcome } = await failureOf(reactions, tag);
	expect([words, outcome]).toEqual([expected.message, 'unknown']);
});

test.each<[string, Partial<ServiceRequest>, number]>([
	['the usual time', {}, 310_000],
	['the time that the user wants', { sending: { timeout: 5000 } }, 15_000],
])('the client ends a request that n8n does not end, ten seconds after %s', async (_, changes, atMs) => {
	const { client } = clientOf([async () => await new Promise<never>(() => {})]);
	const asked = client.ask(callerOf().caller, requestOf(changes));
	await jest.advanceTimersByTimeAsync(atMs - 1);
	expect(await isSettled(asked)).toBe(false);
	await jest.advanceTimersByTimeAsync(1);
	expect(await isSettled(asked)).toBe(true);
	expect(failureIn(await asked).message).toBe(timedOut().message);
});

describe('n8n shows the credential of each request to its witness:', () => {
	const shown =
		(credential: ICredentialDataDecryptedObject, body: unknown) => async (options: IHttpRequestOptions) => {
			witnessOf(options)!(credential);
			return answer(200, body);
		};

	test('another token is hidden too', async () => {
		const [first, latest] = [newCredential(), newCredential()];
		const body = { was: first.token, is: latest.token };
		const { client, sent } = clientOf([shown(first, {}), shown(latest, body)], readAccount(first));
		const { caller } = callerOf();
		expect(await inTime(client.ask(caller, message))).toEqual({ rows: [{ success: true }] });
		expect(await inTime(client.ask(caller, message))).toEqual({ rows: [{ was: '***', is: '***' }] });
		expect(sent).toHaveLength(2);
	});
});

test('an answer that cannot be read leaves the outcome unknown, and its text shows no token', async () => {
	const account = accountOf();
	const get = () => {
		throw new Error(`no ${account.token} here`);
	};
	const body = Object.defineProperty({}, 'success', { get, enumerable: true });
	expect(await failureOf([answer(200, body)], message, account)).toMatchObject({
		outcome: 'unknown',
		repeat: 'ifHarmless',
		description: expect.stringContaining('"no *** here"') as string,
	});
});

describe('at a limit', () => {
	test.each<[string, Reaction[], number[]]>([
		['with the wait that follows', [limited(7), limited(2), ok], [8000, 3000]],
		['without a wait if it is given up', [limited(121)], [0]],
		['and of no other failure', [lost('ECONNREFUSED'), closed(), ok], []],
	])('the caller is told of each refusal, %s', async (_, reactions, waits) => {
		const { refused } = await ask(reactions);
		expect(refused.mock.calls.flat()).toEqual(waits);
	});

	test('the failure is that of the last refusal', async () => {
		const last = tooManyRequests(429, 121_000, 'Too Many Attempts.');
		expect(await failureOf([limited(1), limited(121)])).toEqual(last);
	});

	test.each<[string, boolean, boolean, number, number]>([
		['fifty leave as a burst if answers show the count', true, true, 50, 50],
		['few of fifty leave if answers show no count', true, false, 0, 8],
		['few of fifty leave if bursts are switched off', false, true, 0, 8],
	])('the count in answers reaches the pace: %s', async (_, bursts, isCounted, least, most) => {
		let remaining = 120;
		const count = () => ({ 'x-ratelimit-limit': '120', 'x-ratelimit-remaining': String(--remaining) });
		const counted = async () => answer(200, {}, isCounted ? count() : {});
		const { client, sent } = clientOf([counted], accountOf({ limits: accountLimits(2), bursts }));
		const { caller } = callerOf();
		for (let item = 0; item < 50; item++) void client.ask(caller, message);
		await jest.advanceTimersByTimeAsync(3000);
		client.leave(caller);
		expect(sent.length).toBeGreaterThanOrEqual(least);
		expect(sent.length).toBeLessThanOrEqual(most);
	});

	test("the count in a refusal reaches the pace: only requests that count towards the messenger's limit wait", async () => {
		const counted = { 'retry-after': '30', 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '0' };
		const refusedByTelegram = answer(429, { message: 'Too Many Attempts.' }, counted);
		const { client, times } = clientOf([refusedByTelegram, ok], accountOf({ limits: accountLimits(2) }));
		const { caller } = callerOf();
		const toTelegram = client.ask(caller, requestOf({ limits: messageLimits('telegram') }));
		await jest.advanceTimersByTimeAsync(10);
		await inTime(Promise.all([toTelegram, client.ask(caller, message)]));
		// No request is left in the messenger's minute; all other requests continue.
		expect(times()[1]).toBeLessThan(1100);
		expect(times()[2]).toBeGreaterThanOrEqual(30_000);
	});

	test.each<[string, Reaction]>([
		['a refusal', limited(7)],
		['maintenance', closed()],
	])(
		'a request that is sent again after %s goes before the other requests of its run',
		async (_, reaction) => {
			const account = accountOf({ limits: { account: { count: 1, windowMs: 1000 } } });
			const { client, sent } = clientOf([reaction, ok], account);
			const { caller } = callerOf();
			const askFor = (value: number) =>
				client.ask(caller, requestOf({ parameters: [inQuery('contact_id', value)] }));
			await inTime(Promise.all([1, 2, 3].map(askFor)));
			expect(sent.map(({ options }) => options.qs!.contact_id)).toEqual([1, 1, 2, 3]);
		},
	);

	test.each<[string, Limits, string]>([
		[
			'the messenger, if its limit was assumed',
			messageLimits(undefined),
			`${message.advice!.assumedLimits} `,
		],
		['the account, if the messenger is known', messageLimits('telegram'), ''],
	])('the text of the failure begins with %s', async (_, limits, expected) => {
		const account = accountOf({ limits: accountLimits(2) });
		const { description } = tooManyRequests(429, undefined, 'Too Many Attempts.');
		expect((await failureOf([limited(121)], requestOf({ limits }), account)).description).toBe(
			`${expected}${description}`,
		);
	});
});

/* How a failure delays requests that are made after it. */
test.each<[string, Reaction, ServiceRequest, number]>([
	['fails', broken, tag, 0],
	['fails and asks for a wait', busy(7), tag, 0],
	['cannot be reached', lost('ECONNREFUSED'), tag, 0],
	['refuses the values', answer(422, { errors: {} }), tag, 0],
	['processes the request', ok, tag, 0],
	['is closed for longer than a request waits', closed(121), message, 0],
	['is at a limit', limited(7), message, 8000],
	['is at a limit that asks for no wait', answer(429, {}), message, 1000],
	['is closed', closed(), message, 1000],
	['is closed for six seconds', closed(6), message, 7000],
])(
	'if the service %s, other requests of the account wait as long as necessary, and other accounts do not wait',
	async (_, reaction, request, waitMs) => {
		const account = accountOf();
		const first = clientOf([reaction, ok], account);
		const [other, stranger] = [clientOf([ok], account), clientOf([ok])];
		const { caller, refused } = callerOf();
		const asked = first.client.ask(callerOf().caller, request);
		await jest.advanceTimersByTimeAsync(50);
		const later = [other, stranger].map(({ client }) => client.ask(caller, message));
		await inTime(Promise.all([asked, ...later]));
		expect(other.times()[0]).toBeGreaterThanOrEqual(waitMs - 60);
		expect(other.times()[0]).toBeLessThan(waitMs + 200);
		expect(stranger.times()[0]).toBeLessThan(200);
		expect(refused).not.toHaveBeenCalled();
	},
);

describe('the caller is told that a request is given up', () => {
	test('before another one takes its place', async () => {
		const { client, sent } = clientOf([forbidden]);
		const { caller, gaveUp, stop } = callerOf();
		gaveUp.mockImplementation(() => {
			stop.abort();
			client.leave(caller);
		});
		const outcomes = await inTime(Promise.all(Array.from({ length: 30 }, () => client.ask(caller, message))));
		expect(sent).toHaveLength(10);
		expect(outcomes.filter((outcome) => outcome === 'notSent')).toHaveLength(20);
	});

	test('only if it passes a function for that, as with refusals', async () => {
		const { signal } = new AbortController();
		const { client } = clientOf([limited(1), broken]);
		expect(failureIn(await inTime(client.ask({ signal }, message))).status).toBe(500);
		const numbered = clientOf([pageOf(1, 2, 'а')]);
		expect(failureIn(await inTime(numbered.client.ask({ signal }, list))).outcome).toBe('notDone');
	});
});

describe('a slot is released', () => {
	const failing = (): never => {
		throw new Error('не вышло');
	};

	const unbuilt = Object.defineProperty({ ...message }, 'parameters', { get: failing });

	test.each<[string, Reaction, ServiceRequest, Partial<Caller>, string]>([
		['the request cannot be built', ok, unbuilt, {}, 'не вышло'],
		['the caller throws when it is told of a refusal', limited(0), message, { refused: failing }, 'не вышло'],
		['the caller throws when it is told of the end', forbidden, message, { gaveUp: failing }, 'не вышло'],
		['there is no answer', lost('ECONNRESET'), message, {}, 'unknown'],
	])('even if %s', async (_, reaction, request, changes, expected) => {
		const account = accountOf();
		const { client } = clientOf([reaction], account);
		const { caller } = callerOf();
		// As many as may be in flight.
		const asked = repeated(10, request).map(
			async (each) => await client.ask({ ...caller, ...changes }, each),
		);
		const ends = await inTime(Promise.allSettled(asked));
		const endOf = (end: (typeof ends)[number]) =>
			end.status === 'rejected' ? (end.reason as Error).message : failureIn(end.value).outcome;
		expect(ends.map(endOf)).toEqual(repeated(10, expected));
		const next = clientOf([ok], account);
		expect(await inTime(next.client.ask(callerOf().caller, message), 1000)).toEqual(done);
	});
});

describe('when nothing more may leave', () => {
	test('nothing leaves', async () => {
		const { client, sent } = clientOf([ok]);
		const { caller, stop } = callerOf();
		stop.abort();
		expect(await inTime(client.ask(caller, message))).toBe('notSent');
		expect(await inTime(client.askPage(caller, list, 1))).toBe('notSent');
		expect(sent).toEqual([]);
	});

	const inDoubt = ({ message }: Failure) => {
		const description = expect.stringMatching(`^${tag.advice!.unknown} `) as string;
		return { failure: expect.objectContaining({ message, outcome: 'unknown', description }) as Failure };
	};
	const wasLost = inDoubt(interrupted(''));

	test.each<[string, ServiceRequest, Reaction[], unknown]>([
		['a message without a connection', message, [lost('ECONNREFUSED')], 'notSent'],
		['a tag without a connection', tag, [lost('ECONNREFUSED')], 'notSent'],
		['a message that a limit has refused', message, [limited(60)], 'notSent'],
		['a tag that failed', tag, [broken], inDoubt(serviceFailed(500))],
		['a tag whose connection broke', tag, [lost('ECONNRESET')], wasLost],
		['a tag whose connection broke before a limit', tag, [lost('ECONNRESET'), limited(60)], wasLost],
	])(
		'the wait for another attempt at %s ends at once, and the outcome is unknown if an attempt may have been processed',
		async (_, request, reactions, expected) => {
			const { client, sent } = clientOf([...reactions, ok]);
			const { caller, stop, gaveUp } = callerOf();
			const asked = client.ask(caller, request);
			await jest.advanceTimersByTimeAsync(300 + (reactions.length - 1) * 1000);
			expect(await isSettled(asked)).toBe(false);
			stop.abort();
			client.leave(caller);
			expect(await isSettled(asked)).toBe(true);
			expect(await asked).toEqual(expected);
			await jest.advanceTimersByTimeAsync(120_000);
			expect(sent).toHaveLength(reactions.length);
			expect(gaveUp).not.toHaveBeenCalled();
		},
	);

	test('the wait for a slot ends only for the caller that leaves', async () => {
		const account = accountOf({ limits: { account: { count: 1, windowMs: 1000 } } });
		const { client, sent } = clientOf([ok], account);
		const [leaving, staying] = [callerOf(), callerOf()];
		const first = client.ask(leaving.caller, message);
		const second = client.ask(leaving.caller, message);
		const third = client.ask(staying.caller, message);
		await jest.advanceTimersByTimeAsync(10);
		leaving.stop.abort();
		client.leave(leaving.caller);
		expect(await isSettled(second)).toBe(true);
		expect(await second).toBe('notSent');
		expect(await inTime(Promise.all([first, third]))).toEqual([done, done]);
		expect(sent).toHaveLength(2);
	});

	test('the client waits for the answers to requests in progress', async () => {
		let arrive = (_: ServiceAnswer) => {};
		const { client } = clientOf([async () => await new Promise((resolve) => (arrive = resolve))]);
		const { caller, stop } = callerOf();
		const asked = client.ask(caller, message);
		await jest.advanceTimersByTimeAsync(100);
		stop.abort();
		client.leave(caller);
		expect(await isSettled(asked)).toBe(false);
		arrive(ok);
		expect(await inTime(asked)).toEqual(done);
	});
});

describe('a caller that has enqueued requests', () => {
	const slowAccount = () => accountOf({ limits: { account: { count: 1, windowMs: 5000 } } });

	test('uses the slot only for the first request; further pages and retries have their own', async () => {
		const { client, times } = clientOf([busy(0), pageOf(1, 2, 'а'), pageOf(2, 2, 'б')], slowAccount());
		const { caller } = callerOf();
		let asked: ReturnType<Client['ask']> | undefined;
		client.enqueue(caller, list.limits, (slot) => (asked = client.ask(caller, list, undefined, slot)));
		expect(await inTime(asked!)).toEqual({ rows: [{ name: 'а' }, { name: 'б' }] });
		expect(times()).toHaveLength(3);
		expect(times()[0]).toBe(0);
		expectApart(times(), 5000);
	});

	test('is enqueued again when the credential is edited', async () => {
		const credential = newCredential();
		const { client, times } = clientOf([ok], readAccount({ ...credential, requestsPerSecond: 0.1 }));
		const { caller } = callerOf();
		for (let item = 0; item < 4; item++) {
			client.enqueue(caller, {}, (slot) => void client.ask(caller, message, undefined, slot));
		}
		await jest.advanceTimersByTimeAsync(1500);
		expect(times()).toEqual([0]);
		client.useLatest({ ...credential, requestsPerSecond: 5 });
		await jest.advanceTimersByTimeAsync(100);
		expect(times()).toEqual([0, 1500, 1500, 1500]);
	});

	test('is not called once it has left', async () => {
		const { client } = clientOf([ok], slowAccount());
		const { caller } = callerOf();
		const begin = jest.fn<void, [Slot]>();
		for (let item = 0; item < 5; item++) client.enqueue(caller, {}, begin);
		expect(begin).toHaveBeenCalledTimes(1);
		client.leave(caller);
		await inTime(client.ask(caller, message, undefined, begin.mock.calls[0]![0]));
		await jest.advanceTimersByTimeAsync(60_000);
		expect(begin).toHaveBeenCalledTimes(1);
	});
});

test('if one of two credentials of an account is edited, its waiting requests keep the new pace, and those of the other credential keep theirs', async () => {
	const credential = { ...newCredential(), requestsPerSecond: 1 };
	const [edited, other] = [clientOf([ok], readAccount(credential)), clientOf([ok], readAccount(credential))];
	const askOf = ({ client }: typeof edited, count: number) => {
		const { caller } = callerOf();
		return repeated(count, message).map(async (each) => await client.ask(caller, each));
	};
	const sent = [...askOf(edited, 10), ...askOf(other, 3)];
	await jest.advanceTimersByTimeAsync(2500);
	expect(edited.sent.length + other.sent.length).toBe(3);
	edited.client.useLatest({ ...credential, requestsPerSecond: 8 });
	await inTime(Promise.all(sent));
	expect(edited.times().filter((at) => at === 2500)).toHaveLength(7);
	expect(edited.times().at(-1)).toBeLessThan(4000);
	expectApart(other.times(), 1000);
});

test('the token is removed before a quote is shortened, at any length', async () => {
	const token = '12|aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d/e/f';
	const pieces = Array.from({ length: token.length - 5 }, (_, at) => token.slice(at, at + 6));
	for (const written of [token, token.replace(/\//g, '\\/')]) {
		// A quote has 500 characters, so it ends before, within or after the token.
		for (let before = 440; before < 510; before += 3) {
			const account = accountOf({ token });
			const words = `${'x'.repeat(before)}${written} и дальше ${'y'.repeat(200)}`;
			for (const body of [{ message: words, errors: { text: [words] } }, words, `{"cut ${words}`]) {
				const { description } = await failureOf([answer(422, body)], message, account);
				expect(pieces.filter((piece) => description.includes(piece))).toEqual([]);
			}
		}
	}
});

describe('the token', () => {
	test('is in no failure without an answer', async () => {
		const account = accountOf();
		const error = new Error(`Domain not allowed: ${account.token}`);
		const { description } = await failureOf([error], message, account);
		expect(description).toContain('Domain not allowed: ***');
	});

	test('is in no row, whatever the service repeats', async () => {
		const account = accountOf();
		const url = `https://client.example.com/api/v1/x?api_token=${encodeURIComponent(account.token)}&page=2`;
		const body = { next: url, [account.token]: [account.token] };
		expect((await ask([answer(200, body)], message, account)).outcome).toEqual({
			rows: [{ next: 'https://client.example.com/api/v1/x?api_token=***&page=2', '***': ['***'] }],
		});
	});
});

test.each([2000, 1200, 499, 1])('Waiting takes the given time: %d ms', async (milliseconds) => {
	const { signal } = new AbortController();
	const waiting = wait(milliseconds, signal);
	await jest.advanceTimersByTimeAsync(milliseconds - 1);
	expect(await isSettled(waiting)).toBe(false);
	await jest.advanceTimersByTimeAsync(1);
	expect(await isSettled(waiting)).toBe(true);
	expect(jest.getTimerCount()).toBe(0);
	// A run uses one signal for all its waits.
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([0, 700])('Waiting ends with its signal at once and without error, after %d ms', async (after) => {
	const stop = new AbortController();
	const waiting = wait(120_000, stop.signal);
	await jest.advanceTimersByTimeAsync(after);
	expect(await isSettled(waiting)).toBe(false);
	stop.abort();
	expect(await isSettled(waiting)).toBe(true);
	expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
	// The remaining timer ends shortly afterwards.
	await jest.advanceTimersByTimeAsync(500);
	expect(jest.getTimerCount()).toBe(0);
});

test.each<[string, number, AbortSignal]>([
	['zero time', 0, new AbortController().signal],
	['less than no time', -5, new AbortController().signal],
	['a time whose signal is aborted', 120_000, AbortSignal.abort()],
])('Waiting for %s ends immediately', async (_, milliseconds, signal) => {
	expect(await isSettled(wait(milliseconds, signal))).toBe(true);
	expect(jest.getTimerCount()).toBe(0);
});
