import { readCount } from '../../nodes/ChatbotService/client/answer';
import { tooManyRequests } from '../../nodes/ChatbotService/client/failure';
import type { Count } from '../../nodes/ChatbotService/client/pace/bursts';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { accountWith, paceOf, times, type Ending } from './pacing';

/* The service's own count of a minute: how it is read, and what 'Bursts' does with it. Whole broadcasts are in pace.test.ts. */

describe('the headers of an answer', () => {
	const read = (total: unknown, remaining: unknown) =>
		readCount({ 'x-ratelimit-limit': total, 'x-ratelimit-remaining': remaining });

	test.each<[unknown, unknown, Count]>([
		['120', '119', { limit: 120, remaining: 119 }],
		[120, 0, { limit: 120, remaining: 0 }],
		['120', '120', { limit: 120, remaining: 120 }],
	])('are a count: %p and %p', (total, remaining, count) => {
		expect(read(total, remaining)).toEqual(count);
	});

	const texts = ['', 'abc', '-1', '1.5', '1e3', '0x78', '1000000000', '120, 120'];
	const others = [undefined, null, true, {}, ['120', '60']];

	test.each<unknown>([...texts, ...others])('are not a count if one of them is %j', (value) => {
		expect([read(value, '1'), read('120', value)]).toEqual([undefined, undefined]);
	});

	test('are not a count if the limit is zero, or if more is left than the limit', () => {
		expect([read('0', '0'), read('120', '121')]).toEqual([undefined, undefined]);
	});
});

/** An account of two requests per second, whose answers have a count. By default, it is true: 120 per minute. */
function setUp({
	bursts = true,
	count,
}: { bursts?: boolean; count?: (sent: number) => Count | undefined } = {}) {
	const account = accountWith(paceOf(2, { bursts }));
	const { clock, left, sendAll } = account;
	const countOf = count ?? ((sent) => ({ limit: 120, remaining: Math.max(0, 120 - sent) }));
	const answer = async (): Promise<Ending> => {
		const sent = left.length;
		await clock.sleep(40);
		return { count: countOf(sent) };
	};
	const sendMany = (requests: number) => void sendAll(times(requests, 'x'), { answer });
	const sentWithin = (from: number, until: number) =>
		left.filter(({ at }) => at >= from && at < until).length;
	return { ...account, answer, sendMany, sentWithin };
}

test('With Bursts, most of a minute leaves at once, and the rest waits for the next minute', async () => {
	const { clock, sendMany, sentWithin } = setUp();
	sendMany(200);
	await clock.run(59_000);
	expect(sentWithin(0, 5000)).toBeGreaterThanOrEqual(100);
	expect(sentWithin(0, 59_000)).toBe(120);
});

test('The last requests of a minute leave evenly, because those of other processes may be on their way', async () => {
	const { clock, sendMany, left } = setUp();
	sendMany(200);
	await clock.run(59_000);
	const last = left.slice(-8).map(({ at }) => at);
	for (const [index, at] of last.slice(2).entries()) expect(at - last[index]!).toBeGreaterThanOrEqual(1000);
});

test('When the service says that nothing is left of a minute, the account waits for its end, also without Bursts', async () => {
	const { clock, sendMany, sentWithin } = setUp({
		bursts: false,
		count: (sent) => ({ limit: 120, remaining: Math.max(0, 119 - 5 * (sent - 1)) }),
	});
	sendMany(100);
	await clock.run(65_000);
	expect(sentWithin(20_000, 60_000)).toBe(0);
	expect(sentWithin(60_000, 65_000)).toBeGreaterThan(0);
});

test.each<[string, Parameters<typeof setUp>[0]]>([
	['Bursts is off', { bursts: false }],
	['answers have no count', { count: () => undefined }],
	['the count is of another limit', { count: (sent) => ({ limit: 60, remaining: 60 - sent }) }],
	['the minute was begun by others', { count: (sent) => ({ limit: 120, remaining: 100 - sent }) }],
])('Requests leave at the even pace if %s', async (_, given) => {
	const { clock, sendMany, sentWithin } = setUp(given);
	sendMany(40);
	await clock.run(20_000);
	expect(sentWithin(0, 18_000)).toBeGreaterThanOrEqual(34);
	expect(sentWithin(0, 5000)).toBeLessThanOrEqual(10);
});

test.each<[string, (sent: number) => Ending]>([
	['does not go down', () => ({ count: { limit: 120, remaining: 119 } })],
	[
		'says that requests are left when one is refused',
		(sent) => ({
			count: { limit: 120, remaining: 120 - sent },
			...(sent === 50 && { failure: tooManyRequests(429, 0) }),
		}),
	],
])('A count is not trusted for an hour if it %s', async (_, ending) => {
	const { clock, left, sendAll, sentWithin } = setUp();
	void sendAll(times(9000, 'x'), {
		answer: async () => {
			const sent = left.length;
			await clock.sleep(40);
			return ending(sent);
		},
	});
	await clock.run(3_500_000);
	expect(sentWithin(0, 5000)).toBeGreaterThan(10);
	// An even pace, and one burst.
	expect(sentWithin(0, 3_500_000)).toBeLessThanOrEqual(2 * 3500 + 120);
});

test.each(['telegram', 'whatsapp'])('Bursts keep the limit of a messenger: %s', async (messenger) => {
	const { clock, left, sendAll, answer } = setUp();
	const limits = messageLimits(messenger);
	const { count, windowMs } = limits[messenger]!;
	void sendAll(times(25, 'x'), { limits, answer });
	await clock.run();
	expect(left[count - 1]!.at).toBeLessThan(1000);
	for (const [index, { at }] of left.slice(count).entries())
		expect(at - left[index]!.at).toBeGreaterThanOrEqual(windowMs);
});
