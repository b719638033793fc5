import fc from 'fast-check';

import { BusyClock } from '../../bench/simulation/clock';
import { SimulatedService } from '../../bench/simulation/service';
import { accountLimits } from '../../nodes/ChatbotService/client/account';
import { tooManyRequests } from '../../nodes/ChatbotService/client/failure';
import { joinLimits, type Limits, type Pace } from '../../nodes/ChatbotService/client/pace/limits';
import { Scheduler, type Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { seededRandom } from '../../sandbox/emulator/random';
import { accountWith, inTurn, newRun, paceOf, times, unlimited } from './pacing';

/* Limits are kept, and used. How much of a limit whole broadcasts use, and how often the service refuses them, is in pace.test.ts. */

const refused = (retryAfterMs?: number) => ({ failure: tooManyRequests(429, retryAfterMs) });

describe('limits', () => {
	const anyRun = fc.constantFrom(newRun(), newRun(), newRun());

	test('No limit is ever exceeded, whatever the limits, the order and the answers (generated)', async () => {
		const message = fc.record({
			run: anyRun,
			messenger: fc.constantFrom('whatsapp', 'telegram', 'vk', undefined),
			answerMs: fc.oneof(fc.nat(200), fc.nat(20_000)),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 9 }),
				fc.array(message, { minLength: 1, maxLength: 30 }),
				fc.integer({ min: 1, max: 1000 }),
				async (perSecond, messages, seed) => {
					const { clock, sendAll, names } = accountWith(paceOf(perSecond));
					const random = seededRandom(seed);
					const account = accountLimits(perSecond);
					const service = new SimulatedService(clock, {
						limits: { ...account, ...messageLimits(undefined), ...messageLimits('whatsapp') },
						latencyMs: () => random() * 30,
					});
					for (const [index, { run, messenger, answerMs }] of messages.entries()) {
						const limits = messageLimits(messenger);
						const answer = async () => {
							await service.receive('x', Object.keys(joinLimits(account, limits)));
							await clock.sleep(answerMs);
							return {};
						};
						void sendAll([String(index)], { run, limits, answer });
					}
					await clock.run();
					expect(service.refused).toBe(0);
					const sent = names().map(Number);
					expect(sent.sort((a, b) => a - b)).toEqual([...messages.keys()]);
				},
			),
			{ numRuns: 60 },
		);
	});

	test('First requests, which also have to connect, do not exceed a limit', async () => {
		const { clock, sendAll, inTime } = accountWith();
		const latencies = [600, 300];
		const latencyMs = () => latencies.shift() ?? 1;
		const service = new SimulatedService(clock, { limits: accountLimits(2), latencyMs });
		const answer = async () => await service.receive('x', ['account']).then(() => ({}));
		await inTime(sendAll(times(20, 'x'), { answer }));
		expect([service.arrivals.length, service.refused]).toEqual([20, 0]);
	});

	test('Requests that leave late because the process is busy do not exceed a limit', async () => {
		const random = seededRandom(7);
		const busy = new BusyClock(
			() => random() * 500,
			() => random() * 1500,
		);
		const scheduler = new Scheduler(busy);
		scheduler.use(paceOf(2));
		const service = new SimulatedService(busy.outside, { limits: accountLimits(2) });
		for (let sent = 0; sent < 100; sent++) {
			void scheduler.slot({ run: newRun(), limits: {} }).then(async (slot) => {
				await busy.sleep(30);
				await service.receive('x', ['account']);
				await busy.sleep(0);
				scheduler.release(slot as Slot, true);
			});
		}
		await busy.outside.run();
		expect([service.arrivals.length, service.refused]).toEqual([100, 0]);
	});

	test.each<[string, Pace, number]>([
		['all of it without other processes', paceOf(5), 100],
		['an equal part in whole requests', paceOf(6, { workers: 2 }), 60],
		['an equal part in even spacing', paceOf(2, { workers: 5 }), 8],
		['all of it for less than one per second', paceOf(0.5), 10],
		['everything without a limit', unlimited, 1000],
	])('A process uses its share of a limit: %s', async (_, pace, expected) => {
		const { clock, sendAll, left } = accountWith(pace);
		void sendAll(times(1000, 'x'));
		await clock.run(19_999);
		expect(left.length).toBeGreaterThanOrEqual(expected * 0.95);
		expect(left.length).toBeLessThanOrEqual(expected);
	});

	test.each([1, 2])(
		'An account slows down while it is refused again and again, and recovers afterwards, with %i workers',
		async (workers) => {
			const { clock, sendAll, left, inTime } = accountWith(paceOf(2, { workers }));
			let asked = 0;
			const answer = () => (clock.now() < 30_000 * workers && asked++ % 3 === 0 ? refused(0) : {});
			// As many as can leave within 660 seconds.
			await inTime(sendAll(times(1320 / workers, 'x'), { answer }));
			const share = (from: number, until: number) =>
				(left.filter(({ at }) => at >= from && at < until).length * 500 * workers) / (until - from);
			expect(share(30_000 * workers, 60_000 * workers)).toBeLessThan(0.95);
			expect(share(600_000, 650_000)).toBeGreaterThan(0.98);
		},
	);
});

describe('which of two limits a refusal means', () => {
	const short: Limits = { short: { count: 2, windowMs: 1000 } };
	const long: Limits = { long: { count: 10, windowMs: 10_000 } };

	/* For how many seconds requests with only one of the limits wait, after a request with both was refused. */
	test.each<[string, number | undefined, object]>([
		['the fuller one', undefined, { short: 1, long: 0 }],
		['the fuller one if both windows are as long as the wait', 1000, { short: 2, long: 0 }],
		['the one whose window is as long as the wait', 7000, { short: 0, long: 8 }],
		['the fuller one after a minute, as Laravel counts', 60_000, { short: 61, long: 0 }],
		[
			"the messenger's after more, because the account's would stop everybody",
			61_000,
			{ short: 0, long: 62 },
		],
	])('%s', async (_, askedMs, expected) => {
		for (const limits of [
			{ ...short, ...long },
			{ ...long, ...short },
		]) {
			const { clock, timesOf, send } = accountWith(unlimited);
			void send({ limits, answer: () => refused(askedMs) });
			await clock.run(0);
			for (const [name, limit] of Object.entries(limits)) void send({ name, limits: { [name]: limit } });
			await clock.run(100_000);
			const secondsOf = (name: string) => Math.round(timesOf(name)[0]! / 1000);
			expect({ short: secondsOf('short'), long: secondsOf('long') }).toEqual(expected);
		}
	});

	test('the one that is not known to be tight, if both are equally full', async () => {
		const { clock, timesOf, send } = accountWith(unlimited);
		const second = { count: 2, windowMs: 1000 };
		void send({ limits: { tight: second }, answer: inTurn(refused(), {}) });
		await clock.run(5000);
		void send({ limits: { tight: second, other: second }, answer: () => refused() });
		await clock.run(5500);
		for (const name of ['tight', 'other']) void send({ name, limits: { [name]: second } });
		await clock.run(10_000);
		expect(timesOf('tight')[0]).toBeLessThan(6000);
		expect(timesOf('other')[0]).toBeGreaterThanOrEqual(6000);
	});
});
