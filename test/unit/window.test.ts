import { sleep } from 'n8n-workflow';
import fc from 'fast-check';

import { accountLimits } from '../../nodes/ChatbotService/client/credential/account';
import { tooManyRequests } from '../../nodes/ChatbotService/client/failure/failure';
import {
	joinLimits,
	type Limit,
	type Limits,
	type Pace,
} from '../../nodes/ChatbotService/client/pace/limits';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { inTime, passTime, useVirtualTime } from '../virtualTime';
import { accountWith, newRun, paceOf, times, unlimited } from './pacing';

/* Limits are kept. How whole broadcasts use them, slow down after refusals and recover, is in test/simulation. */

useVirtualTime();

const refused = (retryAfterMs?: number) => ({ failure: tooManyRequests(429, retryAfterMs) });

/** Whether more requests than allowed came within a window. @param at when the service counted them */
const isExceeded = ({ count, windowMs }: Limit, at: number[]) =>
	at.some((each, index) => each - at[index - count]! < windowMs);

describe('limits', () => {
	test('No limit is ever exceeded, whatever the limits, the order and the answers (generated)', async () => {
		const message = fc.record({
			run: fc.constantFrom(newRun(), newRun(), newRun()),
			messenger: fc.constantFrom('whatsapp', 'telegram', 'vk', undefined),
			/** From the departure until the service counts it, and from then until the answer. */
			latencyMs: fc.nat(30),
			answerMs: fc.oneof(fc.nat(200), fc.nat(20_000)),
		});
		const messages = fc.array(message, { minLength: 1, maxLength: 30 });
		await fc.assert(
			fc.asyncProperty(fc.integer({ min: 1, max: 9 }), messages, async (perSecond, sent) => {
				const { sendAll, left } = accountWith(paceOf(perSecond));
				const counted = new Map<string, { limit: Limit; at: number[] }>();
				for (const { run, messenger, latencyMs, answerMs } of sent) {
					const limits = messageLimits(messenger);
					const answer = async () => {
						await sleep(latencyMs);
						for (const [name, limit] of Object.entries(joinLimits(accountLimits(perSecond), limits))) {
							const { at } = counted.get(name) ?? { at: [] };
							counted.set(name, { limit, at: [...at, performance.now()] });
						}
						await sleep(answerMs);
						return {};
					};
					void sendAll(['x'], { run, limits, answer });
				}
				await passTime();
				expect(left).toHaveLength(sent.length);
				expect([...counted].filter(([, { limit, at }]) => isExceeded(limit, at))).toEqual([]);
			}),
			{ numRuns: 60 },
		);
	});

	test('First requests, which also have to connect, do not exceed a limit', async () => {
		const { sendAll } = accountWith();
		const latencies = [600, 300];
		const at: number[] = [];
		const answer = async () => {
			await sleep(latencies.shift() ?? 1);
			at.push(performance.now());
			return {};
		};
		await inTime(sendAll(times(20, 'x'), { answer }));
		expect([at.length, isExceeded({ count: 2, windowMs: 1000 }, at)]).toEqual([20, false]);
	});

	test.each<[string, Pace, number]>([
		['all of it without other processes', paceOf(5), 100],
		['an equal part in whole requests', paceOf(6, { workers: 2 }), 60],
		['an equal part in even spacing', paceOf(2, { workers: 5 }), 8],
		[
			'an equal part in even spacing, where whole requests would leave much unused',
			paceOf(7, { workers: 2 }),
			70,
		],
		['all of it for less than one per second', paceOf(0.5), 10],
		['everything without a limit', unlimited, 1000],
	])('A process uses its share of a limit: %s', async (_, pace, expected) => {
		const { sendAll, left } = accountWith(pace);
		void sendAll(times(1000, 'x'));
		await passTime(19_999);
		expect(left.length).toBeGreaterThanOrEqual(expected * 0.95);
		expect(left.length).toBeLessThanOrEqual(expected);
	});
});

/* For how many seconds requests with only one of the limits wait, after a request with both was refused. */
test.each<[string, number | undefined, object]>([
	['the fuller one', undefined, { short: 1, long: 0 }],
	['the one whose window is as long as the wait', 7000, { short: 0, long: 8 }],
	['the same, to the second', 10_000, { short: 0, long: 11 }],
	['the fuller one after a minute, as Laravel counts', 60_000, { short: 61, long: 0 }],
	["the messenger's after more, because the account's would stop everybody", 61_000, { short: 0, long: 62 }],
])('Of two limits, a refusal means %s', async (_, askedMs, expected) => {
	const limits: Limits = { short: { count: 2, windowMs: 1000 }, long: { count: 10, windowMs: 10_000 } };
	const { timesOf, send } = accountWith(unlimited);
	void send('both', { limits, answer: () => refused(askedMs) });
	await passTime(0);
	for (const [name, limit] of Object.entries(limits)) void send(name, { limits: { [name]: limit } });
	await passTime(100_000);
	const secondsOf = (name: string) => Math.round(timesOf(name)[0]! / 1000);
	expect({ short: secondsOf('short'), long: secondsOf('long') }).toEqual(expected);
});
