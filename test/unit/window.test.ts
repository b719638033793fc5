import { sleep } from 'n8n-workflow';

import { readAccount } from '../../nodes/ChatbotService/client/credential/account';
import { tooManyRequests } from '../../nodes/ChatbotService/client/failure/failure';
import { readCount, type Count } from '../../nodes/ChatbotService/client/pace/bursts';
import { joinLimits, type Limits, type Pace } from '../../nodes/ChatbotService/client/pace/limits';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/messageLimits';
import { inTime, passTime, useVirtualTime } from '../virtualTime';
import { accountWith, after, paceOf, times, unlimited } from './pacing';

/*
 * Which limits a request counts towards, that they are kept, and the service's own count of a minute. How whole broadcasts use them, slow
 * down after refusals and recover is in test/simulation.
 */

useVirtualTime();

const ten = { count: 10, windowMs: 10_000 };
const anyOfThem: Limits = Object.fromEntries(
	['telegram', 'viber', 'max'].map((each) => [each, { ...ten, assumed: true }]),
);

test.each<[string | undefined, Limits]>([
	['whatsapp', { whatsapp: { count: 1, windowMs: 10_000 } }],
	...['telegram', 'viber', 'max'].map((each): [string, Limits] => [each, { [each]: ten }]),
	['vk', {}],
	...['__proto__', 'widget', undefined].map((each): [string | undefined, Limits] => [each, anyOfThem]),
])('a message to %s has the limits of its messenger', (messenger, limits) => {
	expect(messageLimits(messenger)).toEqual(limits);
});

test.each<[string | undefined, Limits]>([
	[undefined, {}],
	['whatsapp', messageLimits('whatsapp')],
])('an account without a limit keeps a sure one of %s', (messenger, limits) => {
	expect(joinLimits(readAccount({ requestsPerSecond: 0 }).limits, messageLimits(messenger))).toEqual(limits);
});

test('first requests, which connect, keep a limit', async () => {
	const { sendAll } = accountWith();
	const latencies = [600, 300];
	const at: number[] = [];
	const answer = async () => {
		await sleep(latencies.shift() ?? 1);
		at.push(performance.now());
		return {};
	};
	await inTime(sendAll(times(20, 'x'), { answer }));
	expect(at).toHaveLength(20);
	// Two per second, when the service counts them.
	for (const [index, each] of at.slice(2).entries()) expect(each - at[index]!).toBeGreaterThanOrEqual(1000);
});

test.each<[string, Pace, number]>([
	['all of it without other processes', paceOf(5), 100],
	['an equal part in whole requests', paceOf(6, { workers: 2 }), 60],
	['an equal part in even spacing', paceOf(2, { workers: 5 }), 8],
	['such a part too if whole requests leave much unused', paceOf(7, { workers: 2 }), 70],
	['all of it for less than one per second', paceOf(0.5), 10],
])('a process uses its share of a limit: %s', async (_, pace, expected) => {
	const { sendAll, left } = accountWith(pace);
	void sendAll(times(1000, 'x'));
	await passTime(19_999);
	expect(left.length).toBeGreaterThanOrEqual(expected * 0.95);
	expect(left.length).toBeLessThanOrEqual(expected);
});

/* For how many seconds requests with only one of the limits wait, after a request with both was refused. */
test.each<[string, number | undefined, short: number, long: number]>([
	['the fuller one', undefined, 1, 0],
	['the one whose window is as long as the wait', 7000, 0, 8],
	['the same, to the second', 10_000, 0, 11],
	['the fuller one after a minute, as Laravel counts', 60_000, 61, 0],
	["the messenger's after more, because the account's would stop everybody", 61_000, 0, 62],
])('of two limits, a refusal means %s', async (_, askedMs, short, long) => {
	const limits: Limits = { short: { count: 2, windowMs: 1000 }, long: ten };
	const { timesOf, send } = accountWith(unlimited);
	void send('both', { limits, answer: () => ({ failure: tooManyRequests(askedMs) }) });
	await passTime(0);
	for (const [name, limit] of Object.entries(limits)) void send(name, { limits: { [name]: limit } });
	await passTime(100_000);
	const seconds = ['short', 'long'].map((name) => Math.round(timesOf(name)[0]! / 1000));
	expect(seconds).toEqual([short, long]);
});

describe("the service's count of a minute", () => {
	test.each<[unknown, unknown, Count | undefined]>([
		['120', '120', { limit: 120, remaining: 120 }],
		['0', '0', undefined],
		['120', undefined, undefined],
	])('is read from the headers %j and %j: %j', (total, remaining, count) => {
		expect(readCount({ 'x-ratelimit-limit': total, 'x-ratelimit-remaining': remaining })).toEqual(count);
	});

	type Counting = (sent: number) => Count | undefined;
	const of = (limit: number, remaining: number): Count => ({ limit, remaining: Math.max(0, remaining) });

	/** 120 per minute. */
	const truth = (sent: number) => of(120, 120 - sent);

	/** Sends with two requests per second, when answers have this count. */
	function sendWith(requests: number, count: Counting, { bursts = true, limits = {} } = {}) {
		const { left, sendAll } = accountWith(paceOf(2, { bursts }));
		const answer = () => after(40, { count: count(left.length) })();
		void sendAll(times(requests, 'x'), { limits, answer });
		const sentIn = (from: number, until: number) => left.filter(({ at }) => at >= from && at < until).length;
		return { left, sentIn };
	}

	test('is waited for when used up, also without Bursts', async () => {
		const used = (sent: number) => of(120, 119 - 5 * (sent - 1));
		const { sentIn } = sendWith(100, used, { bursts: false });
		await passTime(65_000);
		expect([sentIn(20_000, 60_000), sentIn(60_000, 65_000) > 0]).toEqual([0, true]);
	});

	test.each<[string, Counting, boolean]>([
		['Bursts is off', truth, false],
		['the count is of another limit', (sent) => of(60, 60 - sent), true],
	])('leaves the pace even if %s', async (_, count, bursts) => {
		const { sentIn } = sendWith(40, count, { bursts });
		await passTime(20_000);
		expect([sentIn(0, 18_000) >= 34, sentIn(0, 5000) <= 10]).toEqual([true, true]);
	});

	test.each(['telegram', 'whatsapp'])('does not outweigh the limit of %s', async (messenger) => {
		const limits = messageLimits(messenger);
		const { count, windowMs } = limits[messenger]!;
		const { left } = sendWith(25, truth, { limits });
		await passTime();
		expect(left[count - 1]!.at).toBeLessThan(1000);
		for (const [index, { at }] of left.slice(count).entries())
			expect(at - left[index]!.at).toBeGreaterThanOrEqual(windowMs);
	});

	test('is trusted again after a minute used up by others', async () => {
		const { left, sendAll } = accountWith(paceOf(2, { bursts: true }));
		const refusal = after(900, { failure: tooManyRequests(58_000) });
		const answers = [after(40, { count: truth(1) }), after(1500, { count: truth(120) }), refusal];
		const answer = async () => await (answers.shift() ?? after(40, { count: truth(left.length - 3) }))();
		void sendAll(times(60, 'x'), { answer });
		await passTime(65_000);
		expect(left.length).toBeGreaterThan(50);
	});
});
