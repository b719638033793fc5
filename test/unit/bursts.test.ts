import { tooManyRequests } from '../../nodes/ChatbotService/client/failure/failure';
import { readCount } from '../../nodes/ChatbotService/client/http/headers';
import type { Count } from '../../nodes/ChatbotService/client/pace/bursts';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { passTime, useVirtualTime } from '../virtualTime';
import { accountWith, after, paceOf, times } from './pacing';

/* The service's own count of a minute: how it is read, and what 'Use the Rest of the Minute at Once' does with it. Whole broadcasts are in test/simulation. */

useVirtualTime();

test.each<[unknown, unknown, Count | undefined]>([
	['120', '119', { limit: 120, remaining: 119 }],
	[120, 0, { limit: 120, remaining: 0 }],
	['120', '120', { limit: 120, remaining: 120 }],
	['120', '121', undefined],
	['0', '0', undefined],
	['120', undefined, undefined],
	['120, 120', '60', undefined],
])('Headers with the limit %j and %j remaining are the count %j', (total, remaining, count) => {
	expect(readCount({ 'x-ratelimit-limit': total, 'x-ratelimit-remaining': remaining })).toEqual(count);
});

type Counting = (sent: number) => Count | undefined;

/** Sends with two requests per second, when answers have this count. */
function sendWith(requests: number, count: Counting, { bursts = true, limits = {} } = {}) {
	const { left, sendAll } = accountWith(paceOf(2, { bursts }));
	const answer = () => after(40, { count: count(left.length) })();
	void sendAll(times(requests, 'x'), { limits, answer });
	const sentWithin = (from: number, until: number) =>
		left.filter(({ at }) => at >= from && at < until).length;
	return { left, sentWithin };
}

/** 120 per minute. */
const truth = (sent: number): Count => ({ limit: 120, remaining: Math.max(0, 120 - sent) });

test('When the service says that nothing is left of a minute, the account waits for its end, also without Bursts', async () => {
	const used = (sent: number) => ({ limit: 120, remaining: Math.max(0, 119 - 5 * (sent - 1)) });
	const { sentWithin } = sendWith(100, used, { bursts: false });
	await passTime(65_000);
	expect(sentWithin(20_000, 60_000)).toBe(0);
	expect(sentWithin(60_000, 65_000)).toBeGreaterThan(0);
});

test.each<[string, Counting, boolean]>([
	['Bursts is off', truth, false],
	['answers have no count', () => undefined, true],
	['the count is of another limit', (sent) => ({ limit: 60, remaining: 60 - sent }), true],
	['the minute was begun by others', (sent) => ({ limit: 120, remaining: 100 - sent }), true],
])('Requests leave at the even pace if %s', async (_, count, bursts) => {
	const { sentWithin } = sendWith(40, count, { bursts });
	await passTime(20_000);
	expect(sentWithin(0, 18_000)).toBeGreaterThanOrEqual(34);
	expect(sentWithin(0, 5000)).toBeLessThanOrEqual(10);
});

test.each(['telegram', 'whatsapp'])('Bursts keep the limit of a messenger: %s', async (messenger) => {
	const limits = messageLimits(messenger);
	const { count, windowMs } = limits[messenger]!;
	const { left } = sendWith(25, truth, { limits });
	await passTime();
	expect(left[count - 1]!.at).toBeLessThan(1000);
	for (const [index, { at }] of left.slice(count).entries())
		expect(at - left[index]!.at).toBeGreaterThanOrEqual(windowMs);
});

test('After a minute that others have used up, a refusal does not end the Bursts of the next one', async () => {
	const { left, sendAll } = accountWith(paceOf(2, { bursts: true }));
	const refusal = after(900, { failure: tooManyRequests(429, 58_000) });
	const answers = [after(40, { count: truth(1) }), after(1500, { count: truth(120) }), refusal];
	const answer = async () => await (answers.shift() ?? after(40, { count: truth(left.length - 3) }))();
	void sendAll(times(60, 'x'), { answer });
	await passTime(65_000);
	expect(left.length).toBeGreaterThan(50);
});
