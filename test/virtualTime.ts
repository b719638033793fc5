/* Virtual time: Jest's fake timers, advanced from one due timer to the next. A test file that calls `useVirtualTime` runs in it. */

/** `performance.now()` starts at 0 in each test of the file. Time passes only with the functions below, and the event loop is idle. */
export function useVirtualTime(): void {
	beforeEach(() => {
		jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
		performance.eventLoopUtilization = () => ({ idle: 1, active: 0, utilization: 0 });
	});
	afterEach(() => jest.useRealTimers());
}

/** Time passes until nothing waits for it any more, or until `performance.now()` is the given time. */
export async function passTime(until = Infinity): Promise<void> {
	let isReached = false;
	if (until < Infinity) setTimeout(() => (isReached = true), until - performance.now());
	await nextTimers(() => isReached || jest.getTimerCount() === 0);
}

/** The given milliseconds pass. */
export const pass = async (milliseconds: number) => await passTime(performance.now() + milliseconds);

/** The value of a promise, for which at most the given milliseconds pass. */
export async function inTime<T>(promise: Promise<T>, most = 3_600_000): Promise<T> {
	const isDone = doneOf(promise);
	const end = performance.now() + most;
	await nextTimers(() => isDone() || performance.now() > end);
	if (!isDone()) throw new Error(`it takes longer than ${most} ms`);
	return await promise;
}

/** Whether a promise is settled without any time passing. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	const isDone = doneOf(promise);
	await settle();
	return isDone();
}

function doneOf(promise: Promise<unknown>): () => boolean {
	let isDone = false;
	promise.finally(() => (isDone = true)).catch(() => {});
	return () => isDone;
}

async function nextTimers(isEnough: () => boolean) {
	for (;;) {
		await settle();
		if (isEnough()) return;
		if (jest.getTimerCount() === 0) throw new Error('Nothing waits for time, and nothing happens');
		jest.advanceTimersToNextTimer();
	}
}

/** Everything that waits only for promises happens. */
const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));
