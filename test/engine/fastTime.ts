import promises from 'node:timers/promises';

/** Seconds of the node and the emulator in one second of the wall. */
export const usualSpeed = 10;

/**
 * Clocks, timers and waits of a test file are fast, so that minutes take seconds, and with real requests. Time limits of Node.js itself,
 * such as those of sockets, are not.
 */
export function useFastTime(speed = usualSpeed): void {
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
