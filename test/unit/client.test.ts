import type { IHttpRequestOptions } from 'n8n-workflow';

import { ofReading } from '../../nodes/ChatbotService/client/failure/advice';
import type { Caller } from '../../nodes/ChatbotService/client/client';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import type { ServiceRequest } from '../../nodes/ChatbotService/client/http/request';
import { inTime, isSettled, pass, useVirtualTime } from '../virtualTime';
import { answer, broken, busy, closed, limited, lost, ok } from './answers';
import { ask, clientOf, credentialOf, done, failureIn, list } from './clients';
import { message, pageOf, tag, type Reaction } from './clients';
import { times } from './pacing';

/* From a request to its answer. What trouble of the account does to requests is in clientTrouble.test.ts. */

useVirtualTime();

describe('a request', () => {
	test('for a list is sent and repeated for each page', async () => {
		const failing = [broken, lost('ECONNRESET')];
		const { outcome, sent } = await ask([...failing, pageOf(1, 2, 'а'), ...failing, pageOf(2, 2, 'б')], list);
		expect(outcome).toEqual({ rows: [{ name: 'а' }, { name: 'б' }] });
		const pages = sent.map(({ options }) => options.qs!.page as unknown);
		expect(pages).toEqual([undefined, undefined, undefined, 2, 2, 2]);
	});

	test('that n8n does not end is ended ten seconds later', async () => {
		const { request } = clientOf([async () => await new Promise<never>(() => {})]);
		const asked = request({ ...message, sending: { timeout: 5000 } });
		await pass(14_999);
		expect(await isSettled(asked)).toBe(false);
		expect(failureIn(await inTime(asked, 1))!.message).toBe(failures.timedOut().message);
	});
});

test('a look-up for a change leaves nothing in doubt', async () => {
	const { outcome } = await ask([broken], { ...list, ofChange: true });
	expect(failureIn(outcome)!.outcome).toBe('notDone');
});

describe('a request that fails', () => {
	const refused = answer(422, { errors: {} });
	const turnless = [pageOf(1, 2, 'а'), pageOf(1, 2, 'б')];

	test.each<[string, ServiceRequest, Reaction[], number[], 'done' | failures.Failure['outcome']]>([
		['a failure, a lost connection', tag, [broken, lost('ECONNRESET'), ok], [0, 1000, 3000], 'done'],
		['no connection', message, [lost('ECONNREFUSED'), lost('ENOTFOUND'), ok], [0, 1000, 3000], 'done'],
		['a limit asks for a wait', message, [limited(7), limited(2), ok], [0, 8000, 11_000], 'done'],
		['maintenance', message, [closed(), closed(), closed(), ok], [0, 1000, 3000, 7000], 'done'],
		['refused values', tag, [refused, ok], [0], 'notDone'],
		['a message that a failing service may have sent', message, [broken, ok], [0], 'unknown'],
		['three attempts', tag, [broken], [0, 1000, 3000], 'unknown'],
		['a failure asks for over two minutes', tag, [busy(121), ok], [0], 'unknown'],
		['a limit asks for over five minutes', message, [limited(301)], [0], 'notDone'],
		['wrong numbers of pages', list, turnless, [0, 0], 'notDone'],
		['no connection, then a limit', message, [lost('ENOTFOUND'), limited(301)], [0, 1000], 'notDone'],
	])('is sent again if that does no harm: %s', async (_, request, reactions, attemptsAt, expected) => {
		const { outcome, times, gaveUp } = await ask(reactions, request);
		expect(times()).toEqual(attemptsAt);
		expect(gaveUp).toHaveBeenCalledTimes(expected === 'done' ? 0 : 1);
		if (expected === 'done') return expect(outcome).toEqual(done);
		const failure = failureIn(outcome)!;
		const doubt = request.advice?.unknown ?? ofReading;
		expect([failure.outcome, failure.description.startsWith(doubt)]).toEqual([
			...[expected, expected === 'unknown'],
		]);
	});

	test.each<[string, Reaction[], failures.Failure]>([
		['a limit', [lost('ECONNRESET'), limited(301)], failures.tooManyRequests()],
		['maintenance', [lost('ECONNRESET'), closed(301)], failures.interrupted('')],
		['no connection', [broken, lost('ENOTFOUND')], failures.serviceFailed(500)],
	])('stays in doubt after an attempt in doubt and %s', async (_, reactions, { message }) => {
		const { outcome } = await ask(reactions, tag);
		expect(outcome).toMatchObject({ failure: { message, outcome: 'unknown' } });
	});

	test('stays in doubt after trouble of another request', async () => {
		const { request, sent, gaveUp } = clientOf([lost('ECONNRESET'), closed(301), ok]);
		const asked = [request(tag), request(message)];
		const [doubted, given] = (await inTime(Promise.all(asked))).map(failureIn);
		expect(doubted).toMatchObject({ message: failures.interrupted('').message, outcome: 'unknown' });
		expect([given!.outcome, sent.length]).toEqual(['notDone', 2]);
		expect(gaveUp).toHaveBeenCalledTimes(2);
	});

	const failing = (): never => {
		throw new Error('не вышло');
	};
	const unbuilt = Object.defineProperty({ ...message }, 'parameters', { get: failing });

	test.each<[string, Reaction, ServiceRequest, Partial<Caller>]>([
		['the request cannot be built', ok, unbuilt, {}],
		['the caller throws when it is told of a refusal', limited(0), message, { refused: failing }],
		['there is no answer', lost('ECONNRESET'), message, {}],
	])('frees its slot even if %s', async (_, reaction, request, changes) => {
		const credential = credentialOf();
		const { client, ...its } = clientOf([reaction], credential);
		const caller = { ...its.caller, ...changes };
		// As many as may be in flight.
		const asked = times(10, request).map(async (each) => await client.request(caller, each));
		for (const end of await inTime(Promise.allSettled(asked))) expect(end).not.toHaveProperty('value.rows');
		expect(await inTime(clientOf([ok], credential).request(), 1000)).toEqual(done);
	});
});

test('lists are read in turn, and n8n logs no warning', async () => {
	const warn = jest.spyOn(process, 'emitWarning');
	const pageAsked = ({ qs }: IHttpRequestOptions) => Number((qs as { page?: number }).page ?? 1);
	const page = async () => pageOf(pageAsked(service.sent.at(-1)!.options), 3, 'a');
	const service = clientOf([page], credentialOf({ requestsPerSecond: 2 }));
	await inTime(Promise.all(times(12, list).map(service.request)));
	// What is complete early is not lost later.
	expect(service.sent.map(({ options }) => pageAsked(options))).toEqual(times(12, [1, 2, 3]).flat());
	expect(warn).not.toHaveBeenCalled();
});

test('the token is removed before a quote is shortened', async () => {
	const token = '12|aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7d/e/f';
	const pieces = Array.from({ length: token.length - 5 }, (_, at) => token.slice(at, at + 6));
	// A quote has 500 characters, so it ends before, within or after the token.
	for (let before = 440; before < 510; before += 3) {
		const words = `${'x'.repeat(before)}${token} и дальше ${'y'.repeat(200)}`;
		for (const body of [{ message: words, errors: { text: [words] } }, words, `{"cut ${words}`]) {
			const { outcome } = await ask([answer(422, body)], message, credentialOf({ token }));
			expect(pieces.filter((piece) => failureIn(outcome)!.description.includes(piece))).toEqual([]);
		}
	}
});
