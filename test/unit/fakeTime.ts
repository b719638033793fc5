/* Virtual time for one request after another. A test file that imports this uses it. */

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
afterEach(() => jest.useRealTimers());

/** The value of a promise, for which virtual time passes. */
export async function inTime<T>(promise: Promise<T>, most = 600_000): Promise<T> {
	const settled = { is: false };
	const watched = promise.finally(() => (settled.is = true));
	watched.catch(() => {});
	const until = performance.now() + most;
	while (!settled.is && performance.now() < until) await jest.advanceTimersByTimeAsync(100);
	if (!settled.is) throw new Error(`it takes longer than ${most} ms`);
	return await watched;
}

/** Whether a promise is settled without any time passing. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
	let settled = false;
	void promise.finally(() => (settled = true)).catch(() => {});
	for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve));
	return settled;
}
