import { getEventListeners } from 'node:events';

import { wait } from '../../nodes/ChatbotService/client/wait';
import { inTime, isSettled, passTime, useVirtualTime } from '../virtualTime';

useVirtualTime();

test.each<[string, number, number, AbortSignal]>([
	['the given time', 1200, 1200, new AbortController().signal],
	['a time shorter than one of its steps', 1, 1, new AbortController().signal],
	['no time for zero', 0, 0, new AbortController().signal],
	['no time if its signal is aborted', 120_000, 0, AbortSignal.abort()],
])('Waiting takes %s', async (_, milliseconds, expected, signal) => {
	await inTime(wait(milliseconds, signal));
	expect(performance.now()).toBe(expected);
	expect(jest.getTimerCount()).toBe(0);
	// A run uses one signal for all its waits.
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('Waiting ends with its signal at once and without error, and leaves nothing that keeps the process busy', async () => {
	const stop = new AbortController();
	const waiting = wait(120_000, stop.signal);
	await passTime(700);
	expect(await isSettled(waiting)).toBe(false);
	stop.abort();
	expect(await isSettled(waiting)).toBe(true);
	expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
	await passTime(1200);
	expect(jest.getTimerCount()).toBe(0);
});
