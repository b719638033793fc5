import { getEventListeners } from 'node:events';

import { wait } from '../../nodes/ChatbotService/client/wait';
import { isSettled } from './fakeTime';

test.each([2000, 1200, 499, 1])('Waiting takes the given time: %d ms', async (milliseconds) => {
	const { signal } = new AbortController();
	const waiting = wait(milliseconds, signal);
	await jest.advanceTimersByTimeAsync(milliseconds - 1);
	expect(await isSettled(waiting)).toBe(false);
	await jest.advanceTimersByTimeAsync(1);
	expect(await isSettled(waiting)).toBe(true);
	expect(jest.getTimerCount()).toBe(0);
	// A run uses one signal for all its waits.
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([0, 700])('Waiting ends with its signal at once and without error, after %d ms', async (after) => {
	const stop = new AbortController();
	const waiting = wait(120_000, stop.signal);
	await jest.advanceTimersByTimeAsync(after);
	expect(await isSettled(waiting)).toBe(false);
	stop.abort();
	expect(await isSettled(waiting)).toBe(true);
	expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
	// The remaining timer ends shortly afterwards.
	await jest.advanceTimersByTimeAsync(500);
	expect(jest.getTimerCount()).toBe(0);
});

test.each<[string, number, AbortSignal]>([
	['zero time', 0, new AbortController().signal],
	['less than no time', -5, new AbortController().signal],
	['a time whose signal is aborted', 120_000, AbortSignal.abort()],
])('Waiting for %s ends immediately', async (_, milliseconds, signal) => {
	expect(await isSettled(wait(milliseconds, signal))).toBe(true);
	expect(jest.getTimerCount()).toBe(0);
});
