import { ArrivalEstimate } from '../../nodes/ChatbotService/client/pace/arrival';

/* The estimated time at which the service counts a request: a process sees only the answer. */

/** The time between requests at one per second. */
const spacingMs = 1000;

/** An estimate after a first answer, and a request that is sent at 3,000 ms. By default, the request leaves at once. */
function setUp({ leftBy = 3000, answeredAt }: { leftBy?: number | null; answeredAt?: number } = {}) {
	const arrival = new ArrivalEstimate();
	arrival.answered(arrival.send(0), 1);
	const request = arrival.send(3000);
	if (leftBy !== null) request.leftBy = leftBy;
	if (answeredAt !== undefined) arrival.answered(request, answeredAt);
	const countedAt = (now = 3000) => arrival.countedAt(request, { now, isSlowedDown: false });
	const isGuessed = () => arrival.isGuessed(request, { now: 3000, isSlowedDown: false });
	return { arrival, request, countedAt, isGuessed };
}

/** The latency that the estimate assumes, measured by a request with a slow answer. */
function latencyOf(arrival: ArrivalEstimate, isSlowedDown = false) {
	const request = { ...arrival.send(0), leftBy: 0, answeredAt: 100_000 };
	return arrival.countedAt(request, { now: 0, isSlowedDown });
}

test.each([
	['that of an answer after 70 ms', 3070, 3070, false],
	['35 ms after it was sent, if its answer takes longer', 3071, 3035, true],
	['35 ms after it was sent, if its answer takes very long', 3900, 3035, true],
	['35 ms after it was sent, while it has no answer', undefined, 3035, true],
])('The estimated time of a request: %s', (_, answeredAt, countedAt, isGuessed) => {
	const request = setUp({ answeredAt });
	expect(request.countedAt()).toBe(countedAt);
	expect(request.isGuessed()).toBe(isGuessed);
});

test('A request that may not have left yet counts now at the earliest, and once it has left, from the time when it left', () => {
	const { arrival, request, countedAt } = setUp({ leftBy: null });
	expect(countedAt(3000)).toBe(3035);
	expect(countedAt(3500)).toBe(3500);
	request.leftBy = 3400;
	expect(countedAt(3500)).toBe(3435);
	arrival.answered(request, 3600);
	expect(countedAt(3600)).toBe(3435);
});

test.each([
	['it is not known by when it had left', null],
	['it had left only just before', 3700],
	['it is known to have left only when its answer is there', 3800],
])('The time of a late answer is the estimate if %s', (_, leftBy) => {
	expect(setUp({ leftBy, answeredAt: 3750 }).countedAt(3760)).toBe(3750);
});

test('Requests that were sent before the first answer are counted at their answers, however late', () => {
	const arrival = new ArrivalEstimate();
	const [first, second] = [arrival.send(0), arrival.send(1)];
	for (const request of [first, second]) request.leftBy = 1;
	const countedAt = () =>
		[first, second].map((each) => arrival.countedAt(each, { now: 900, isSlowedDown: false }));
	expect(countedAt()).toEqual([36, 36]);
	arrival.answered(first, 600);
	arrival.answered(second, 900);
	expect(countedAt()).toEqual([600, 900]);
	expect(latencyOf(arrival)).toBe(35);
});

test('A wrong estimate makes the latency four times as long, up to sixteen times, and then explains nothing more', () => {
	const { arrival } = setUp();
	expect(arrival.isUsual).toBe(true);
	expect([arrival.guessLonger(1), latencyOf(arrival)]).toEqual([true, 140]);
	expect([arrival.guessLonger(2), latencyOf(arrival)]).toEqual([true, 560]);
	expect([arrival.guessLonger(3), latencyOf(arrival)]).toEqual([false, 560]);
	expect(arrival.isUsual).toBe(false);
});

test('With a longer latency, the time of an answer within twice that latency is the estimate', () => {
	const { arrival, countedAt } = setUp({ answeredAt: 3280 });
	arrival.guessLonger(3280);
	expect(countedAt()).toBe(3280);
	expect(setUp({ answeredAt: 3281 }).countedAt()).toBe(3035);
});

test('During a slowdown, the latency is the usual one, because the requests are far apart', () => {
	const { arrival } = setUp();
	arrival.guessLonger(0);
	expect(latencyOf(arrival, true)).toBe(35);
});

test('The latency gets shorter again in steps, each after the time of two hundred requests', () => {
	const { arrival } = setUp();
	arrival.guessLonger(1000);
	arrival.guessLonger(5000);
	const latencyAt = (now: number) => {
		arrival.recover(now, spacingMs);
		return latencyOf(arrival);
	};
	expect(latencyAt(204_999)).toBe(560);
	expect(latencyAt(205_000)).toBe(140);
	expect(latencyAt(404_999)).toBe(140);
	expect(latencyAt(405_000)).toBe(35);
	expect(latencyAt(900_000)).toBe(35);
	expect(arrival.isUsual).toBe(true);
});
