import { setImmediate } from 'node:timers/promises';

import { Slices } from '../../nodes/ChatbotService/run/slices';

/* In real time. test/engine/promises.test.ts measures whole runs. */

/** Works for some time without a pause. */
function workFor(milliseconds: number) {
	const until = performance.now() + milliseconds;
	while (performance.now() < until);
}

/** Works in slices. @returns how long that takes */
async function workInSlices(milliseconds: number) {
	const from = performance.now();
	const slices = new Slices();
	for (let done = 0; done < milliseconds; done++) {
		await slices.next();
		workFor(1);
	}
	return performance.now() - from;
}

/** Other work in the process, in steps of which each takes an iteration of the event loop. */
async function workInSteps(milliseconds: number, isGoingOn: () => boolean) {
	while (isGoingOn()) {
		workFor(milliseconds);
		await setImmediate();
	}
}

test('other executions end while a run works in slices', async () => {
	let steps = 0;
	const other = workInSteps(0.3, () => steps++ < 100);
	await workInSlices(50);
	expect(steps).toBe(101);
	await other;
});

test('a run in slices goes on in a busy process', async () => {
	let isOver = false;
	const other = workInSteps(2, () => !isOver);
	expect(await workInSlices(30)).toBeLessThan(10_000);
	isOver = true;
	await other;
});

test('callers that wait together work with pauses', async () => {
	const slices = new Slices();
	const order: string[] = [];
	let isOver = false;
	const other = workInSteps(0, () => order.push('other') > 0 && !isOver);
	const caller = async () => {
		await slices.next();
		order.push('caller');
		workFor(20);
	};
	workFor(20);
	await Promise.all(Array.from({ length: 5 }, caller));
	isOver = true;
	await other;
	expect(order.join(' ')).not.toContain('caller caller');
});
