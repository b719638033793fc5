import { accountLimits } from '../../nodes/ChatbotService/client/account';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import type { ServiceRequest } from '../../nodes/ChatbotService/client/request';
import { tooManyRequests } from '../../nodes/ChatbotService/client/failure';
import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { wait } from '../../nodes/ChatbotService/client/wait';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
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
	limited,
	lost,
	message,
	ok,
	requestOf,
	tag,
	type Reaction,
} from './clients';
import { inTime } from './fakeTime';

/* What trouble of the account does to requests of clients, in virtual time. The waits are in gate.test.ts. */

describe('at a limit', () => {
	test.each<[string, Reaction[], number[]]>([
		['with the wait that follows', [limited(7), limited(2), ok], [8000, 3000]],
		['without a wait if it is given up', [limited(301)], [0]],
		['and of no other failure', [lost('ECONNREFUSED'), closed(), ok], []],
	])('the caller is told of each refusal, %s', async (_, reactions, waits) => {
		const { refused } = await ask(reactions);
		expect(refused.mock.calls.flat()).toEqual(waits);
	});

	test('the failure is that of the last refusal', async () => {
		const last = tooManyRequests(429, 301_000, 'Too Many Attempts.');
		expect(await failureOf([limited(1), limited(301)])).toEqual(last);
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
		const { caller, stop } = callerOf();
		for (let item = 0; item < 50; item++) void client.ask(caller, message);
		await jest.advanceTimersByTimeAsync(3000);
		stop.abort();
		expect(sent.length).toBeGreaterThanOrEqual(least);
		expect(sent.length).toBeLessThanOrEqual(most);
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
				client.ask(caller, requestOf({ parameters: [{ name: 'contact_id', value }] }));
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
		const { description } = tooManyRequests(429, 301_000, 'Too Many Attempts.');
		expect((await failureOf([limited(301)], requestOf({ limits }), account)).description).toBe(
			`${expected}${description}`,
		);
	});
});

/* How a failure delays requests that are made after it. */
test.each<[string, Reaction, ServiceRequest, number]>([
	['fails', broken, tag, 0],
	['fails and asks for a wait', busy(7), tag, 0],
	['cannot be reached before it has answered', lost('ECONNREFUSED'), tag, 0],
	['refuses the values', answer(422, { errors: {} }), tag, 0],
	['processes the request', ok, tag, 0],
	['is closed for two minutes', closed(120), message, 121_000],
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

test.each<[string, string, Reaction, number[]]>([
	['success', 'together', ok, [0, 1, 2, 2, 2]],
	['a refusal of its values', 'together', answer(422, { errors: {} }), [0, 1, 2, 2, 2]],
	['no answer', 'one by one', lost('ECONNRESET'), [0, 1, 2, 3, 4]],
])('after trouble, %s of the request that tries lets the others follow %s', async (_, __, end, seconds) => {
	const afterASecond = async () => {
		await wait(1000, new AbortController().signal);
		if (end instanceof Error) throw end;
		return end as ServiceAnswer;
	};
	const { client, times } = clientOf([closed(), afterASecond]);
	const { caller } = callerOf();
	const asked = [client.ask(caller, message)];
	await jest.advanceTimersByTimeAsync(10);
	for (let item = 0; item < 3; item++) asked.push(client.ask(caller, message));
	await inTime(Promise.all(asked));
	expect(times().map((at) => Math.round(at / 1000))).toEqual(seconds);
});

describe('a service that cannot be reached', () => {
	test.each<[string, boolean, Reaction[], attempts: number, seconds: number]>([
		['is tried three times before its first answer', true, [], 3, 3],
		['is tried three times for a list of the editor', false, [ok], 3, 3],
		['is tried for five minutes after an answer', true, [ok], 62, 297],
	])('%s', async (_, isPatient, before, attempts, seconds) => {
		const { client, sent } = clientOf([...before, lost('ECONNREFUSED')]);
		const { caller, gaveUp } = callerOf(isPatient);
		for (const answered of before)
			expect(await inTime(client.ask(caller, message))).toEqual(answered && done);
		const from = performance.now();
		expect(failureIn(await inTime(client.ask(caller, message)))).toMatchObject({ outcome: 'notDone' });
		expect(sent).toHaveLength(before.length + attempts);
		expect(Math.round((performance.now() - from) / 1000)).toBe(seconds);
		expect(gaveUp).toHaveBeenCalledTimes(1);
	});

	test('lets all requests of the account wait, if it has answered before', async () => {
		const account = accountOf();
		const [first, other] = [clientOf([ok, lost('ECONNREFUSED'), ok], account), clientOf([ok], account)];
		const { caller } = callerOf();
		await inTime(first.client.ask(caller, message));
		const again = first.client.ask(caller, message);
		await jest.advanceTimersByTimeAsync(10);
		const asked = other.client.ask(callerOf().caller, message);
		expect(await inTime(Promise.all([again, asked]))).toEqual([done, done]);
		expect(other.times()[0]).toBeGreaterThanOrEqual(1000);
	});
});

test('the five minutes of a request begin with its own trouble, not with its wait for others', async () => {
	const account = accountOf();
	const { client } = clientOf([broken, limited(20), limited(20), ok], account);
	void clientOf([closed(290), ok], account).client.ask(callerOf().caller, message);
	await jest.advanceTimersByTimeAsync(10);
	expect(await inTime(client.ask(callerOf().caller, tag))).toEqual(done);
});
