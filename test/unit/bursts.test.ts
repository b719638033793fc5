import fc from 'fast-check';

import { VirtualClock } from '../../bench/simulation/clock';
import { Bursts, readCount } from '../../nodes/ChatbotService/client/pace/bursts';

/* The count of a minute that the service reports. How the pace uses it is in window.test.ts, scheduler.test.ts and pace.test.ts. */

const limit = 120;
const minuteMs = 60_000;

/** A limit of two per second, which is 120 per minute. By default, an answer takes 10 ms. */
function setUp() {
	const bursts = new Bursts({ count: 2, windowMs: 1000 });
	/** Requests in flight, sent at the same time. */
	const send = (at: number, requests = 1) => {
		for (let sent = 0; sent < requests; sent++) bursts.send(at);
	};
	/** The answer to a request in flight. @param remaining requests left of the minute; undefined if the answer has no count */
	const end = (sentAt: number, at: number, remaining?: number) =>
		bursts.answered(sentAt, at, remaining === undefined ? undefined : { limit, remaining });
	/** A request and its answer. */
	const answer = (at: number, remaining?: number, tookMs = 10) => {
		bursts.send(at);
		end(at, at + tookMs, remaining);
	};
	/** Requests one after the other. @param remaining what is left before them */
	const run = (from: number, requests: number, remaining: number, everyMs = 10) => {
		for (let sent = 0; sent < requests; sent++) answer(from + sent * everyMs, --remaining);
	};
	const refuse = (at: number) => {
		bursts.send(at);
		bursts.refused(at + 10);
	};
	/** How many requests may be in flight at once if none of them is answered. */
	const mostAtOnce = (now: number) => {
		let sent = 0;
		while (sent < 20 && bursts.burstAt(now) === now) {
			send(now);
			sent++;
		}
		return sent;
	};
	return { bursts, send, end, answer, run, refuse, mostAtOnce };
}

describe('the headers of an answer', () => {
	const read = (total: unknown, remaining: unknown) =>
		readCount({ 'x-ratelimit-limit': total, 'x-ratelimit-remaining': remaining });

	test.each<[unknown, unknown, number, number]>([
		['120', '119', 120, 119],
		[120, 0, 120, 0],
		['120', '120', 120, 120],
		['1', '0', 1, 0],
		['999999999', '5', 999_999_999, 5],
		['0120', '007', 120, 7],
		[['120'], ['119'], 120, 119],
	])('Headers are a count: %p and %p', (total, remaining, expected, left) => {
		expect(read(total, remaining)).toEqual({ limit: expected, remaining: left });
	});

	const texts = ['', 'abc', '-1', ' 1', '1\n', '1.5', '1e3', '0x78', '1000000000', '120, 120'];
	const others = [undefined, null, true, {}, ['120', '60']];

	test.each<unknown>([...texts, ...others])('Headers are not a count if one of them is %j', (value) => {
		expect(read(value, '1')).toBeUndefined();
		expect(read('120', value)).toBeUndefined();
	});

	test('Headers are not a count if the limit is zero, or if more is left than the limit', () => {
		expect(read('0', '0')).toBeUndefined();
		expect(read('120', '121')).toBeUndefined();
	});

	test('Answers without these headers, or with others, have no count', () => {
		expect(readCount({})).toBeUndefined();
		expect(readCount({ 'ratelimit-limit': '120', 'ratelimit-remaining': '119' })).toBeUndefined();
	});
});

test.each([
	[{ count: 2, windowMs: 1000 }, 120],
	[{ count: 1, windowMs: 2000 }, 30],
	[{ count: 1, windowMs: 10_000 }, 6],
	[{ count: 10, windowMs: 10_000 }, 60],
	[{ count: 1, windowMs: 1000 / 0.3 }, 18],
])('A count belongs to a limit per minute: %j', (given, perMinute) => {
	const bursts = new Bursts(given);
	const isOf = (total: number) => bursts.isOf({ limit: total, remaining: 0 });
	expect([perMinute - 1, perMinute, perMinute + 1].map(isOf)).toEqual([false, true, false]);
});

