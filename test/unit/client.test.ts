import type { ICredentialDataDecryptedObject, IHttpRequestOptions } from 'n8n-workflow';

import { ofReading } from '../../nodes/ChatbotService/client/advice';
import { readAccount } from '../../nodes/ChatbotService/client/account';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import type { Caller } from '../../nodes/ChatbotService/client/client';
import type { ServiceRequest } from '../../nodes/ChatbotService/client/request';
import {
	interrupted,
	invalidAddress,
	invalidToken,
	serviceFailed,
	timedOut,
	tooManyRequests,
	valuesRefused,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { schedulerOf, type Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import { witnessOf } from '../../nodes/ChatbotService/client/request';
import {
	accountOf,
	answer,
	ask,
	broken,
	busy,
	callerOf,
	clientOf,
	closed,
	done,
	failureIn,
	failureOf,
	forbidden,
	limited,
	list,
	lost,
	message,
	newCredential,
	ok,
	pageOf,
	repeated,
	requestOf,
	tag,
	type Reaction,
	type Sent,
} from './clients';
import { inTime, isSettled } from './fakeTime';

/* From a request to its answer, in virtual time, with a service whose answers the test determines. */

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
				encoding: 'text',
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
		expect(client.account.unusable).toEqual(invalidAddress());
		expect(outcome).toEqual({ failure: invalidAddress() });
		expect(await inTime(client.ask(callerOf().caller, list))).toEqual({ failure: invalidAddress() });
		expect(sent).toEqual([]);
		expect(clientOf([ok]).client.account.unusable).toBeUndefined();
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
		expect(await inTime(client.ask(callerOf().caller, list, { most }))).toMatchObject(rows(...names));
		expect(sent).toHaveLength(pages);
	});

	test('are each repeated separately, as often as the first one', async () => {
		const failing = [broken, lost('ECONNRESET')];
		const asked = await ask([...failing, pageOf(1, 2, 'а'), ...failing, pageOf(2, 2, 'б')], list);
		expect(asked.outcome).toEqual(rows('а', 'б'));
		expect(pagesOf(asked)).toEqual([undefined, undefined, undefined, 2, 2, 2]);
	});

	test('can be requested in parts, each with the page that follows it', async () => {
		const asked = clientOf([pageOf(2, 7, 'а', 'б'), pageOf(3, 7, 'в', 'г')]);
		const part = { first: 2, enough: 3 };
		expect(await inTime(asked.client.ask(callerOf().caller, list, part))).toEqual({
			...rows('а', 'б', 'в', 'г'),
			next: 4,
		});
		expect(pagesOf(asked)).toEqual([2, 3]);
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

	test.each<[string, ServiceRequest, Reaction[], number[], Failure['outcome']]>([
		['values that are refused', tag, [answer(422, { errors: {} }), ok], [0], 'notDone'],
		['a certificate that is not trusted', tag, [lost('CERT_HAS_EXPIRED'), ok], [0], 'notDone'],
		['a message that a failing service may have sent', message, [broken, ok], [0], 'unknown'],
		['a message whose connection broke', message, [lost('ECONNRESET'), ok], [0], 'unknown'],
		['three attempts', tag, [broken], [0, 1000, 3000], 'unknown'],
		['a limit that asks for more than five minutes', message, [limited(301)], [0], 'notDone'],
		['a later page that is refused', list, [pageOf(1, 2, 'а'), forbidden], [0, 0], 'notDone'],
		['wrong numbers of pages', list, [pageOf(1, 2, 'а'), pageOf(1, 2, 'б')], [0, 0], 'notDone'],
		['a doubt and then a limit', tag, [lost('ECONNRESET'), limited(301)], [0, 1000], 'unknown'],
		['a doubt and then maintenance', tag, [lost('ECONNRESET'), closed(301)], [0, 1000], 'unknown'],
		['no connection and then a limit', message, [lost('ENOTFOUND'), limited(301)], [0, 1000], 'notDone'],
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
	['a limit then', [lost('ECONNRESET'), limited(301)], tooManyRequests(429)],
	['maintenance then', [lost('ECONNRESET'), closed(301)], interrupted('')],
	['no connection then', [broken, lost('ENOTFOUND')], serviceFailed(500)],
])('no text says that nothing was done if an attempt is in doubt: %s', async (_, reactions, expected) => {
	const { message: words, outcome } = await failureOf(reactions, tag);
	expect([words, outcome]).toEqual([expected.message, 'unknown']);
});

test('no text says that nothing was done if an attempt is in doubt, and the trouble of the account takes too long for another', async () => {
	const { client, sent } = clientOf([lost('ECONNRESET'), closed(301), ok]);
	const { caller, gaveUp } = callerOf();
	const asked = [client.ask(caller, tag), client.ask(caller, message)];
	const [doubted, given] = (await inTime(Promise.all(asked))).map(failureIn);
	expect([doubted!.message, doubted!.outcome]).toEqual([interrupted('').message, 'unknown']);
	expect(given!.outcome).toBe('notDone');
	expect(sent).toHaveLength(2);
	expect(gaveUp).toHaveBeenCalledTimes(2);
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

test('a credential that can no longer be sent ends the request with its own words, not in doubt', async () => {
	const inHeader = { tokenPlacement: 'header', tokenName: 'X-Api-Token' };
	const credential = { ...newCredential(), ...inHeader, token: 'token-7734' };
	const edited = { ...credential, token: 'строка\nещё одна' };
	const { client, sent } = clientOf(
		[
			async (options) => {
				witnessOf(options)!(edited);
				return await Promise.reject(new Error('not reached'));
			},
		],
		readAccount(credential),
	);
	expect(await inTime(client.ask(callerOf().caller, message))).toEqual({
		failure: invalidToken('API Token'),
	});
	expect(sent).toHaveLength(1);
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

describe('the caller is told that a request is given up', () => {
	test('before another one takes its place', async () => {
		const { client, sent } = clientOf([forbidden]);
		const { caller, gaveUp, stop } = callerOf();
		gaveUp.mockImplementation(() => stop.abort());
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
		expect(await inTime(client.ask(caller, list))).toBe('notSent');
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
		expect(await isSettled(asked)).toBe(false);
		arrive(ok);
		expect(await inTime(asked)).toEqual(done);
	});
});

describe('a caller', () => {
	const slowAccount = () => accountOf({ limits: { account: { count: 1, windowMs: 5000 } } });

	test('that has a slot uses it for the first request; further pages and retries have their own', async () => {
		const { client, times } = clientOf([busy(0), pageOf(1, 2, 'а'), pageOf(2, 2, 'б')], slowAccount());
		const { caller } = callerOf();
		const slot = (await client.slot(caller, list.limits)) as Slot;
		expect(await inTime(client.ask(caller, list, { slot }))).toEqual({
			rows: [{ name: 'а' }, { name: 'б' }],
		});
		const [first, second, third] = times();
		expect(first).toBe(0);
		expect(Math.min(second! - first!, third! - second!)).toBeGreaterThanOrEqual(5000);
	});

	test('that waits uses the new pace when its credential is edited', async () => {
		const credential = newCredential();
		const account = readAccount({ ...credential, requestsPerSecond: 0.1 });
		const { client, times } = clientOf([ok], account);
		const { caller } = callerOf();
		const sent = repeated(4, message).map(async (each) => await client.ask(caller, each));
		await jest.advanceTimersByTimeAsync(1700);
		expect(times()).toEqual([0]);
		// Another run of the account has the edited credential.
		schedulerOf(account.key).use(readAccount({ ...credential, requestsPerSecond: 5 }));
		await jest.advanceTimersByTimeAsync(100);
		expect(
			times()
				.slice(1)
				.map((at) => Math.floor(at / 100)),
		).toEqual([17, 17, 17]);
		expect(await Promise.all(sent)).toEqual(repeated(4, done));
	});
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
