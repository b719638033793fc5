import { tooManyRequests, underMaintenance, unreachable } from '../../nodes/ChatbotService/client/failure';
import { accountWith, inTurn, newRun, paceOf, times, unlimited, type Ending } from './pacing';

/*
 * The promises after trouble that is not the fault of a request: a refusal by a limit, maintenance, a service that cannot be reached.
 * All times are in seconds.
 */

const milliseconds = (seconds?: number) => (seconds === undefined ? undefined : seconds * 1000);
const limited = (seconds?: number): Ending => ({ failure: tooManyRequests(429, milliseconds(seconds)) });
const maintained = (seconds?: number): Ending => ({ failure: underMaintenance(503, milliseconds(seconds)) });
const notConnected = (): Ending => ({ failure: unreachable(''), isAnswered: false });

/** An account without a limit, so that only trouble delays its requests. */
function setUp(pace = unlimited) {
	const account = accountWith(pace);
	const { clock, scheduler, timesOf, left, send, sendAll } = account;
	const secondsOf = (name: string) => timesOf(name).map((at) => at / 1000);
	const allSeconds = () => left.map(({ at }) => at / 1000);
	const run = async (seconds: number) => await clock.run(seconds * 1000);
	const after = (seconds: number, ending?: Ending) => account.after(seconds * 1000, ending);
	/** A request has trouble at once, and its run leaves. */
	const begin = async (trouble: Ending) => {
		const leaving = newRun();
		void send({ run: leaving, name: 'first', answer: () => trouble });
		await clock.run(clock.now());
		scheduler.leave(leaving);
	};
	/** Sends requests of one run that all have trouble each time. @returns how they end, and after how many seconds */
	const sendInVain = async (trouble: Ending, count = 1, sender = newRun()) => {
		const from = clock.now();
		const ends = await sendAll(times(count, 'vain'), { run: sender, answer: () => trouble });
		return { ends, seconds: (clock.now() - from) / 1000 };
	};
	return { ...account, secondsOf, allSeconds, run, after, begin, sendInVain };
}

describe.each([
	['a refusal by a limit', limited],
	['maintenance', maintained],
	['no connection', notConnected],
])('after %s', (_, trouble) => {
	test('nothing leaves for a while, then one request tries, and the others follow when it has succeeded', async () => {
		const { sendAll, run, after, begin, allSeconds } = setUp();
		await begin(trouble());
		for (const name of ['a', 'b']) void sendAll(times(3, name), { answer: after(2) });
		await run(60);
		expect(allSeconds()).toEqual([0, 1, ...times(5, 3)]);
	});

	test('the waits become longer while requests try in vain, up to five seconds', async () => {
		const { sendInVain, run, allSeconds } = setUp();
		await run(100);
		void sendInVain(trouble());
		await run(130);
		expect(allSeconds()).toEqual([100, 101, 103, 107, 112, 117, 122, 127]);
	});

	test('all that wait are told the failure after five minutes, and few requests have tried', async () => {
		const { clock, sendInVain, allSeconds } = setUp();
		const sent = [sendInVain(trouble(), 20), sendInVain(trouble(), 20)];
		await clock.run();
		for (const { ends, seconds } of await Promise.all(sent)) {
			expect(ends).toEqual(times(20, trouble().failure));
			expect(seconds).toBeGreaterThan(290);
			expect(seconds).toBeLessThanOrEqual(301);
		}
		// One tries every five seconds.
		expect(allSeconds().length).toBeLessThan(80);
	});
});