describe('how a burst ramps up', () => {
	test('No burst begins before an answer has said what is left', () => {
		const { bursts, answer } = setUp();
		expect(bursts.burstAt(0)).toBeUndefined();
		answer(0);
		expect(bursts.burstAt(10)).toBeUndefined();
	});

	test.each([1, 2, 3, 9])('After %p answers that agree, as many requests may be in flight', (answers) => {
		const { run, mostAtOnce } = setUp();
		run(0, answers, 120);
		expect(mostAtOnce(100)).toBe(answers);
	});

	test('Of answers to requests that were sent together only the first agrees', () => {
		const { send, end, mostAtOnce } = setUp();
		send(0, 3);
		for (const remaining of [100, 99, 98]) end(0, 10, remaining);
		expect(mostAtOnce(20)).toBe(1);
	});

	test('An answer agrees if its request was sent after the previous answer', () => {
		const { send, end, answer, mostAtOnce } = setUp();
		answer(0, 119);
		send(10, 2);
		end(10, 30, 118);
		// This one may have been counted before the second.
		end(10, 40, 117);
		send(29);
		end(29, 45, 116);
		send(30);
		end(30, 50, 115);
		expect(mostAtOnce(60)).toBe(3);
	});

	test('After an answer without a count, a burst needs another answer for each request', () => {
		const { bursts, answer, run, mostAtOnce } = setUp();
		run(0, 5, 120);
		answer(60);
		expect(bursts.burstAt(70)).toBeUndefined();
		answer(70, 113);
		expect(mostAtOnce(80)).toBe(1);
	});

	test('A request that ends without a count is no longer in flight', () => {
		const { answer, mostAtOnce } = setUp();
		for (const at of [0, 10, 20]) answer(at);
		answer(30, 119);
		expect(mostAtOnce(40)).toBe(1);
	});
});

describe('what a burst leaves to others', () => {
	/** The end of a minute whose first answer comes after 10 ms. */
	const endsAt = minuteMs + 10;

	/** Requests of a process, and what is left for them. */
	type Run = [requests: number, remaining: number, everyMs?: number];

	test.each<[string, Run, now: number, burstAt: number | undefined]>([
		['continues while more than a tenth of the minute is left', [107, 120], 1100, 1100],
		['leaves a tenth to others as long as they could use it', [108, 120], 1110, endsAt - 6000],
		['leaves to others no more than they could use', [114, 120], 1150, endsAt - 3000],
		['leaves the last one to others', [119, 120], 1190, endsAt - 500],
		['ends if nothing is left', [120, 120], 1200, undefined],
		[
			'sends another request after five seconds if the end of the minute is not known',
			[8, 20],
			100,
			70 + 5000,
		],
		['sends it sooner if the minute has ended by then', [8, 20, 8000], 56_100, endsAt - 6000],
		['does not wait for the end of the minute after a few answers', [7, 19], 100, undefined],
	])('A burst %s', (_, requests, now, burstAt) => {
		const { bursts, run } = setUp();
		run(0, ...requests);
		expect(bursts.burstAt(now)).toBe(burstAt);
	});

	test('Requests in flight count as used', () => {
		const { bursts, send, run } = setUp();
		run(0, 100, 120);
		send(2000, 7);
		expect(bursts.burstAt(2000)).toBe(2000);
		send(2000);
		expect(bursts.burstAt(2000)).toBe(minuteMs + 10 - 6000);
	});
});

describe('a minute in which nothing is left', () => {
	test.each([
		['for the end of the minute after eight answers that agree', 8, 8, minuteMs + 10],
		['for nothing after fewer answers', 7, 7, 0],
		['for nothing while one is left', 8, 9, 0],
	])('Requests wait %s', (_, answers, remaining, readyAt) => {
		const { bursts, run } = setUp();
		run(0, answers, remaining);
		expect(bursts.readyAt(100)).toBe(readyAt);
		expect(bursts.readyAt(minuteMs + 9)).toBe(readyAt);
		expect(bursts.readyAt(minuteMs + 10)).toBe(0);
	});

	test('Requests in flight count as used', () => {
		const { bursts, send, run } = setUp();
		run(0, 8, 10);
		send(100);
		expect(bursts.readyAt(100)).toBe(0);
		send(100);
		expect(bursts.readyAt(100)).toBe(minuteMs + 10);
	});

	test('A minute ends a minute after the answer to its first request', () => {
		const { bursts, answer, run } = setUp();
		answer(1000, 119, 70);
		run(5000, 8, 8);
		expect(bursts.readyAt(6000)).toBe(minuteMs + 1070);
	});

	test('What remains of a minute says nothing about the next one', () => {
		const { bursts, run, mostAtOnce } = setUp();
		run(0, 120, 120);
		expect(bursts.burstAt(minuteMs + 10)).toBeUndefined();
		run(minuteMs + 10, 3, 120);
		expect(bursts.readyAt(minuteMs + 50)).toBe(0);
		expect(mostAtOnce(minuteMs + 50)).toBe(3);
	});
});

