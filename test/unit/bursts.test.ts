import fc from 'fast-check';

import { readCount, ServiceCount } from '../../nodes/ChatbotService/client/pace/bursts';

/* What the service says of its own count, by itself. What the pace makes of it is in window.test.ts and pace.test.ts. */

const limit = 120;
const minuteMs = 60_000;

/** What is not open to the outside, where a test must tell doubt from having heard nothing. */
interface Inside {
	doubtedUntil: number;
}

/** A count of two a second, 120 a minute, and requests that are counted and answered one after the other. */
function setUp() {
	const said = new ServiceCount({ count: 2, windowMs: 1000 });
	/** The end of a request: an answer that says how many are left, or nothing of it. */
	const end = (
		sent: ReturnType<typeof said.send>,
		at: number,
		remaining?: number,
		{ refused = false } = {},
	) =>
		said.answered(sent, { at, refused, count: remaining === undefined ? undefined : { limit, remaining } });
	/** A request whose answer says how many are left. */
	const answer = (at: number, remaining?: number, tookMs = 10) => end(said.send(at), at + tookMs, remaining);
	/** Requests one after the other, each of which takes so many of the window. */
	const run = (from: number, requests: number, remaining: number, { takes = 1, everyMs = 500 } = {}) => {
		for (let index = 0; index < requests; index++) answer(from + index * everyMs, (remaining -= takes));
		return remaining;
	};
	const refuse = (at: number, remaining?: number) =>
		end(said.send(at), at + 10, remaining, { refused: true });
	const isDoubted = (now: number) => (said as unknown as Inside).doubtedUntil > now;
	return { said, end, answer, run, refuse, isDoubted };
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

	test.each<[string, unknown, unknown]>([
		['no limit', undefined, '5'],
		['nothing of what is left', '120', undefined],
		['empty', '', ''],
		['null', null, null],
		['a limit of zero', '0', '0'],
		['less than nothing left', '120', '-1'],
		['a negative limit', '-120', '1'],
		['a fraction of the limit', '119.5', '1'],
		['a fraction left', '120', '1.5'],
		['a huge limit', '1000000000', '1'],
		['a huge rest', '120', '1000000000'],
		['an exponent', '1e3', '1'],
		['more left than there are', '120', '121'],
		['words', 'abc', 'abc'],
		['words left', '120', 'abc'],
		['two of each', ['120', '60'], ['119', '59']],
		['two in one', '120, 120', '119, 118'],
		['blanks', ' 120', '119 '],
		['a number in hexadecimal', '0x78', '1'],
		['more than one line', '120\n', '1\n'],
		['true', true, true],
		['an object', {}, {}],
	])('Headers are no count: %s', (_, total, remaining) => {
		expect(read(total, remaining)).toBeUndefined();
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
])('A count is of a limit by the minute: %j', (given, perMinute) => {
	const said = new ServiceCount(given);
	const isOf = (total: number) => said.isOf({ limit: total, remaining: 0 });
	expect([perMinute - 1, perMinute, perMinute + 1].map(isOf)).toEqual([false, true, false]);
});

describe('what is not believed', () => {
	test('An answer without a count changes nothing', () => {
		const { said, answer } = setUp();
		answer(0);
		expect([said.share(10), said.readyAt(10), said.burstAt(10)]).toEqual([1, 0, undefined]);
	});

	test("Others' use is believed after eight answers", () => {
		const { said, answer, run } = setUp();
		const remaining = run(0, 7, 100, { takes: 3 });
		expect(said.share(3500)).toBe(1);
		answer(3500, remaining - 3);
		expect(said.share(3510)).toBeLessThan(0.5);
	});

	test("Others' use is believed after eight answers since one was lost, or did not say it", () => {
		const { said, answer, run } = setUp();
		let remaining = run(0, 3, 100, { takes: 3 });
		answer(1500);
		remaining = run(2000, 7, remaining - 3, { takes: 3 });
		expect(said.share(5500)).toBe(1);
		answer(5500, remaining - 3);
		expect(said.share(5510)).toBeLessThan(0.5);
	});

	test("Others' use is believed after eight answers since a refusal", () => {
		const { said, answer, run, refuse } = setUp();
		run(0, 3, 100, { takes: 3 });
		refuse(1500, 0);
		const remaining = run(2000, 7, 80, { takes: 3 });
		expect(said.share(5500)).toBe(1);
		answer(5500, remaining - 3);
		expect(said.share(5510)).toBeLessThan(0.5);
	});

	test("Others' use is believed after eight answers since a window began that was not expected", () => {
		const { said, answer, run } = setUp();
		run(0, 12, 60);
		const remaining = run(20_000, 7, 119, { takes: 3 });
		expect(said.share(23_500)).toBe(1);
		answer(23_500, remaining - 3);
		expect(said.share(23_510)).toBeLessThan(0.5);
	});

	test('Answers to requests under way at once tell nothing of others: nobody knows which one was counted first', () => {
		const { said, end, run } = setUp();
		run(0, 8, 119);
		const sent = Array.from({ length: 9 }, () => said.send(4000));
		sent.forEach((each, index) => end(each, 4010 + index, 100 - 5 * index));
		expect(said.share(4020)).toBe(1);
	});

	test('Of answers to requests under way at once only the first agrees', () => {
		const { said, end } = setUp();
		const sent = Array.from({ length: 3 }, () => said.send(0));
		sent.forEach((each, index) => end(each, 10 + index, 100 - index));
		for (let underWay = 0; underWay < 2; underWay++) said.send(20);
		expect(said.burstAt(20)).toBeUndefined();
	});

	test("Others' use is believed in a new window after six requests of it", () => {
		const { said, answer, run } = setUp();
		run(0, 10, 120);
		said.share(61_000);
		answer(61_000, 119);
		const remaining = run(61_500, 5, 119, { takes: 3 });
		expect(said.share(63_600)).toBe(1);
		answer(64_000, remaining - 3);
		expect(said.share(64_010)).toBeLessThan(0.5);
	});
});

describe("others' use", () => {
	test.each([
		['half of it', 2, 0.5],
		['a third of it', 1.5, 2 / 3],
	])('What others leave of the limit is the share of this process: %s', (_, takes, share) => {
		const { said, run } = setUp();
		// What was used too fast is little while the window is young.
		run(0, 12, 119, { takes, everyMs: 1000 / 2 / share });
		expect(said.share(6000)).toBeGreaterThan(share - 0.1);
		expect(said.share(6000)).toBeLessThanOrEqual(share + 0.01);
	});

	test('Half of the limit is used where others leave more than that, and their use is twice that of this process', () => {
		const { said, run } = setUp();
		// Two others for each of its own, and still half of the limit is not used.
		run(0, 10, 119, { takes: 3, everyMs: 3000 });
		expect(said.share(30_000)).toBeGreaterThan(0.45);
		expect(said.share(30_000)).toBeLessThanOrEqual(0.5);
	});

	test('What nobody needs is used where others leave a little less than half', () => {
		const { said, run } = setUp();
		run(20_000, 10, 119, { takes: 3, everyMs: 1667 });
		expect(said.share(35_100)).toBeGreaterThan(0.35);
		expect(said.share(35_100)).toBeLessThan(0.41);
	});

	test.each([20, 21])(
		'The share is as others leave it where nothing is left, and the end is not known: %p',
		(left) => {
			const { said, run } = setUp();
			run(0, 10, left, { takes: 2 });
			expect(said.share(4510)).toBe(0.5);
		},
	);

	test('A quarter of the limit is used at least, whatever others use', () => {
		const { said, run } = setUp();
		run(0, 8, 119, { takes: 12, everyMs: 500 });
		// Of the 23 that are left the last is kept back.
		const pace = (22 / 120) * (minuteMs / (minuteMs + 10 - 3510));
		expect(said.share(3510)).toBeCloseTo(0.25 * pace, 4);
	});

	test('The whole limit is used again when others have stopped', () => {
		const { said, answer, run } = setUp();
		const remaining = run(0, 10, 100, { takes: 2 });
		expect(said.share(5000)).toBeLessThan(0.6);
		run(5000, 9, remaining);
		answer(9500, remaining - 10);
		expect(said.share(9510)).toBe(1);
	});

	test("Others' use is looked for in the latest eight requests", () => {
		const { said, run } = setUp();
		const remaining = run(0, 10, 110, { takes: 2 });
		run(5000, 7, remaining);
		expect(said.share(8500)).toBeLessThan(1);
		run(8500, 1, remaining - 7);
		expect(said.share(9000)).toBe(1);
	});

	test("Others' use that was noticed late is made up for until the window ends", () => {
		const { said, answer, run } = setUp();
		run(0, 10, 119, { takes: 2 });
		const before = said.share(5000);
		answer(5000, 40);
		answer(5500, 38);
		expect(said.share(5510)).toBeLessThan(before * 0.7);
	});

	test('The last request of a window is left to others', () => {
		const { said, answer, run } = setUp();
		answer(0, 119);
		run(500, 10, 20, { takes: 2 });
		expect(said.readyAt(6000)).toBe(minuteMs + 10);
		const { said: fewer, answer: answerFewer, run: runFewer } = setUp();
		answerFewer(0, 119);
		runFewer(500, 9, 20, { takes: 2 });
		expect(fewer.share(6000)).toBeLessThan(1);
		expect(fewer.readyAt(6000)).toBe(0);
		answerFewer(6000, 1);
		expect(fewer.readyAt(6010)).toBe(minuteMs + 10);
	});

	test('Much that is left of a window does not make the share larger', () => {
		const { said, run } = setUp();
		run(0, 10, 119, { takes: 2, everyMs: 5000 });
		expect(said.share(59_000)).toBeLessThanOrEqual(0.5);
	});
});

describe('when nothing is left', () => {
	test('Requests wait for the end of a window that is used up, where its beginning was seen', () => {
		const { said, run } = setUp();
		run(1000, 119, 120, { everyMs: 10 });
		expect(said.readyAt(3000)).toBe(0);
		run(2190, 1, 1);
		expect(said.readyAt(3000)).toBe(minuteMs + 1010);
		expect(said.readyAt(minuteMs + 1010)).toBe(0);
	});

	test('No request waits where nobody knows when the window has begun', () => {
		const { said, run } = setUp();
		run(0, 50, 50);
		expect(said.readyAt(30_000)).toBe(0);
	});

	test('No request waits because of a few answers that nothing is left', () => {
		const { said, answer, run } = setUp();
		run(0, 3, 120);
		answer(1500, 0);
		expect(said.readyAt(1600)).toBe(0);
		answer(1700, 0);
		expect(said.readyAt(1800)).toBe(0);
	});

	test('Requests under way count as used already', () => {
		const { said, answer, run } = setUp();
		answer(0, 119);
		run(500, 7, 10);
		said.send(4000);
		said.send(4000);
		expect(said.readyAt(4000)).toBe(0);
		said.send(4000);
		expect(said.readyAt(4000)).toBe(minuteMs + 10);
	});

	test('What was left of a window says nothing of the next', () => {
		const { said, run } = setUp();
		run(1000, 120, 120, { everyMs: 10 });
		expect(said.readyAt(minuteMs + 1009)).toBe(minuteMs + 1010);
		run(minuteMs + 1010, 10, 120);
		expect(said.readyAt(minuteMs + 6000)).toBe(0);
		expect(said.share(minuteMs + 6000)).toBe(1);
	});
});

describe('when a window ends', () => {
	/** When everything goes on, for a count that is used up. */
	const endOf = ({ said, answer }: ReturnType<typeof setUp>, at: number) => {
		for (let index = 0; index < 9; index++) answer(at + index, 8 - index, 0);
		return said.readyAt(at + 10);
	};

	test('A window ends a minute after its first request was answered, where that was one of this process', () => {
		const count = setUp();
		count.answer(1000, 119, 70);
		expect(endOf(count, 5000)).toBe(minuteMs + 1070);
	});

	test('A window ends a minute after its first answer, where that was to one of its first requests', () => {
		const count = setUp();
		count.answer(1000, 108);
		expect(endOf(count, 5000)).toBe(minuteMs + 1010);
		const later = setUp();
		later.answer(1000, 107);
		expect(endOf(later, 5000)).toBe(0);
	});

	test('A window ends after the wait that a refusal asks for, and the second that this cuts off', () => {
		const count = setUp();
		count.said.endsAt(30_000);
		expect(endOf(count, 5000)).toBe(31_000);
	});

	test.each([
		['is no new one more than two seconds before its end', 27_990, false],
		['may be a new one from then on', 28_000, true],
	])('A window whose end a refusal has told %s', (_, at, isNew) => {
		const { said, answer } = setUp();
		said.endsAt(30_000);
		answer(0, 50);
		answer(at - 10, 119);
		expect(said.burstAt(at) !== undefined).toBe(isNew);
	});

	test('A window of which much is left may have begun a minute ago', () => {
		const { said, answer } = setUp();
		answer(1000, 108);
		answer(30_000, 119);
		expect(said.burstAt(30_010)).toBe(30_010);
	});

	test('A new window has begun when more is left than before', () => {
		const count = setUp();
		count.run(0, 5, 50);
		count.answer(10_000, 100);
		expect(endOf(count, 11_000)).toBe(minuteMs + 10_010);
		expect(count.isDoubted(11_000)).toBe(false);
	});

	test('A new window has begun when as much is left as a new one has, though that is no more', () => {
		const count = setUp();
		count.answer(0, 110);
		count.answer(minuteMs - 500, 110);
		expect(count.isDoubted(minuteMs)).toBe(false);
		expect(endOf(count, minuteMs + 5000)).toBe(2 * minuteMs - 490);
	});

	test.each([
		['may be a new one a second before its end', 58_990, true],
		['is no new one before that', 58_980, false],
	])('A window whose beginning was seen %s', (_, at, isNew) => {
		const count = setUp();
		count.answer(0, 119);
		count.run(500, 5, 60);
		count.answer(at, 119);
		expect(count.said.burstAt(at + 10) !== undefined).toBe(isNew);
	});

	test('A window that has ended is forgotten with all that was known of it', () => {
		const { said, run } = setUp();
		run(0, 10, 120, { takes: 2 });
		expect(said.burstAt(5010)).toBe(5010);
		expect(said.burstAt(minuteMs + 9)).not.toBeUndefined();
		expect(said.burstAt(minuteMs + 10)).toBeUndefined();
	});

	test("The end of a window leaves what was noticed of others' use", () => {
		const { said, run } = setUp();
		run(0, 20, 119, { takes: 2 });
		const share = said.share(9510);
		expect(share).toBeLessThan(1);
		expect(said.share(minuteMs + 20)).toBeCloseTo(0.5);
		expect(said.share(minuteMs + 20)).toBeGreaterThanOrEqual(share);
	});

	test('What is left of a new window is known from its first answer', () => {
		const { said, answer, run } = setUp();
		run(0, 20, 119, { takes: 2 });
		for (const now of [9510, minuteMs + 10]) said.share(now);
		answer(minuteMs + 20, 119);
		expect(said.share(minuteMs + 30)).toBeCloseTo(0.5 * (118 / 120), 10);
	});

	test("Others' use is forgotten a minute after it was told last", () => {
		const { said, run } = setUp();
		run(0, 20, 119, { takes: 2 });
		said.share(9520);
		expect(said.share(minuteMs + 9510)).toBeCloseTo(0.5);
		expect(said.share(minuteMs + 9511)).toBe(1);
	});

	test('A window whose beginning was not seen ends a minute after its earliest answer at the latest', () => {
		const { said, run } = setUp();
		run(0, 10, 60);
		expect(said.burstAt(minuteMs + 9)).not.toBeUndefined();
		expect(said.burstAt(minuteMs + 10)).toBeUndefined();
	});
});

describe('a count that does not agree', () => {
	const lies: Array<[string, number[]]> = [
		['stays the same', [119, 119, 119, 119]],
		['stays the same low down', [50, 50, 50, 50]],
		['is zero all the time', [0, 0, 0, 0]],
		['does not fall for a request', [100, 99, 98, 98, 97, 97]],
		['jumps up before the window can have ended', [119, 60, 59, 118, 60, 118, 60, 118]],
		['rises a little', [119, 60, 61, 60, 61, 62]],
	];

	test.each(lies)('A count is not listened to that %s', (_, remaining) => {
		const { said, answer, isDoubted } = setUp();
		remaining.forEach((left, index) => answer(index * 500, left));
		expect(isDoubted(remaining.length * 500)).toBe(true);
		expect(said.burstAt(5000)).toBeUndefined();
	});

	/** Four answers, one after the other, with the same count. */
	const repeat = (answer: (at: number, remaining: number) => void, from: number) => {
		for (let at = from; at < from + 2000; at += 500) answer(at, 50);
	};

	test('A count that does not agree is not listened to for ten minutes, then for twenty', () => {
		const { answer, isDoubted } = setUp();
		repeat(answer, 0);
		expect(isDoubted(601_509)).toBe(true);
		expect(isDoubted(601_510)).toBe(false);
		repeat(answer, 601_510);
		expect(isDoubted(603_020 + 1_199_999)).toBe(true);
		expect(isDoubted(603_020 + 1_200_000)).toBe(false);
	});

	test('A count that does not agree once a minute may be an answer that has come very late', () => {
		const { said, answer, run, isDoubted } = setUp();
		for (const start of [0, minuteMs, 2 * minuteMs]) {
			const remaining = run(start, 10, 120);
			expect(said.burstAt(start + 5000)).not.toBeUndefined();
			answer(start + 5000, remaining + 1);
			expect(isDoubted(start + 5010)).toBe(false);
			expect(said.burstAt(start + 5010)).toBeUndefined();
		}
	});

	test('A count that does not agree leaves the whole limit to this process, and nothing of it is remembered', () => {
		const { said, answer, run } = setUp();
		const remaining = run(0, 10, 119, { takes: 2 });
		expect(said.share(5000)).toBeLessThan(0.6);
		for (const at of [5000, 5500, 6000, 6500, 7000]) answer(at, remaining);
		expect(said.share(7010)).toBe(1);
		run(7500, 10, 90, { takes: 2 });
		expect(said.share(12_500)).toBe(1);
		expect(said.readyAt(12_500)).toBe(0);
		expect(said.burstAt(12_500)).toBeUndefined();
	});

	test('A count that did not agree is listened to again later', () => {
		const { said, answer, run } = setUp();
		repeat(answer, 0);
		run(601_510, 8, 119, { takes: 2 });
		expect(said.share(605_600)).toBeLessThan(0.6);
	});

	test('A count is listened to from the moment on until which it was not', () => {
		const { said, answer, refuse } = setUp();
		refuse(0, 1);
		answer(599_999, 100);
		expect(said.burstAt(600_009)).toBeUndefined();
		answer(600_000, 100);
		expect(said.burstAt(600_010)).toBe(600_010);
	});

	test('A count that had room when it refused does not agree', () => {
		const { run, refuse, isDoubted } = setUp();
		run(0, 6, 119);
		refuse(3000, 1);
		expect(isDoubted(3010)).toBe(true);
	});

	test('A count that refuses when nothing is left agrees', () => {
		const { run, refuse, isDoubted } = setUp();
		run(0, 6, 119);
		refuse(3000, 0);
		run(3500, 3, 118);
		expect(isDoubted(5000)).toBe(false);
	});

	test('A refusal that says nothing of the count casts no doubt on it', () => {
		const { run, refuse, isDoubted } = setUp();
		run(0, 6, 119);
		refuse(3000);
		expect(isDoubted(3010)).toBe(false);
	});

	test('Counts of answers that overtake each other agree', () => {
		const { said, end, isDoubted } = setUp();
		const [first, second] = [said.send(0), said.send(1)];
		end(second, 50, 118);
		end(first, 60, 119);
		expect(isDoubted(60)).toBe(false);
	});

	test('Counts of requests that overtake each other agree', () => {
		const { said, end } = setUp();
		const [first, second] = [said.send(0), said.send(1)];
		end(first, 50, 50);
		end(second, 60, 51);
		expect(said.burstAt(60)).toBe(60);
	});

	test('A count that has fallen by less than was answered meanwhile does not agree', () => {
		const { said, end, answer } = setUp();
		for (let lost = 0; lost < 3; lost++) answer(0);
		answer(0, 100);
		const [first, second, third] = [said.send(20), said.send(20), said.send(20)];
		end(first, 30, 99);
		end(second, 30, 98);
		end(third, 30, 97);
		expect(said.burstAt(30)).not.toBeUndefined();
		// Of four since the first one, three had come back before.
		answer(40, 97);
		expect(said.burstAt(50)).toBeUndefined();
	});
});

describe('bursts', () => {
	test('Bursts begin with a single request, and have as many under way as answers have agreed', () => {
		const { said, answer } = setUp();
		expect(said.burstAt(0)).toBeUndefined();
		answer(0, 119);
		const may = (now: number) => said.burstAt(now) === now;
		expect(may(10)).toBe(true);
		said.send(10);
		expect(may(10)).toBe(true);
		said.send(10);
		expect(may(10)).toBe(false);
	});

	test('Bursts have more under way with every answer that agrees', () => {
		const { said, run } = setUp();
		run(0, 4, 120, { everyMs: 10 });
		for (let underWay = 0; underWay <= 4; underWay++) {
			expect(said.burstAt(50)).toBe(50);
			said.send(50);
		}
		expect(said.burstAt(50)).toBeUndefined();
	});

	test('Bursts begin slowly again when nothing was heard for a second', () => {
		const { said, run } = setUp();
		run(0, 4, 120, { everyMs: 10 });
		said.send(1039);
		said.send(1039);
		expect(said.burstAt(1039)).toBe(1039);
		expect(said.burstAt(1040)).toBeUndefined();
	});

	test('Bursts leave a tenth of the window, and go on where its end comes before others could use it', () => {
		const { said, run } = setUp();
		run(0, 107, 120, { everyMs: 10 });
		expect(said.burstAt(1100)).toBe(1100);
		run(1100, 1, 13);
		// Twelve that are left take six seconds.
		expect(said.burstAt(1110)).toBe(minuteMs + 10 - 6000);
	});

	test('Bursts leave more where others use the account', () => {
		const { said, run } = setUp();
		run(0, 45, 120, { takes: 2, everyMs: 10 });
		const share = said.share(500);
		expect(share).toBeCloseTo(0.5 * (29 / 120) * (minuteMs / (minuteMs + 10 - 500)));
		expect(said.burstAt(500)).toBe(minuteMs + 10 - ((30 * share) / 120) * minuteMs);
	});

	test('Bursts ask at twelve moments of a window whose end is not known', () => {
		const { said, run } = setUp();
		run(0, 8, 18);
		expect(said.burstAt(3600)).toBe(3500 + 5000);
	});

	test('Bursts do not touch what is kept for others because of a few answers', () => {
		const { said, run } = setUp();
		run(0, 7, 19);
		expect(said.burstAt(3600)).toBeUndefined();
	});

	test.each([
		[14, 100],
		[13, undefined],
	])('Bursts count a request as used that may be of the window before: of %p', (most, expected) => {
		const { said, end, answer } = setUp();
		answer(0, 5);
		const [first, second] = [said.send(20), said.send(20)];
		end(first, 40, most);
		end(second, 50, 4);
		expect(said.burstAt(100)).toBe(expected);
	});

	test('Bursts go on after an answer that counts another limit', () => {
		const { said, run } = setUp();
		run(0, 5, 120, { everyMs: 10 });
		said.answered(said.send(60), { at: 70, refused: false, count: 'ofAnother' });
		expect(said.burstAt(70)).toBe(70);
		said.answered(said.send(70), { at: 80, refused: false, count: { limit: 60, remaining: 5 } });
		expect(said.burstAt(80)).toBe(80);
	});

	test('Bursts ask sooner where the window must have ended by then', () => {
		const { said, run } = setUp();
		run(0, 8, 20, { everyMs: 8000 });
		expect(said.burstAt(56_100)).toBe(minuteMs + 10 - (12 / 120) * minuteMs);
	});

	test.each([
		['with a count', 0],
		['without one', undefined],
	])('Bursts end with a refusal, for a minute: %s', (_, remaining) => {
		const { said, run, refuse } = setUp();
		run(0, 5, 120, { everyMs: 10 });
		refuse(100, remaining);
		said.endsAt(1000);
		run(2000, 5, 120, { everyMs: 10 });
		expect(said.burstAt(minuteMs + 109)).toBeUndefined();
		run(minuteMs - 500, 3, 100, { everyMs: 10 });
		expect(said.burstAt(minuteMs + 109)).toBeUndefined();
		expect(said.burstAt(minuteMs + 110)).toBe(minuteMs + 110);
	});

	test('Bursts end with an answer that says nothing', () => {
		const { said, answer, run } = setUp();
		run(0, 5, 120, { everyMs: 10 });
		answer(60);
		expect(said.burstAt(70)).toBeUndefined();
	});
});

describe('whether anything of a count matters any more', () => {
	test('A count of which nothing was heard does not matter', () => {
		const { said } = setUp();
		said.send(0);
		expect(said.isOver(0)).toBe(true);
	});

	test('A count matters for a minute and a second after the latest answer', () => {
		const { said, run } = setUp();
		run(0, 10, 119, { takes: 2 });
		expect([65_509, 65_510].map((now) => said.isOver(now))).toEqual([false, true]);
		expect([said.share(65_510), said.readyAt(65_510), said.burstAt(65_510)]).toEqual([1, 0, undefined]);
	});

	test('A count matters as long as the wait that a refusal has asked for', () => {
		const { said, refuse } = setUp();
		refuse(0, 0);
		said.endsAt(10 + minuteMs);
		expect([61_009, 61_010].map((now) => said.isOver(now))).toEqual([false, true]);
	});

	test('A count matters as long as it is not listened to', () => {
		const { said, refuse } = setUp();
		refuse(0, 1);
		expect([600_009, 600_010].map((now) => said.isOver(now))).toEqual([false, true]);
	});
});

/** A single process whose requests a service counts in fixed windows, and what it says of them, in the order of the answers. */
interface Traffic {
	gapMs: number;
	wayMs: number;
	answerMs: number;
}

/** Lets the requests be sent, counted and answered; at most ten are under way. */
function play(
	said: ServiceCount,
	traffic: Traffic[],
	{ used, endsAt }: { used: number; endsAt: number },
	each: (now: number) => void,
) {
	const waiting = [...traffic];
	type Event = { at: number; happen: () => void };
	const events: Event[] = [];
	const later = (at: number, happen: () => void) => events.push({ at, happen });
	let [underWay, remaining] = [0, limit - used];
	const count = (at: number) => {
		if (at >= endsAt) [remaining, endsAt] = [limit, at + minuteMs];
		return remaining > 0 ? --remaining : undefined;
	};
	const next = (now: number) => {
		if (underWay === 10) return;
		const request = waiting.shift();
		if (!request) return;
		later(now + request.gapMs, () => {
			const at = now + request.gapMs;
			if (underWay === 10) {
				waiting.unshift(request);
				return;
			}
			underWay++;
			const sent = said.send(at);
			later(at + request.wayMs, () => {
				const left = count(at + request.wayMs);
				const answeredAt = at + request.wayMs + request.answerMs;
				later(answeredAt, () => {
					underWay--;
					const count = { limit, remaining: left ?? 0 };
					said.answered(sent, { at: answeredAt, refused: left === undefined, count });
					each(answeredAt);
					next(answeredAt);
				});
			});
			next(at);
		});
	};
	next(0);
	while (events.length) {
		events.sort((a, b) => a.at - b.at);
		events.shift()!.happen();
	}
}

describe('a process that is alone', () => {
	const requests = (longestGapMs: number, most: number) =>
		fc.array(
			fc.record({
				gapMs: fc.integer({ min: 0, max: longestGapMs }),
				wayMs: fc.integer({ min: 0, max: 300 }),
				answerMs: fc.integer({ min: 0, max: 1500 }),
			}),
			{ minLength: 5, maxLength: most, size: 'max' },
		);
	const holds = (traffic: Traffic[], used: number, endsAt = minuteMs) => {
		const { said, isDoubted } = setUp();
		play(said, traffic, { used, endsAt }, (now) => {
			expect(isDoubted(now)).toBe(false);
			expect(said.share(now)).toBe(1);
		});
	};

	test('No order of answers to a single process is taken for others, or for a lie (generated)', () => {
		fc.assert(
			fc.property(requests(400, 60), fc.nat(40), (traffic, used) => holds(traffic, used)),
			{ numRuns: 300 },
		);
	});

	test('Several windows of a single process are not taken for others, or for a lie, where answers keep the order of windows (generated)', () => {
		const quick = requests(900, 400).map((traffic) =>
			traffic.map((each) => ({
				...each,
				gapMs: 500 + each.gapMs,
				wayMs: each.wayMs % 50,
				answerMs: each.answerMs % 400,
			})),
		);
		fc.assert(
			fc.property(quick, fc.nat(40), (traffic, used) => holds(traffic, used)),
			{ numRuns: 60 },
		);
	});

	// An answer of the window before, after the first one of the next, is taken for a count that has jumped.
	test('Several windows of a single process are not taken for others, or for a lie, in any order (generated)', () => {
		fc.assert(fc.property(requests(400, 60), fc.nat(40), fc.nat(8000), holds), {
			numRuns: 300,
			endOnFailure: true,
		});
	});

	test('A late answer of the window before does not hold all requests for the next one', () => {
		const { said, end, answer, run } = setUp();
		run(0, 119, 120);
		const late = said.send(59_700);
		answer(minuteMs + 100, 119);
		end(late, minuteMs + 200, 0);
		expect(said.readyAt(minuteMs + 200)).toBe(0);
	});

	// It is taken to have been counted, so that the next count seems to have fallen by too little.
	test.each([
		['are lost', false],
		['are refused because of something else', true],
	])('No lie is seen in the counts around requests that %s', (_, refused) => {
		const { said, end, answer, run, isDoubted } = setUp();
		let remaining = run(0, 6, 120);
		for (let at = 3000; at < 8000; at += 1000) {
			end(said.send(at), at + 10, undefined, { refused });
			answer(at + 500, --remaining);
		}
		expect(isDoubted(8000)).toBe(false);
	});

	test('What is left is known exactly when all answers have come', () => {
		const { said, end, isDoubted } = setUp();
		const sent = Array.from({ length: 10 }, () => said.send(0));
		sent.forEach((each, index) => end(each, 50 + index, 22 - index));
		expect(isDoubted(60)).toBe(false);
		expect(said.burstAt(60)).toBe(60);
	});

	test('What is left is the least that any answer says, whatever the order of answers', () => {
		const { said, end } = setUp();
		const [first, second] = [said.send(0), said.send(0)];
		end(second, 50, 12);
		end(first, 60, 13);
		expect(said.burstAt(60)).toBeUndefined();
	});

	test('Requests that were lost before the latest answer do not count as used after it', () => {
		const { said, answer } = setUp();
		for (let lost = 0; lost < 3; lost++) answer(0);
		answer(100, 14);
		expect(said.burstAt(110)).toBe(110);
	});
});
