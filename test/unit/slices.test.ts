import { setImmediate } from 'node:timers/promises';

import { Slices } from '../../nodes/ChatbotService/run/slices';

/* In real time. That other executions go on while a run reads its items is in test/engine/promises.test.ts. */

/** Works for some time without a pause. */
function workFor(milliseconds: number) {
	const until = performance.now() + milliseconds;
	while (performance.now() < until);
}

/** Other work in the process, in steps of which each takes an iteration of the event loop. */
async function workInSteps(milliseconds: number, isGoingOn: () => boolean) {
	while (isGoingOn()) {
		workFor(milliseconds);
		await setImmediate();
	}
}

test('a run in slices goes on in a busy process', async () => {
	const from = performance.now();
	let isOver = false;
	const other = workInSteps(2, () => !isOver);
	const slices = new Slices();
	for (let done = 0; done < 30; done++) {
		await slices.next();
		workFor(1);
	}
	expect(performance.now() - from).toBeLessThan(10_000);
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
