/** The limits of the emulator, and what it reports of them, are those of the framework. */

import { LARAVEL_LIMITS, type Limits } from '../../sandbox/emulator';
import { Limiter } from '../../sandbox/emulator/limits';

/** @returns what a limiter says at given times: how many requests are left, or the Retry-After of a refusal */
function saidAt(limits: Partial<Limits>, ...times: number[]) {
	const limiter = new Limiter();
	limiter.set(limits);
	return times.map((now) => {
		const { isRefused, headers } = limiter.count('account', 'a', now);
		return isRefused ? `after ${headers['retry-after']}` : headers['x-ratelimit-remaining'];
	});
}

test('A sliding window limits every interval of its length, and refused requests do not count', () => {
	const account = { requests: 2, windowMs: 1000 };
	const said = saidAt({ account }, 0, 900, 950, 999, 1000, 1899, 1900);
	expect(said).toEqual(['1', '0', 'after 1', 'after 1', '0', 'after 1', '0']);
});

test('A fixed window starts with the first request after the end of the previous one, and rounds down what is left of it', () => {
	const account = { requests: 2, windowMs: 2000, window: 'fixed' } as const;
	const said = saidAt({ ...LARAVEL_LIMITS, account }, 300, 800, 1000, 2250, 2300, 5900, 7899, 7900);
	expect(said).toEqual(['1', '0', 'after 1', 'after 0', '1', '1', '0', '1']);
});

test.each<[Limits['headers'], Array<string | undefined>]>([
	['true', ['2', '1', '0']],
	['none', [undefined, undefined, undefined]],
	['constant', ['2', '2', '2']],
])('With headers: %s, answers say that %j are left', (headers, remaining) => {
	expect(saidAt({ account: { requests: 3, windowMs: 1000 }, headers }, 0, 0, 0)).toEqual(remaining);
});
