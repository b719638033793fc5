/**
 * The limits of the service, really enforced: windows over the moments at which requests count, and the headers that report
 * them. A refused request does not count, as in the framework's throttle.
 */

import type { Messenger } from './data';
import { seededRandom } from './random';
import { Refusal } from './refusal';
import { CountedWindow } from './window';

/** At most `requests` in a window of `windowMs` milliseconds. */
export interface Limit {
	requests: number;
	windowMs: number;
	/**
	 * sliding, the default: in any window of that length. fixed: in consecutive windows, as in the framework; one
	 * starts with the first request after the end of the previous one.
	 */
	window?: 'sliding' | 'fixed';
}

/** null disables a single limit. */
export interface Limits {
	/** All operations of an account together. */
	account: Limit | null;
	/** sendMessage, by the messenger of the recipient; a messenger that is not listed has no limit. */
	messengers: Partial<Record<Messenger, Limit | null>>;
	/** sendMessageToWhatsApp. */
	whatsAppNumber: Limit | null;
	/** Every window is multiplied by this, so that tests are faster: 0.1 turns ten seconds into one. */
	scale: number;
	/**
	 * Whole seconds, rounded up and at least 1; or rounded down like the framework: 0 within the last second, although windows
	 * are exact to the millisecond.
	 */
	retryAfter: 'rounded up' | 'rounded down';
	/**
	 * What X-RateLimit-* report about the tightest limit that a request counts towards. none: no such headers. The others
	 * report a wrong remainder: constant, always one less than the limit; jumping, any number from zero to the limit; words, no
	 * number at all.
	 */
	headers: 'true' | 'none' | 'constant' | 'jumping' | 'words';
}

export const DOCUMENTED_LIMITS: Readonly<Limits> = {
	account: { requests: 2, windowMs: 1_000 },
	messengers: {
		whatsapp: { requests: 1, windowMs: 10_000 },
		telegram: { requests: 10, windowMs: 10_000 },
		viber: { requests: 10, windowMs: 10_000 },
		max: { requests: 10, windowMs: 10_000 },
	},
	whatsAppNumber: { requests: 1, windowMs: 1_000 },
	scale: 1,
	retryAfter: 'rounded up',
	headers: 'true',
};

/**
 * The limits of a Laravel application, whose windows cannot be shorter than a minute: "2 per second (120 per minute)" means 120
 * in a minute there. The documented limits of messages remain.
 */
export const LARAVEL_LIMITS: Readonly<Partial<Limits>> = {
	account: { requests: 120, windowMs: 60_000, window: 'fixed' },
	retryAfter: 'rounded down',
};

/** Headers of every answer with a limit. */
type RateHeaders = Record<string, string>;

const LIMIT = 'x-ratelimit-limit';
const REMAINING = 'x-ratelimit-remaining';
const RESET = 'x-ratelimit-reset';

export type LimitName = 'account' | 'whatsAppNumber' | Messenger;

export class Limiter {
	private limits: Limits | undefined;
	private readonly windows = new Map<string, CountedWindow>();
	private random = seededRandom(1);

	/** @param limits differences from the documented limits; false disables all of them. Counting restarts. */
	set(limits: Partial<Limits> | false): void {
		this.windows.clear();
		this.random = seededRandom(1);
		this.limits = limits
			? {
					...DOCUMENTED_LIMITS,
					...limits,
					messengers: { ...DOCUMENTED_LIMITS.messengers, ...limits.messengers },
				}
			: undefined;
	}

	/**
	 * Counts a request or refuses it with 429.
	 * @param others headers for the other limits that the request has counted towards
	 * @returns headers for the answer, of the tightest limit
	 */
	count(name: LimitName, accountToken: string, now: number, others: RateHeaders = {}): RateHeaders {
		const limit = this.limitOf(name);
		if (!limit || !this.limits) return others;
		const key = `${name} ${accountToken}`;
		const windowMs = limit.windowMs * this.limits.scale;
		const window = this.windows.get(key) ?? new CountedWindow({ window: 'sliding', ...limit, windowMs });
		this.windows.set(key, window);
		const isOver = window.remaining(now) === 0;
		if (!isOver) window.count(now);
		const headers = this.headersOf(limit.requests, window.remaining(now));
		if (isOver) throw new TooMany(name, { ...headers, ...this.comeBackIn(window.waitMs(now)) });
		return Number(others[REMAINING]) <= Number(headers[REMAINING]) ? others : headers;
	}

	private headersOf(requests: number, remaining: number): RateHeaders {
		const said = (count: number | string, left: number | string) => ({
			[LIMIT]: String(count),
			[REMAINING]: String(left),
		});
		switch (this.limits?.headers) {
			case 'none':
				return {};
			case 'constant':
				return said(requests, requests - 1);
			case 'jumping':
				return said(requests, Math.floor(this.random() * (requests + 1)));
			case 'words':
				return said('unlimited', 'plenty');
			default:
				return said(requests, remaining);
		}
	}

	private comeBackIn(waitMs: number): RateHeaders {
		const round = this.limits?.retryAfter === 'rounded down' ? Math.floor : Math.ceil;
		const seconds = round(waitMs / 1000);
		const retryAfter = { 'retry-after': String(seconds) };
		const headers = this.limits?.headers;
		if (headers === 'none') return retryAfter;
		const at = headers === 'words' ? 'soon' : round(Date.now() / 1000) + seconds;
		return { ...retryAfter, [RESET]: String(at) };
	}

	private limitOf(name: LimitName): Limit | null | undefined {
		if (!this.limits) return undefined;
		if (name === 'account') return this.limits.account;
		if (name === 'whatsAppNumber') return this.limits.whatsAppNumber;
		return this.limits.messengers[name];
	}
}

/** 429, with the exceeded limit. */
export class TooMany extends Refusal {
	constructor(
		readonly limit: LimitName,
		headers: RateHeaders,
	) {
		super(429, { message: 'Too Many Attempts.' }, headers);
	}
}
