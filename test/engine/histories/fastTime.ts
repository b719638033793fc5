import promises from 'node:timers/promises';

/* Time that passes faster than on the wall, so that a history of minutes takes seconds, and with real requests. */

/** Seconds of the node and the emulator in one second of the wall. */
export const speed = 40;

/** What happens late anyway, and what counts as a standstill of the process, in milliseconds of the fast time. */
const usualMs = 50 * speed;
const standstillMs = 20 * speed;

/** When this process stood still: the machine was busy. */
const standstills: Array<{ from: number; to: number }> = [];

/** The time from a moment to another one in which the process was not at a standstill. */
function hadTime(moment: number, time: number): number {
	const overlap = ({ from, to }: (typeof standstills)[number]) =>
		Math.max(0, Math.min(to, time) - Math.max(from, moment));
	return time - moment - standstills.reduce((sum, each) => sum + overlap(each), 0);
}

/** Whether something happened after a moment, although the process had the time to do it before. */
export const isAfter = (time: number, moment: number): boolean => hadTime(moment, time) > usualMs;

/** Waits until the process has had the time, so that a busy machine is no reason to give something up, or until the signal. */
export async function patience(ms: number, signal: AbortSignal): Promise<void> {
	const began = performance.now();
	while (!signal.aborted && hadTime(began, performance.now()) < ms)
		await promises.setTimeout(ms / 100, undefined, { ref: false });
}

/** Clocks, timers and waits of a test file are fast. Time limits of Node.js itself, such as those of sockets, are not. */
export function useFastTime(): void {
	const { performance } = globalThis;
	const [now, wait, pause] = [performance.now.bind(performance), setTimeout, promises.setTimeout];
	let looking: NodeJS.Timeout;
	beforeAll(() => {
		const began = Date.now() - now();
		const fast = (...[run, ms = 0, ...given]: Parameters<typeof wait>) => wait(run, ms / speed, ...given);
		performance.now = () => now() * speed;
		jest.spyOn(Date, 'now').mockImplementation(() => Math.floor(began + now() * speed));
		globalThis.setTimeout = Object.assign(fast, wait) as typeof setTimeout;
		let latest = performance.now();
		const look = () => {
			const time = performance.now();
			if (time - latest > standstillMs) standstills.push({ from: latest, to: time });
			latest = time;
		};
		looking = setInterval(look, standstillMs / speed / 4);
		promises.setTimeout = async (ms = 0, ...given) => await pause(ms / speed, ...given);
	});
	afterAll(() => {
		clearInterval(looking);
		jest.restoreAllMocks();
		Object.assign(performance, { now });
		Object.assign(globalThis, { setTimeout: wait });
		Object.assign(promises, { setTimeout: pause });
	});
}