describe('the wait', () => {
	test.each<[string, Ending, number[]]>([
		['as long as the service asks, and a second for its rounding', limited(7), [8, 16, 24]],
		['its own if it is longer', limited(0.5), [1.5, 3.5, 7.5, 12.5]],
		['its own if the service asks for none', maintained(0), [1, 3, 7, 12]],
		['as long as the service asks, in fractions too', maintained(20.25), [21.25, 42.5]],
	])('is %s', async (_, trouble, seconds) => {
		const { sendInVain, run, allSeconds } = setUp();
		void sendInVain(trouble);
		await run(seconds.at(-1)!);
		expect(allSeconds()).toEqual([0, ...seconds]);
	});

	test('is not longer after simultaneous trouble of many', async () => {
		const { send, sendAll, run, after, secondsOf } = setUp();
		void sendAll(times(10, 'many'), { answer: after(0.1, limited()) });
		await run(0.5);
		void send({ name: 'next' });
		await run(10);
		expect(secondsOf('next')).toEqual([1.1]);
	});

	test('of a limit delays only requests that count towards it', async () => {
		const { sendAll, run, secondsOf } = setUp(paceOf(10));
		const limits = { telegram: { count: 1, windowMs: 10_000 } };
		void sendAll(['refused', 'waits'], { limits, answer: inTurn(limited(20), {}) });
		void sendAll(['goes']);
		await run(60);
		expect(secondsOf('goes')[0]).toBeLessThan(1);
		expect(Math.min(secondsOf('refused')[1]!, ...secondsOf('waits'))).toBe(21);
	});
});

describe('the request that tries', () => {
	test('is the only one whose success ends the trouble: those that left before tell nothing', async () => {
		const { send, run, after, secondsOf } = setUp();
		void send({ answer: after(0.5) });
		void send({ answer: after(0.1, maintained()) });
		await run(0.2);
		void send({ name: 'next' });
		await run(10);
		expect(secondsOf('next')).toEqual([1.1]);
	});

	test('is followed by another one if it has no answer for ten seconds', async () => {
		const { sendAll, run, begin, secondsOf, pending } = setUp();
		await begin(limited());
		void sendAll(times(5, 'next'), { answer: pending });
		await run(30);
		expect(secondsOf('next')).toEqual([1, 11, 21]);
	});

	test('is followed by another one at once if it ends without an answer, but the trouble goes on', async () => {
		const { sendAll, run, after, begin, secondsOf } = setUp();
		await begin(maintained());
		void sendAll(times(5, 'next'), { answer: after(2, { isAnswered: false }) });
		await run(6);
		expect(secondsOf('next')).toEqual([1, 3, 5]);
	});

	test('tells nothing about other trouble if it is refused by a limit', async () => {
		const { send, sendAll, run, after, begin, secondsOf } = setUp(paceOf(10));
		const limits = { telegram: { count: 1, windowMs: 10_000 } };
		await begin(maintained());
		void send({ limits, answer: inTurn(limited(5), {}) });
		await run(1.5);
		void sendAll(times(3, 'next'), { answer: after(2) });
		await run(60);
		expect(secondsOf('x')).toEqual([1, 7]);
		expect(secondsOf('next').map(Math.floor)).toEqual([1, 3, 3]);
	});
});

