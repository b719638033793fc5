import { Slices, yieldToEventLoop } from '../../nodes/ChatbotService/run/slices';

afterEach(() => jest.restoreAllMocks());

test('Yielding lets due tasks run', async () => {
	const order: string[] = [];
	setTimeout(() => order.push('due'), 0);
	await yieldToEventLoop();
	expect(order).toEqual(['due']);
});

test.each([
	['takes one iteration of an idle event loop', [0.3], 1],
	['lasts until nothing else is done', [5, 0.4, 0.3, 5], 3],
	['ends after 30 ms, however busy the rest of the process is', [9, 9, 9, 9, 9], 3],
])('Yielding %s', async (_, busyMs, expected) => {
	let [now, turns] = [1000, 0];
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(performance, 'eventLoopUtilization').mockImplementation((before) => {
		if (before) now += 10;
		return { idle: 0, active: before ? busyMs[turns++]! : 0, utilization: 0 };
	});
	await yieldToEventLoop();
	expect(turns).toBe(expected);
});

test('A slice of 8 ms is over before the event loop runs', async () => {
	let now = 1000;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	const slices = new Slices();
	let hasRun = false;
	setTimeout(() => (hasRun = true), 0);
	now += 7.9;
	for (let item = 0; item < 100; item++) await slices.next();
	expect(hasRun).toBe(false);
	now += 0.1;
	await slices.next();
	expect(hasRun).toBe(true);
	// The next slice begins.
	setTimeout(() => (hasRun = false), 0);
	await slices.next();
	expect(hasRun).toBe(true);
});
