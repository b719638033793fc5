import { getEventListeners } from 'node:events';

import { Run } from '../../nodes/ChatbotService/request/run';

const started = (expected: number, signal?: AbortSignal) => new Run(expected, true, new Map(), signal);

test.each([
	['several items that come all at once', 2, true, true],
	['several items that come one after the other', 2, false, false],
	['a single item', 1, true, false],
])('whether there is a gate for %s', (_name, expected, gated, hasGate) => {
	const run = new Run(expected, gated, new Map(), undefined);
	expect(run.gate !== undefined).toBe(hasGate);
});

describe('how far a run is', () => {
	beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] }));
	afterEach(() => jest.useRealTimers());

	test('is said every 30 seconds, with what is left', () => {
		jest.advanceTimersByTime(7_000);
		const run = started(100);
		jest.advanceTimersByTime(29_000);
		void run.end(0, 'done');
		expect(run.progress(30_000)).toBeUndefined();
		jest.advanceTimersByTime(11_000);
		for (let item = 1; item < 20; item++) void run.end(item, item < 18 ? 'done' : 'failed');
		expect(run.progress(30_000)).toBe('20 of 100 items are through, 2 of them failed; about 160 s left');
		expect(run.progress(30_000)).toBeUndefined();
		jest.advanceTimersByTime(30_000);
		expect(run.progress(30_000)).toBeDefined();
	});
});

test('an item ends once, whatever is said of it later', async () => {
	const run = started(2);
	const ended = run.end(0, 'done');
	void run.end(0, 'failed');
	expect([run.count('done'), run.count('failed')]).toEqual([1, 0]);
	void run.end(1, 'notSent');
	await ended;
	expect(run.count('notSent')).toBe(1);
});

test('whoever ends early waits for the others', async () => {
	const run = started(3);
	let isOver = false;
	const over = run.end(0, 'failed').then(() => (isOver = true));
	void run.end(1, 'done');
	await new Promise((resolve) => setImmediate(resolve));
	expect(isOver).toBe(false);
	void run.end(2, 'done');
	await over;
	expect(isOver).toBe(true);
});

test('the user’s stop counts for more than a failure, and lets go of what waits', () => {
	const controller = new AbortController();
	const run = started(2, controller.signal);
	const letGo = jest.fn();
	run.onStop = letGo;
	run.stop('failure');
	expect(run.stopped).toBe('failure');
	controller.abort();
	expect(run.stopped).toBe('cancel');
	run.stop('failure');
	expect(run.stopped).toBe('cancel');
	expect(letGo).toHaveBeenCalledTimes(3);
});

test('a run of an execution that was stopped before is stopped from the start', () => {
	expect(started(2, AbortSignal.abort()).stopped).toBe('cancel');
});

test('a run that has ended does not listen for the user’s stop any more', async () => {
	const { signal } = new AbortController();
	const run = started(2, signal);
	const ended = run.end(0, 'done');
	expect(getEventListeners(signal, 'abort')).toHaveLength(1);
	void run.end(1, 'failed');
	await ended;
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('what changes nothing waits for nothing', async () => {
	const run = started(2);
	void run.inOrder(undefined, async () => await new Promise(() => {}));
	await expect(run.inOrder(undefined, async () => 'read')).resolves.toBe('read');
});

test('changes of one target come one after the other, those of others do not wait', async () => {
	const run = started(3);
	const order: string[] = [];
	let finishFirst = () => {};
	const first = run.inOrder('contact 1', async () => {
		order.push('first begins');
		await new Promise<void>((resolve) => (finishFirst = resolve));
		order.push('first ends');
		throw new Error('lost');
	});
	const second = run.inOrder('contact 1', async () => order.push('second'));
	await run.inOrder('contact 2', async () => order.push('other'));
	finishFirst();
	await expect(first).rejects.toThrow('lost');
	await second;
	expect(order).toEqual(['first begins', 'other', 'first ends', 'second']);
});
