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

test('An execution of many steps ends while a run works in slices', async () => {
	let steps = 0;
	const step = async () => {
		for (; steps < 100; steps++) {
			workFor(0.3);
			await setImmediate();
		}
	};
	const other = step();
	await workInSlices(50);
	expect(steps).toBe(100);
	await other;
});

test('A run in slices goes on, however busy the rest of the process is', async () => {
	let isOver = false;
	const others = async () => {
		while (!isOver) {
			workFor(2);
			await setImmediate();
		}
	};
	const other = others();
	expect(await workInSlices(30)).toBeLessThan(10_000);
	isOver = true;
	await other;
});