describe('a run', () => {
	test('waits for as long as the service asks, up to five minutes', async () => {
		const { sendAll, begin, secondsOf, inTime } = setUp();
		await begin(maintained(300));
		expect(await inTime(sendAll(times(3, 'next')))).toEqual(times(3, 'done'));
		expect(secondsOf('next')[0]).toBe(301);
	});

	test.each([320, 3600, 1e9])(
		'is told the failure at once if the service asks for %d seconds; a later one too, after one request',
		async (seconds) => {
			const { sendInVain, run, allSeconds, inTime } = setUp();
			const vain = { ends: times(20, limited(seconds).failure), seconds: 0 };
			expect(await inTime(sendInVain(limited(seconds), 20))).toEqual(vain);
			const sent = allSeconds().length;
			await run(10);
			expect(await inTime(sendInVain(limited(seconds), 20))).toEqual(vain);
			expect(allSeconds().slice(sent)).toEqual([10]);
		},
	);

	test('that comes later may go on if its first request succeeds, however long the service has asked for', async () => {
		const { sendAll, begin, inTime, allSeconds } = setUp();
		await begin(limited(1e9));
		expect(await inTime(sendAll(times(5, 'later')))).toEqual(times(5, 'done'));
		expect(allSeconds()).toEqual(times(6, 0));
	});

	test('that waits already is told too, without a request of its own', async () => {
		const { send, sendAll, after, inTime, names } = setUp(paceOf(1));
		void send({ answer: after(0.5, limited(400)) });
		expect(await inTime(sendAll(times(5, 'waiting')))).toEqual(times(5, limited(400).failure));
		expect(names()).toEqual(['x']);
	});

	test('that only waits for another limit meanwhile may still try', async () => {
		const { send, sendAll, run } = setUp(paceOf(1));
		const limits = { telegram: { count: 1, windowMs: 10_000 } };
		const waiting = newRun();
		void send({ limits, answer: () => limited(400) });
		void sendAll(times(3, 'without'), { run: waiting });
		await run(3);
		const sent = send({ run: waiting, limits });
		await run(5);
		expect(await sent).toBe('done');
	});

	test('goes on as long as requests get through now and then', async () => {
		const { clock, sendAll, inTime } = setUp();
		let asked = 0;
		const sent = sendAll(times(1000, 'x'), { answer: () => (asked++ % 2 ? {} : limited()) });
		expect(await inTime(sent)).toEqual(times(1000, 'done'));
		expect(clock.now()).toBeGreaterThan(900_000);
	});

	test('that leaves ends its waits at once, while a request of another run tries', async () => {
		const { scheduler, sendAll, run, begin, pending } = setUp();
		await begin(limited());
		void sendAll(['tries'], { answer: pending });
		await run(2);
		const leaving = newRun();
		const sent = sendAll(['leaving'], { run: leaving });
		scheduler.leave(leaving);
		expect(await sent).toEqual(['left']);
	});
});

describe('a request that is refused again and again while others get through', () => {
	test('ends after five minutes of its own waits, and the others are done', async () => {
		const { clock, sendInVain, sendAll, after } = setUp();
		const refused = sendInVain(limited());
		const others = sendAll(times(400, 'other'), { answer: after(1) });
		await clock.run();
		const { ends, seconds } = await refused;
		expect(ends).toEqual([limited().failure]);
		expect(seconds).toBeGreaterThan(290);
		// The others need 400 seconds.
		expect(seconds).toBeLessThan(450);
		expect(await others).toEqual(times(400, 'done'));
	});

	test('does not hold up the others of its run for longer than half a minute or so', async () => {
		const { sendInVain, sendAll, secondsOf, inTime } = setUp(paceOf(2));
		const run = newRun();
		void sendInVain(limited(), 1, run);
		expect(await inTime(sendAll(times(1000, 'other'), { run }))).toEqual(times(1000, 'done'));
		expect(secondsOf('other')[0]).toBeLessThan(40);
		expect(secondsOf('other').at(-1)).toBeLessThan(40 + 1000);
	});
});

describe('a request alone, for which a person waits,', () => {
	test.each<[string, Ending, least: number, most: number]>([
		['half a minute for maintenance', maintained(), 25, 31],
		['half a minute if the service cannot be reached', notConnected(), 25, 31],
		['longer for maintenance that says so', maintained(20), 80, 101],
		['as long as a run at a limit', limited(), 290, 301],
		['not at all if maintenance takes more than two minutes', maintained(121), 0, 0],
		['not at all if a limit asks for more than two minutes', limited(121), 0, 0],
	])('waits %s', async (_, trouble, least, most) => {
		const { sendInVain, inTime } = setUp();
		const { ends, seconds } = await inTime(sendInVain(trouble, 1, { isPatient: false }));
		expect(ends).toEqual([trouble.failure]);
		expect(seconds).toBeGreaterThanOrEqual(least);
		expect(seconds).toBeLessThanOrEqual(most);
	});
});