describe('the order of answers', () => {
	test.each([
		[[14, 13], 60],
		[[13, 12], undefined],
		[[12, 13], undefined],
	])('Of the answers to requests sent together, the lowest count applies: %j', (counts, burstAt) => {
		const { bursts, send, end } = setUp();
		send(0, 2);
		for (const remaining of counts) end(0, 50, remaining);
		expect(bursts.burstAt(60)).toBe(burstAt);
	});

	test('An overtaken answer does not end a burst', () => {
		const { send, end, run, mostAtOnce } = setUp();
		run(0, 5, 120);
		send(100, 2);
		end(100, 120, 113);
		end(100, 130, 114);
		expect(mostAtOnce(140)).toBe(6);
	});

	test('An answer of the previous minute is ignored when the next one has begun', () => {
		const { bursts, send, end, answer, run } = setUp();
		run(0, 119, 120);
		send(59_990, 10);
		answer(minuteMs + 100, 119);
		for (let sent = 0; sent < 10; sent++) end(59_990, minuteMs + 200 + sent, 0);
		expect(bursts.readyAt(minuteMs + 300)).toBe(0);
		expect(bursts.burstAt(minuteMs + 300)).toBe(minuteMs + 300);
	});
});

describe('a new minute', () => {
	test('A new minute has begun if more is left than before; a burst starts again from one request', () => {
		const { bursts, answer, run, mostAtOnce } = setUp();
		run(0, 5, 50);
		answer(10_000, 100);
		expect(bursts.burstAt(10_010)).toBeUndefined();
		answer(10_100, 99);
		expect(mostAtOnce(10_110)).toBe(1);
	});

	test('A new minute ends a minute after its first answer', () => {
		const { bursts, answer, run } = setUp();
		run(0, 5, 10);
		answer(10_000, 20);
		run(10_100, 8, 20);
		// It has just begun, so that its end is known.
		expect(bursts.burstAt(10_200)).toBe(10_010 + minuteMs - 6000);
		run(10_200, 12, 12);
		expect(bursts.readyAt(10_400)).toBe(10_010 + minuteMs);
	});

	test.each([
		['is known if others have used up to a tenth of it', 109, 2 * minuteMs - 990],
		['is not known if others have used more', 108, minuteMs + 5950 + 5000],
	])('The end of a minute %s', (_, before, burstAt) => {
		const { bursts, run } = setUp();
		run(0, 20, 120);
		run(minuteMs + 5000, before - 12, before);
		expect(bursts.burstAt(minuteMs + 6000)).toBe(burstAt);
	});

	test('An answer of the previous minute is ignored after an answer with a higher count', () => {
		const { bursts, send, end, answer, run } = setUp();
		run(0, 5, 50);
		send(9990);
		answer(10_000, 119);
		end(9990, 10_100, 3);
		answer(10_200, 118);
		expect(bursts.burstAt(10_210)).toBe(10_210);
	});
});

