import { getEventListeners } from 'node:events';

import { letOthersGoOn, wait } from '../../nodes/ChatbotService/client/wait';

/** Whether a promise has settled after all other ready work has run. */
async function isOver(promise: Promise<unknown>): Promise<boolean> {
	let over = false;
	void promise.finally(() => (over = true));
	await new Promise((resolve) => setImmediate(resolve));
	return over;
}

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => jest.useRealTimers());

test.each([2000, 1200, 499, 1])('Waiting takes the given time: %d ms', async (milliseconds) => {
	const waiting = wait(milliseconds, new AbortController().signal);
	await jest.advanceTimersByTimeAsync(milliseconds - 1);
	expect(await isOver(waiting)).toBe(false);
	await jest.advanceTimersByTimeAsync(1);
	expect(await isOver(waiting)).toBe(true);
	await expect(waiting).resolves.toBeUndefined();
	expect(jest.getTimerCount()).toBe(0);
});

test('Waiting for zero or less time ends immediately', async () => {
	for (const milliseconds of [0, -5]) {
		expect(await isOver(wait(milliseconds, new AbortController().signal))).toBe(true);
	}
	expect(jest.getTimerCount()).toBe(0);
});

test.each([0, 700])('Waiting ends with its signal at once and without error, after %d ms', async (after) => {
	const stop = new AbortController();
	const waiting = wait(120_000, stop.signal);
	await jest.advanceTimersByTimeAsync(after);
	expect(await isOver(waiting)).toBe(false);
	stop.abort();
	expect(await isOver(waiting)).toBe(true);
	await expect(waiting).resolves.toBeUndefined();
	// The remaining timer ends shortly afterwards.
	await jest.advanceTimersByTimeAsync(500);
	expect(jest.getTimerCount()).toBe(0);
});

test('Waiting does not start when the signal is aborted', async () => {
	const waiting = wait(120_000, AbortSignal.abort());
	expect(await isOver(waiting)).toBe(true);
	await expect(waiting).resolves.toBeUndefined();
	expect(jest.getTimerCount()).toBe(0);
});

test('A finished wait leaves no listener on the signal, which a run uses for all its waits', async () => {
	const stop = new AbortController();
	const waiting = wait(1000, stop.signal);
	await jest.advanceTimersByTimeAsync(1000);
	await waiting;
	expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
	const broken = wait(1000, stop.signal);
	stop.abort();
	await broken;
	expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});

test('Yielding to the event loop runs what is due', async () => {
	jest.useRealTimers();
	const order: string[] = [];
	setTimeout(() => order.push('due'), 0);
	await letOthersGoOn();
	expect(order).toEqual(['due']);
});

test.each([
	['takes one turn of the event loop while nobody does anything', [0.3], 1],
	['goes on until nobody does anything any more', [5, 0.4, 0.3, 5], 3],
	['ends after 30 ms, however busy others are', [9, 9, 9, 9, 9], 3],
])('Yielding to the event loop %s', async (_, busyMs, expected) => {
	jest.useRealTimers();
	let [now, turns] = [1000, 0];
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(performance, 'eventLoopUtilization').mockImplementation((before) => {
		if (before) now += 10;
		return { idle: 0, active: before ? busyMs[turns++]! : 0, utilization: 0 };
	});
	await letOthersGoOn();
	jest.restoreAllMocks();
	expect(turns).toBe(expected);
});
