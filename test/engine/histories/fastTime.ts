import promises from 'node:timers/promises';

/* Time that passes faster than on the wall, so that a history of minutes takes seconds, and with real requests. */

/** Seconds of the node and the emulator in one second of the wall. */
export const speed = 40;

/** What may happen late because the process was busy, in milliseconds of the fast time. */
export const busyMs = 50 * speed;

/** Clocks, timers and waits of a test file are fast. Time limits of Node.js itself, such as those of sockets, are not. */
export function useFastTime(): void {
	const { performance } = globalThis;
	const [now, wait, pause] = [performance.now.bind(performance), setTimeout, promises.setTimeout];
	beforeAll(() => {
		const began = Date.now() - now();
		const fast = (...[run, ms = 0, ...given]: Parameters<typeof wait>) => wait(run, ms / speed, ...given);
		performance.now = () => now() * speed;
		jest.spyOn(Date, 'now').mockImplementation(() => Math.floor(began + now() * speed));
		globalThis.setTimeout = Object.assign(fast, wait) as typeof setTimeout;
		promises.setTimeout = async (ms = 0, ...given) => await pause(ms / speed, ...given);
	});
	afterAll(() => {
		jest.restoreAllMocks();
		Object.assign(performance, { now });
		Object.assign(globalThis, { setTimeout: wait });
		Object.assign(promises, { setTimeout: pause });
	});
}
