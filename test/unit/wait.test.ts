import { getEventListeners } from 'node:events';

import { wait } from '../../nodes/ChatbotService/shared/wait';
import { isSettled, passTime, useVirtualTime } from '../virtualTime';

useVirtualTime();

test('Waiting ends with its signal at once and without error, and leaves nothing that keeps the process busy', async () => {
	const stop = new AbortController();
	const waiting = wait(120_000, stop.signal);
	await passTime(700);
	expect(await isSettled(waiting)).toBe(false);
	stop.abort();
	expect(await isSettled(waiting)).toBe(true);
	// A run uses one signal for all its waits.
	expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
	await passTime(1200);
	expect(jest.getTimerCount()).toBe(0);
	expect(await isSettled(wait(120_000, stop.signal))).toBe(true);
});
