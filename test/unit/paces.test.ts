import { Paces } from '../../nodes/ChatbotService/client/pace/paces';
import type { Rate, SlidingWindow } from '../../nodes/ChatbotService/client/pace/window';

/* One limit at the paces of several credentials. What this means for several runs is in scheduler.test.ts. */

/** What a credential says, by its requests per second. */
const pace = (count: number, changes: Partial<Rate> = {}): Rate => ({
	limit: { count, windowMs: 1000 },
	workers: 1,
	bursts: false,
	...changes,
});

/** Sends a request of a pace that leaves at once and is answered a millisecond later. */
function send(paces: Paces, window: SlidingWindow, at: number) {
	for (const { window: each, hit } of paces.send(window, at)) {
		hit.leftBy = at;
		each.answered(hit, { at: at + 1 });
	}
}

type Booking = ReturnType<Paces['send']>[number];

const noneWaits = () => false;

describe('the windows of a limit', () => {
	test('Credentials with the same values share a window', () => {
		const paces = new Paces();
		const window = paces.of(pace(2));
		paces.of(pace(5));
		expect(paces.of(pace(2))).toBe(window);
		expect(paces.of(pace(2, { limit: { count: 2, windowMs: 1000, assumed: true } }))).toBe(window);
	});

	test.each<[string, Rate]>([
		['another count', pace(3)],
		['another length', pace(2, { limit: { count: 2, windowMs: 2000 } })],
		['other Workers', pace(2, { workers: 2 })],
		['other Bursts', pace(2, { bursts: true })],
	])('A credential with %s has its own window', (_, other) => {
		const paces = new Paces();
		const window = paces.of(pace(2));
		expect(paces.of(other)).not.toBe(window);
		expect(paces.of(pace(2))).toBe(window);
		expect(paces.of({ ...other })).toBe(paces.of(other));
	});

	/** By what each of them allows. */
	const rates = {
		slow: pace(1),
		slower: pace(2, { workers: 4 }),
		fast: pace(5),
		'as slow': pace(3, { workers: 3 }),
		bursting: pace(5, { bursts: true }),
		longer: pace(10, { limit: { count: 10, windowMs: 10_000 } }),
	};

	test.each<[keyof typeof rates, Array<keyof typeof rates>]>([
		['slower', ['as slow', 'bursting', 'fast', 'longer', 'slow']],
		['slow', ['as slow', 'bursting', 'fast', 'longer']],
		['as slow', ['bursting', 'fast', 'longer', 'slow']],
		['longer', ['as slow', 'bursting', 'fast', 'slow']],
		['fast', ['bursting']],
		['bursting', ['fast']],
	])('A request at the pace "%s" counts towards all paces that are not slower', (name, expected) => {
		const paces = new Paces();
		const windows = Object.entries(rates).map(([each, its]) => [each, paces.of(its)] as const);
		const bookings = paces.send(paces.of(rates[name]), 0);
		expect(bookings[0]!.window).toBe(paces.of(rates[name]));
		const besides = bookings.slice(1).map(({ window }) => window);
		expect(windows.flatMap(([each, window]) => (besides.includes(window) ? each : [])).sort()).toEqual(
			expected,
		);
		expect(besides).toHaveLength(expected.length);
	});

	test.each([
		['the slowest first', [pace(1), pace(3)]],
		['the slowest last', [pace(3), pace(1)]],
	])('A new pace begins with the requests of all paces that are not faster, %s', (_, [one, other]) => {
		const paces = new Paces();
		const windows = [paces.of(one!), paces.of(other!), paces.of(pace(9))];
		for (const [index, window] of windows.entries()) send(paces, window, index);
		expect(paces.of(pace(4)).fullness(10)).toBe(2 / 4);
		expect(paces.of(pace(3, { bursts: true })).fullness(10)).toBe(2 / 3);
		expect(paces.of(pace(2)).fullness(10)).toBe(1 / 2);
		expect(paces.of(pace(1, { workers: 2 })).fullness(10)).toBe(0);
	});
});

describe('when a request may be sent', () => {
	const setUp = () => {
		const paces = new Paces();
		return { paces, slow: paces.of(pace(2)), fast: paces.of(pace(3)) };
	};

	test('A request waits for its own pace', () => {
		const { paces, slow, fast } = setUp();
		for (const at of [0, 10]) send(paces, slow, at);
		expect(paces.readyAt(slow, 20, noneWaits)).toBe(1001);
		expect(paces.readyAt(fast, 20, noneWaits)).toBeLessThanOrEqual(20);
	});

	test('A request at a fast pace waits for requests that were sent at a slow pace', () => {
		const { paces, slow, fast } = setUp();
		send(paces, slow, 0);
		for (const at of [10, 20]) send(paces, fast, at);
		expect(paces.readyAt(fast, 30, noneWaits)).toBe(1001);
	});

	test('A request at a slow pace waits for requests at a fast pace as long as they are in the fast window', () => {
		const { paces, slow, fast } = setUp();
		for (const at of [0, 400, 500]) send(paces, fast, at);
		expect(paces.readyAt(slow, 600, noneWaits)).toBe(1001);
		send(paces, fast, 1001);
		expect(paces.readyAt(slow, 1300, noneWaits)).toBe(1401);
		expect(paces.readyAt(slow, 2100, noneWaits)).toBeLessThanOrEqual(2100);
	});

	test('A request at a slow pace waits for the fast pace as long as requests at that pace are waiting', () => {
		const { paces, slow } = setUp();
		const even = paces.of(pace(1, { limit: { count: 1, windowMs: 400 } }));
		send(paces, slow, 0);
		expect(paces.readyAt(slow, 10, noneWaits)).toBeLessThanOrEqual(10);
		expect(paces.readyAt(slow, 10, (window) => window === even)).toBe(401);
		expect(paces.readyAt(slow, 10, (window) => window !== even)).toBeLessThanOrEqual(10);
	});

	test('A request does not wait for a slower pace, whatever is waiting there', () => {
		const { paces, slow, fast } = setUp();
		for (const at of [0, 10]) send(paces, slow, at);
		expect(paces.readyAt(fast, 20, () => true)).toBeLessThanOrEqual(20);
	});

	const shared = pace(2, { workers: 2 });
	const bursting = pace(2, { bursts: true });

	test.each([
		['a slow pace holds back a fast one', pace(1), pace(5)],
		['a fast pace holds back a slow one', pace(5), pace(1)],
		['a pace with Workers holds back one without', shared, pace(2)],
		['a pace without Workers holds back one with', pace(2), shared],
		['a pace with Bursts holds back one without', bursting, pace(2)],
		['a pace without Bursts holds back one with', pace(2), bursting],
	])('A refusal at %s, even if that pace is used for the first time', (_, refused, other) => {
		for (const known of [[refused, other], [refused]]) {
			const paces = new Paces();
			for (const rate of known) paces.of(rate);
			const [{ window, hit }] = paces.send(paces.of(refused), 0) as [Booking];
			window.answered(hit, { at: 40, waitMs: 7000 });
			expect(paces.readyAt(paces.of(other), 2000, noneWaits)).toBe(7040);
		}
	});
});

test.each([
	['slow', 0],
	['fast', 1],
])('A limit is like new when all paces are, including the %s one', (_, index) => {
	const paces = new Paces();
	const windows = [paces.of(pace(1)), paces.of(pace(2))];
	expect(paces.isLikeNew(0)).toBe(true);
	const window = windows[index]!;
	window.answered(window.send(1000), { at: 1010, waitMs: 300_000 });
	expect([301_009, 301_010].map((now) => paces.isLikeNew(now))).toEqual([false, true]);
});
