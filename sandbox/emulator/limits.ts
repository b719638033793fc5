/**
 * The limits of the service, really kept: windows over the moments at which requests count, and what the answers say of
 * them. A refused request does not count itself, as in the framework's throttle.
 */

import { MESSENGERS, type Messenger } from './data';
import { seededRandom } from './random';
import { Refusal } from './refusal';
import { CountedWindow } from './window';

const WINDOWS = ['sliding', 'fixed'] as const;
const RETRY_AFTER = ['rounded up', 'cut off'] as const;
const HEADERS = ['true', 'none', 'constant', 'jumping', 'words'] as const;

/** At most `requests` in a window of `windowMs` milliseconds. */
export interface Limit {
	requests: number;
	windowMs: number;
	/**
	 * sliding, the default: in any window of that length. fixed: in windows one after the other, as in the framework; one
	 * begins with the first request that comes after the end of the one before.
	 */
	window?: (typeof WINDOWS)[number];
}

/** null switches a single limit off. */
export interface Limits {
	/** All operations of an account together. */
	account: Limit | null;
	/** sendMessage, by the messenger of the recipient; a messenger left out has no limit. */
	messengers: Partial<Record<Messenger, Limit | null>>;
	/** sendMessageToWhatsApp. */
	whatsAppNumber: Limit | null;
	/** Every window is multiplied by this, so that tests need not wait: 0.1 makes ten seconds one. */
	scale: number;
	/**
	 * Whole seconds, rounded up and at least 1; or cut off as by the framework: 0 within the last second, although windows
	 * are kept to the millisecond.
	 */
	retryAfter: (typeof RETRY_AFTER)[number];
	/**
	 * What X-RateLimit-* say of the tightest limit that a request counted towards. none: there are none of them. The others
	 * lie about what remains: constant, it is always one less than the limit; jumping, anything from none to the limit; words, no
	 * number at all.
	 */
	headers: (typeof HEADERS)[number];
}

/** The documented limits. */
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
 * As a Laravel application keeps them, whose windows cannot be shorter than a minute: "2 per second (120 per minute)" is 120
 * in a minute there. The documented limits of messages stay.
 */
export const LARAVEL_LIMITS: Readonly<Partial<Limits>> = {
	account: { requests: 120, windowMs: 60_000, window: 'fixed' },
	retryAfter: 'cut off',
};

/** Answer headers every limited answer carries. */
type RateHeaders = Record<string, string>;

const LIMIT = 'x-ratelimit-limit';
const REMAINING = 'x-ratelimit-remaining';
const RESET = 'x-ratelimit-reset';

/** Which limit a request falls under. */
export type LimitName = 'account' | 'whatsAppNumber' | Messenger;

export class Limiter {
	private limits: Limits | undefined;
	private readonly windows = new Map<string, CountedWindow>();
	private random = seededRandom(1);

	/** @param limits what differs from the documented limits; false switches all of them off. Counting starts anew. */
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
	 * @param now performance.now() in milliseconds
	 * @param others headers for the other limits that the request has counted towards
	 * @returns headers for the answer, of the tightest of all; none when there is no limit
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
		const round = this.limits?.retryAfter === 'cut off' ? Math.floor : Math.ceil;
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

/** 429, and which limit it was. */
export class TooMany extends Refusal {
	constructor(
		readonly limit: LimitName,
		headers: RateHeaders,
	) {
		super(429, { message: 'Too Many Attempts.' }, headers);
	}
}

const LIMIT_SCHEMA = {
	type: ['object', 'null'],
	required: ['requests', 'windowMs'],
	properties: {
		requests: { type: 'number', exclusiveMinimum: 0 },
		windowMs: { type: 'number', exclusiveMinimum: 0 },
		window: { enum: WINDOWS },
	},
};

/** Limits that come over HTTP: what differs from the documented ones, or false. */
export const LIMITS_SCHEMA = {
	type: ['object', 'boolean'],
	not: { const: true },
	additionalProperties: false,
	properties: {
		account: LIMIT_SCHEMA,
		messengers: {
			type: 'object',
			additionalProperties: false,
			properties: Object.fromEntries(MESSENGERS.map((messenger) => [messenger, LIMIT_SCHEMA])),
		},
		whatsAppNumber: LIMIT_SCHEMA,
		scale: { type: 'number', exclusiveMinimum: 0 },
		retryAfter: { enum: RETRY_AFTER },
		headers: { enum: HEADERS },
	},
};