describe('a wrong count', () => {
	test.each([119, 50, 0])('A count that always says %p is not used and not waited for', (remaining) => {
		const { bursts, answer } = setUp();
		answer(0, remaining);
		for (let at = 500; at < 10_000; at += 500) {
			answer(at, remaining);
			expect([bursts.burstAt(at + 10), bursts.readyAt(at + 10)]).toEqual([undefined, 0]);
		}
	});

	test('A count that never changes allows at most one request in a burst, however many are in flight', () => {
		const { bursts, send, end, mostAtOnce } = setUp();
		send(0, 10);
		for (let at = 50; at < 60; at++) end(0, at, 119);
		expect(mostAtOnce(60)).toBe(1);
		send(60, 9);
		for (let at = 110; at < 120; at++) end(60, at, 119);
		expect(bursts.burstAt(120)).toBeUndefined();
	});

	test('A count that jumps is neither used nor waited for, unless eight answers agree (generated)', () => {
		fc.assert(
			fc.property(fc.array(fc.nat(limit), { minLength: 1, maxLength: 40 }), (counts) => {
				const { bursts, answer, mostAtOnce } = setUp();
				let falling = 0;
				for (const [index, remaining] of counts.entries()) {
					falling = remaining < (counts[index - 1] ?? Infinity) ? falling + 1 : 0;
					answer(index * 500, remaining);
					const now = index * 500 + 10;
					if (falling < 8) expect(bursts.readyAt(now)).toBe(0);
				}
				expect(mostAtOnce(counts.length * 500)).toBeLessThanOrEqual(falling);
			}),
		);
	});
});

describe('a refusal', () => {
	test('A refusal ends bursts for a minute', () => {
		const { bursts, run, refuse } = setUp();
		run(0, 5, 120);
		refuse(100);
		run(2000, 5, 120);
		expect(bursts.burstAt(minuteMs + 109)).toBeUndefined();
		expect(bursts.burstAt(minuteMs + 110)).toBe(minuteMs + 110);
	});

	test('A refusal determines the wait, so nothing waits for the end of the minute', () => {
		const { bursts, run, refuse } = setUp();
		run(0, 9, 9);
		expect(bursts.readyAt(100)).toBe(minuteMs + 10);
		refuse(100);
		expect(bursts.readyAt(110)).toBe(0);
	});

	test('A refused request is no longer in flight', () => {
		const { run, refuse, mostAtOnce } = setUp();
		refuse(0);
		run(minuteMs + 20, 1, 120);
		expect(mostAtOnce(minuteMs + 30)).toBe(1);
	});
});

describe('whether bursts are over', () => {
	test('Bursts are over before an answer has a count', () => {
		const { bursts, answer } = setUp();
		expect(bursts.isOver(0)).toBe(true);
		answer(0);
		expect(bursts.isOver(10)).toBe(true);
	});

	test('After a count, bursts are not over until its minute ends', () => {
		const { bursts, run } = setUp();
		run(0, 10, 120);
		expect([minuteMs + 9, minuteMs + 10].map((now) => bursts.isOver(now))).toEqual([false, true]);
	});

	test('After a refusal, bursts are not over for a minute, and after a later count for longer', () => {
		const { bursts, answer, refuse } = setUp();
		refuse(100);
		expect([minuteMs + 109, minuteMs + 110].map((now) => bursts.isOver(now))).toEqual([false, true]);
		answer(50_000, 80);
		expect([110_009, 110_010].map((now) => bursts.isOver(now))).toEqual([false, true]);
	});
});

test('With a single process, the count is right after all answers, in any order (generated)', async () => {
	/** How long after the one before each is sent, counted after that, and answered after that. */
	const request = fc.record({ gapMs: fc.nat(400), wayMs: fc.nat(300), answerMs: fc.nat(500) });
	const traffic = fc.array(request, { minLength: 5, maxLength: 60, size: 'max' });
	await fc.assert(
		fc.asyncProperty(traffic, fc.nat(60), async (requests, used) => {
			const clock = new VirtualClock();
			const { bursts, send, end } = setUp();
			let [last, left, underWay] = [0, limit - used, 0];
			const sent = requests.map(async ({ gapMs, wayMs, answerMs }) => {
				const sentAt = (last += gapMs);
				await clock.sleep(sentAt);
				underWay++;
				send(sentAt);
				await clock.sleep(wayMs);
				const remaining = --left;
				await clock.sleep(answerMs);
				underWay--;
				const now = clock.now();
				end(sentAt, now, remaining);
				if (underWay) return;
				const isWaiting = bursts.readyAt(now) > now;
				if (isWaiting) expect(left).toBe(0);
				expect(bursts.burstAt(now) === now).toBe(left > limit / 10);
			});
			await Promise.all([clock.run(), ...sent]);
		}),
		{ numRuns: 300 },
	);
});
