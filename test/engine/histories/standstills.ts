import { setTimeout } from 'node:timers/promises';

/* What happens late in the fast time of histories because the process stood still: the machine was busy. */

/** Seconds of the node and the emulator in one second of the wall. */
export const speed = 40;

/** What happens late anyway, and what counts as a standstill of the process, in milliseconds of the fast time. */
const usualMs = 50 * speed;
const standstillMs = 20 * speed;

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
		await setTimeout(ms / 100, undefined, { ref: false });
}

/** Notices the standstills during the tests of a file. */
export function noticeStandstills(): void {
	let looking: NodeJS.Timeout;
	beforeAll(() => {
		let latest = performance.now();
		const look = () => {
			const time = performance.now();
			if (time - latest > standstillMs) standstills.push({ from: latest, to: time });
			latest = time;
		};
		looking = setInterval(look, standstillMs / speed / 4);
	});
	afterAll(() => clearInterval(looking));
}
