import { setImmediate } from 'node:timers/promises';

import { Slices } from '../../nodes/ChatbotService/run/slices';

/* In real time. That other executions go on while a run reads its items is in test/engine/promises.test.ts. */

function workFor(milliseconds: number) {
	const until = performance.now() + milliseconds;
	while (performance.now() < until);
}

test('a run in slices goes on in a busy process', async () => {
	const from = performance.now();
	let isOver = false;
	const other = (async () => {
		for (; !isOver; await setImmediate()) workFor(2);
	})();
	const slices = new Slices();
	for (let done = 0; done < 30; done++) {
		await slices.next();
		workFor(1);
	}
	expect(performance.now() - from).toBeLessThan(10_000);
	isOver = true;
	await other;
});
