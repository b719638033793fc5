import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import { inTime, passTime, useVirtualTime } from '../virtualTime';
import { accountWith, after, inTurn, leavingRun, never, newRun, paceOf, times, unlimited } from './pacing';
import type { Ending } from './pacing';

/*
 * The promises after trouble that is not the fault of a request: a refusal by a limit, maintenance, a service that cannot be reached.
 * All times are in seconds.
 */

useVirtualTime();

const { tooManyRequests, underMaintenance, unreachable } = failures;

const limited = (seconds?: number): Ending => ({ failure: tooManyRequests(seconds && seconds * 1000) });
const closed = (seconds?: number): Ending => ({ failure: underMaintenance(seconds && seconds * 1000) });
const lost: Ending = { failure: unreachable(''), isAnswered: false };

const now = () => performance.now() / 1000;
const pass = async (until: number) => await passTime(until * 1000);

/** An account without a limit, so that only trouble delays its requests. */
function setUp(pace = unlimited) {
	const account = accountWith(pace);
	const { timesOf, send, sendAll } = account;
	const secondsOf = (name: string) => timesOf(name).map((at) => at / 1000);
	/** A request has trouble at once, and its run leaves. */
	const begin = async (trouble: Ending) => {
		const { run, leave } = leavingRun();
		void send('first', { run, answer: () => trouble });
		await pass(now());
		leave();
	};
	/** Sends requests of one run that all have trouble each time. @returns how they end, and after how many seconds */
	const sendInVain = async (trouble: Ending, count = 1, run = newRun()) => {
		const from = now();
		const ends = await sendAll(times(count, 'vain'), { run, answer: () => trouble });
		return { ends, seconds: now() - from };
	};
	return { ...account, secondsOf, begin, sendInVain };
}

const late = after(2000);
const oneByOne = [1, ...times(4, 3)];

test.each<[string, Ending, answer: () => Ending | Promise<Ending>, number[]]>([
	['a limit, one tries, and then the others', limited(), late, oneByOne],
	['no connection, one tries, and then the others', lost, late, oneByOne],
	['a wait of five minutes, it is over', closed(300), () => ({}), times(5, 301)],
	['any wait, a later run may go on at once', limited(1e9), () => ({}), times(5, 0)],
	['ten seconds without an answer, another one tries', closed(), never, [1, 11, 21]],
	['the end of one without an answer too', closed(), after(2000, { isAnswered: false }), [1, 3, 5, 7, 9]],
])('after %s', async (_, trouble, answer, seconds) => {
	const { sendAll, begin, secondsOf } = setUp();
	await begin(trouble);
	// Two runs.
	for (const count of [3, 2]) void sendAll(times(count, 'next'), { answer });
	await pass(seconds.at(-1)! + 1);
	expect(secondsOf('next')).toEqual(seconds);
});

const [run, list] = [{ isPatient: true }, { isPatient: false }];

test.each<[string, Ending, typeof run, least: number, most: number]>([
	['a run waits five minutes at a limit', limited(1), run, 290, 301],
	['a run waits five minutes for a connection', lost, run, 290, 301],
	['a run does not wait for longer', limited(320), run, 0, 0],
	['a list waits half a minute for a connection', lost, list, 25, 31],
	['a list waits half a minute for other maintenance', closed(1), list, 25, 31],
	['a list waits at a limit as long as a run', limited(), list, 290, 301],
	['a list does not wait for long maintenance', closed(121), list, 0, 0],
])('%s, and few requests try', async (_, trouble, sender, least, most) => {
	const { sendInVain, left } = setUp();
	// All of a run are told the failure at the same time.
	const count = sender.isPatient ? 20 : 1;
	const sent = [1, 2].map(async () => await sendInVain(trouble, count, { ...sender }));
	for (const { ends, seconds } of await inTime(Promise.all(sent))) {
		expect(ends).toEqual(times(count, trouble.failure));
		expect(seconds).toBeGreaterThanOrEqual(least);
		expect(seconds).toBeLessThanOrEqual(most);
	}
	expect(left.length).toBeLessThan(80);
});

test('single requests are told, and one a minute tries', async () => {
	const { sendInVain, left } = setUp();
	for (let second = 0; second < 300; second += 10) {
		await pass(second);
		expect(await inTime(sendInVain(limited(3600)))).toMatchObject({ seconds: 0 });
	}
	expect(left.map(({ at }) => at / 1000)).toEqual([0, 10, 70, 130, 190, 250]);
});

test('the wait is the longest that many ask for', async () => {
	const { send, sendAll, secondsOf } = setUp();
	void sendAll(times(10, 'many'), { answer: after(100, inTurn(limited(7), limited())) });
	await pass(0.5);
	void send('next');
	await pass(10);
	expect(secondsOf('next')).toEqual([8.1]);
});

test('a refusal by a limit does not end other trouble', async () => {
	const { send, sendAll, begin, secondsOf } = setUp(paceOf(10));
	await begin(closed());
	const telegram = { telegram: { count: 1, windowMs: 10_000 } };
	void send('refused', { limits: telegram, answer: inTurn(limited(5), {}) });
	await pass(1.5);
	void sendAll(times(3, 'next'), { answer: after(2000) });
	await pass(60);
	expect(secondsOf('next').map(Math.floor)).toEqual([1, 3, 3]);
});

describe('a request that is refused again and again', () => {
	test('ends after five minutes, and others get through', async () => {
		const { sendInVain, sendAll } = setUp();
		const refused = sendInVain(limited());
		// They need 400 seconds.
		const others = sendAll(times(400, 'other'), { answer: after(1000) });
		const { ends, seconds } = await inTime(refused);
		expect(ends).toEqual([limited().failure]);
		expect(seconds).toBeGreaterThan(290);
		expect(seconds).toBeLessThan(450);
		expect(await inTime(others)).toEqual(times(400, 'done'));
	});

	test('holds up others of its run for half a minute or so', async () => {
		const { sendInVain, sendAll, secondsOf } = setUp(paceOf(2));
		const run = newRun();
		void sendInVain(limited(), 1, run);
		expect(await inTime(sendAll(times(500, 'other'), { run }))).toEqual(times(500, 'done'));
		expect(secondsOf('other')[0]).toBeLessThan(40);
		expect(secondsOf('other').at(-1)).toBeLessThan(40 + 500);
	});
});
