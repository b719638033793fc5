import {
	tooManyRequests,
	underMaintenance,
	unreachable,
} from '../../nodes/ChatbotService/client/failure/failure';
import { inTime, passTime, useVirtualTime } from '../virtualTime';
import {
	accountWith,
	after,
	inTurn,
	leavingRun,
	never,
	newRun,
	paceOf,
	times,
	unlimited,
	type Ending,
} from './pacing';

/*
 * The promises after trouble that is not the fault of a request: a refusal by a limit, maintenance, a service that cannot be reached.
 * All times are in seconds.
 */

useVirtualTime();

const limited = (seconds?: number): Ending => ({ failure: tooManyRequests(429, seconds && seconds * 1000) });
const maintained = (seconds?: number): Ending => ({
	failure: underMaintenance(503, seconds && seconds * 1000),
});
const notConnected = (): Ending => ({ failure: unreachable(''), isAnswered: false });

/** A limit of some requests, beside that of the account. */
const telegram = { telegram: { count: 1, windowMs: 10_000 } };

const now = () => performance.now() / 1000;
const pass = async (until: number) => await passTime(until * 1000);

/** An account without a limit, so that only trouble delays its requests. */
function setUp(pace = unlimited) {
	const account = accountWith(pace);
	const { timesOf, left, send, sendAll } = account;
	const secondsOf = (name: string) => timesOf(name).map((at) => at / 1000);
	const allSeconds = () => left.map(({ at }) => at / 1000);
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
	return { ...account, secondsOf, allSeconds, begin, sendInVain };
}

describe.each<[string, typeof limited]>([
	['a refusal by a limit', limited],
	['maintenance', maintained],
	['no connection', notConnected],
])('after %s', (_, trouble) => {
	test('nothing leaves for a while, then one request tries, and the others follow when it has succeeded', async () => {
		const { sendAll, begin, allSeconds } = setUp();
		await begin(trouble());
		for (const name of ['a', 'b']) void sendAll(times(3, name), { answer: after(2000) });
		await pass(60);
		expect(allSeconds()).toEqual([0, 1, ...times(5, 3)]);
	});

	test('all that wait are told the failure after five minutes, and few requests have tried, even if it asks for a second', async () => {
		const { sendInVain, allSeconds } = setUp();
		const sent = [sendInVain(trouble(1), 20), sendInVain(trouble(1), 20)];
		for (const { ends, seconds } of await inTime(Promise.all(sent))) {
			expect(ends).toEqual(times(20, trouble(1).failure));
			expect(seconds).toBeGreaterThan(290);
			expect(seconds).toBeLessThanOrEqual(301);
		}
		expect(allSeconds().length).toBeLessThan(80);
	});
});

describe('the wait', () => {
	test('is the longest that is asked for, however many have trouble at the same time', async () => {
		const { send, sendAll, secondsOf } = setUp();
		void sendAll(times(10, 'many'), { answer: after(100, inTurn(limited(7), limited())) });
		await pass(0.5);
		void send('next');
		await pass(10);
		expect(secondsOf('next')).toEqual([8.1]);
	});
});

describe('the request that tries', () => {
	test.each<[string, () => Promise<Ending>, number[]]>([
		['ten seconds, if it has no answer until then', never, [1, 11, 21]],
		['its end, if it ends without an answer', after(2000, { isAnswered: false }), [1, 3, 5]],
	])('is followed by another one after %s', async (_, answer, seconds) => {
		const { sendAll, begin, secondsOf } = setUp();
		await begin(maintained());
		void sendAll(times(5, 'next'), { answer });
		await pass(seconds.at(-1)! + 1);
		expect(secondsOf('next')).toEqual(seconds);
	});

	test('is the only one whose success ends the trouble: those that left before tell nothing', async () => {
		const { send, secondsOf } = setUp();
		void send('early', { answer: after(500) });
		void send('closes', { answer: after(100, maintained()) });
		await pass(0.2);
		void send('next');
		await pass(10);
		expect(secondsOf('next')).toEqual([1.1]);
	});

	test('lets another one try at once if it is refused by a limit, which tells nothing about other trouble', async () => {
		const { send, sendAll, begin, secondsOf } = setUp(paceOf(10));
		await begin(maintained());
		void send('refused', { limits: telegram, answer: inTurn(limited(5), {}) });
		await pass(1.5);
		void sendAll(times(3, 'next'), { answer: after(2000) });
		await pass(60);
		expect(secondsOf('next').map(Math.floor)).toEqual([1, 3, 3]);
	});
});

