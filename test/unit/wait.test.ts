import { getEventListeners } from 'node:events';

import { wait } from '../../nodes/ChatbotService/client/wait';

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
