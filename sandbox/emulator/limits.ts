/**
 * The limits of the service: windows over the moments at which requests count, and the headers that report them. It has no
 * clock, so that the simulation of the pace (test/simulation) uses it in virtual time.
 */

import type { Messenger } from './data';
import { seededRandom } from './random';

/** At most `requests` in a window of `windowMs` milliseconds. */
export interface Limit {
	requests: number;
	windowMs: number;
	/**
	 * sliding, the default: in any window of that length. fixed: in consecutive windows, as in the framework; one starts
	 * with the first request after the end of the previous one.
	 */
	window?: 'sliding' | 'fixed';
}

/** What differs between services and tests. The limits of messages are always those of the documents. */
export interface Limits {
	/** All operations of an account together; null for no limit. */
	account: Limit | null;
	/** Whole seconds, rounded up; or down like the framework, so that it is 0 within the last second of a window. */
	retryAfter: 'rounded up' | 'rounded down';
	/** What X-RateLimit-Remaining says of the tightest limit: the truth, always one less than the limit, or any number. */
	headers: 'true' | 'none' | 'constant' | 'jumping';
	/** The limit that these headers state instead of the true one. */
	saidLimit?: number;
}

/** sendMessageToWhatsApp has a limit of its own; sendMessage, one for the messenger of the recipient. */
export type LimitName = 'account' | 'whatsAppNumber' | Messenger;

const ten: Limit = { requests: 10, windowMs: 10_000 };

const OF_MESSAGES: Partial<Record<LimitName, Limit>> = {
	whatsapp: { requests: 1, windowMs: 10_000 },
	...{ telegram: ten, viber: ten, max: ten },
	whatsAppNumber: { requests: 1, windowMs: 1_000 },
};

const DOCUMENTED: Readonly<Limits> = {
	account: { requests: 2, windowMs: 1_000 },
	...{ retryAfter: 'rounded up', headers: 'true' },
};

/**
 * The limits of a Laravel application, whose windows cannot be shorter than a minute: "2 per second (120 per minute)" means
 * 120 in a minute there.
 */
export const LARAVEL_LIMITS: Readonly<Partial<Limits>> = {
	account: { requests: 120, windowMs: 60_000, window: 'fixed' },
	retryAfter: 'rounded down',
};

const REMAINING = 'x-ratelimit-remaining';

type RateHeaders = Record<string, string>;

export class Limiter {
	private limits: Limits | undefined;
	/** The moments at which requests have counted, by limit and account. */
	private readonly counted = new Map<string, number[]>();
	private random = seededRandom(1);

	/** @param limits differences from the documented limits; false disables all of them. Counting restarts. */
	set(limits: Partial<Limits> | false): void {
		this.counted.clear();
		this.random = seededRandom(1);
		this.limits = limits ? { ...DOCUMENTED, ...limits } : undefined;
	}

	/**
	 * Counts a request towards a limit, or refuses it, and then it does not count. It may count towards several, the account's
	 * first: a message that its messenger's limit refuses has then used the account's limit, as in the framework, whose throttles
	 * count one after the other. The services do not say.
	 *
	 * @param others headers for the other limits that the request has counted towards
	 * @returns headers for the answer, of the tightest limit
	 */
	count(name: LimitName, account: string, now: number, others: RateHeaders = {}) {
		const limit = name === 'account' ? this.limits?.account : OF_MESSAGES[name];
		if (!limit || !this.limits) return { isRefused: false, headers: others };

		const { windowMs } = limit;
		const isFixed = limit.window === 'fixed';
		const before = this.counted.get(`${name} ${account}`) ?? [];
		const startsAnew = isFixed && now >= before[0]! + windowMs;
		const counted = before.filter((moment) => (isFixed ? !startsAnew : moment > now - windowMs));
		const isRefused = counted.length >= limit.requests;
		if (!isRefused) counted.push(now);
		this.counted.set(`${name} ${account}`, counted);

		const headers = this.said(limit.requests, limit.requests - counted.length);
		if (isRefused) {
			// Delays in transit let requests overtake each other, so the first counted request need not be the oldest.
			const start = isFixed ? counted[0]! : Math.min(...counted);
			return { isRefused, headers: { ...headers, 'retry-after': this.comeBackIn(start + windowMs - now) } };
		}
		return { isRefused, headers: Number(others[REMAINING]) <= Number(headers[REMAINING]) ? others : headers };
	}

	private said(limit: number, remaining: number): RateHeaders {
		const { headers, saidLimit = limit } = this.limits!;
		if (headers === 'none') return {};
		const any = Math.floor(this.random() * (saidLimit + 1));
		const said = { true: remaining, constant: saidLimit - 1, jumping: any }[headers];
		return { 'x-ratelimit-limit': String(saidLimit), [REMAINING]: String(said) };
	}

	private comeBackIn(waitMs: number): string {
		const rounded = this.limits!.retryAfter === 'rounded down' ? Math.floor : Math.ceil;
		return String(rounded(waitMs / 1000));
	}
}