describe('a run', () => {
	test('waits for as long as the service asks, up to five minutes', async () => {
		const { sendAll, begin, secondsOf } = setUp();
		await begin(maintained(300));
		expect(await inTime(sendAll(times(3, 'next')))).toEqual(times(3, 'done'));
		expect(secondsOf('next')[0]).toBe(301);
	});

	test('is told the failure at once if the service asks for longer; a later one too, after one request', async () => {
		const { sendInVain, allSeconds } = setUp();
		const vain = { ends: times(20, limited(320).failure), seconds: 0 };
		expect(await inTime(sendInVain(limited(320), 20))).toEqual(vain);
		const sent = allSeconds().length;
		await pass(10);
		expect(await inTime(sendInVain(limited(320), 20))).toEqual(vain);
		expect(allSeconds().slice(sent)).toEqual([10]);
	});

	test('of one request each is told the failure at once, and one of them a minute tries', async () => {
		const { sendInVain, allSeconds } = setUp();
		await sendInVain(limited(3600), 1);
		for (let second = 10; second < 500; second += 10) {
			await pass(second);
			expect(await inTime(sendInVain(limited(3600), 1))).toMatchObject({ seconds: 0 });
		}
		const sent = allSeconds();
		expect(sent).toEqual([0, 10, 70, 130, 190, 250, 310, 370, 430, 490]);
	});

	test('that comes later may go on if its first request succeeds, however long the service has asked for', async () => {
		const { sendAll, begin, allSeconds } = setUp();
		await begin(limited(1e9));
		expect(await inTime(sendAll(times(5, 'later')))).toEqual(times(5, 'done'));
		expect(allSeconds()).toEqual(times(6, 0));
	});
});

describe('a request that is refused again and again while others get through', () => {
	test('ends after five minutes of its own waits, and the others are done', async () => {
		const { sendInVain, sendAll } = setUp();
		const refused = sendInVain(limited());
		const others = sendAll(times(400, 'other'), { answer: after(1000) });
		const { ends, seconds } = await inTime(refused);
		expect(ends).toEqual([limited().failure]);
		expect(seconds).toBeGreaterThan(290);
		// The others need 400 seconds.
		expect(seconds).toBeLessThan(450);
		expect(await inTime(others)).toEqual(times(400, 'done'));
	});

	test('does not hold up the others of its run for longer than half a minute or so', async () => {
		const { sendInVain, sendAll, secondsOf } = setUp(paceOf(2));
		const run = newRun();
		void sendInVain(limited(), 1, run);
		expect(await inTime(sendAll(times(1000, 'other'), { run }))).toEqual(times(1000, 'done'));
		expect(secondsOf('other')[0]).toBeLessThan(40);
		expect(secondsOf('other').at(-1)).toBeLessThan(40 + 1000);
	});
});

test.each<[string, Ending, least: number, most: number]>([
	['half a minute if the service cannot be reached', notConnected(), 25, 31],
	['longer for maintenance that says so', maintained(20), 80, 101],
	['as long for maintenance that asks for a second', maintained(1), 25, 31],
	['as long as a run at a limit', limited(), 290, 301],
	['not at all if maintenance takes more than two minutes', maintained(121), 0, 0],
	['not at all if a limit asks for more than two minutes', limited(121), 0, 0],
])('a request alone, for which a person waits, waits %s', async (_, trouble, least, most) => {
	const { ends, seconds } = await inTime(setUp().sendInVain(trouble, 1, { isPatient: false }));
	expect(ends).toEqual([trouble.failure]);
	expect(seconds).toBeGreaterThanOrEqual(least);
	expect(seconds).toBeLessThanOrEqual(most);
});
