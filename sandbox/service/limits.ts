/**
 * The limits of the service, really kept: sliding windows over the moments at which requests count. A refused request
 * does not count itself, as in the framework's throttle.
 */

import { MESSENGERS, type Messenger } from './data';
import { Refusal } from './refusal';

/** At most `requests` in any window of `windowMs` milliseconds. */
export interface Limit {
	requests: number;
	windowMs: number;
}

/** null switches a single limit off. */
export interface Limits {
	/** All operations of an account together. */
	account: Limit | null;
	/** sendMessage, by the messenger of the recipient (interface 8); a messenger left out has no limit. */
	messengers: Partial<Record<Messenger, Limit | null>>;
	/** sendMessageToWhatsApp (interface 8). */
	whatsAppNumber: Limit | null;
	/** Every window is multiplied by this, so that tests need not wait: 0.1 makes ten seconds one. */
	scale: number;
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
};

/** Answer headers every limited answer carries. */
type RateHeaders = Record<string, string>;

/** Which limit a request falls under. */
export type LimitName = 'account' | 'whatsAppNumber' | Messenger;

export class Limiter {
	private limits: Limits | undefined;
	private readonly windows = new Map<string, SlidingWindow>();

	/** @param limits what differs from the documented limits; false switches all of them off. Counting starts anew. */
	set(limits: Partial<Limits> | false): void {
		this.windows.clear();
		this.limits = limits
			? {
					...DOCUMENTED_LIMITS,
					...limits,
					messengers: { ...DOCUMENTED_LIMITS.messengers, ...limits.messengers },
				}
			: undefined;
	}

	/** Forgets what was counted. */
	clear(): void {
		this.windows.clear();
	}

	/**
	 * Counts a request or refuses it with 429.
	 * @param now performance.now() in milliseconds
	 * @returns headers for the answer; none when there is no such limit
	 */
	count(name: LimitName, accountToken: string, now: number): RateHeaders {
		const limit = this.limitOf(name);
		if (!limit || !this.limits) return {};
		const key = `${name} ${accountToken}`;
		let window = this.windows.get(key);
		if (!window) {
			window = new SlidingWindow(limit.requests, limit.windowMs * this.limits.scale);
			this.windows.set(key, window);
		}
		const waitMs = window.count(now);
		const headers = {
			'x-ratelimit-limit': String(limit.requests),
			'x-ratelimit-remaining': String(window.remaining),
		};
		if (waitMs === 0) return headers;
		const seconds = Math.max(1, Math.ceil(waitMs / 1000));
		throw new TooMany(name, {
			...headers,
			'retry-after': String(seconds),
			'x-ratelimit-reset': String(Math.ceil(Date.now() / 1000) + seconds),
		});
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

/** @returns what is wrong with limits that came over HTTP, or undefined */
export function limitsProblem(value: unknown): string | undefined {
	if (value === false) return undefined;
	if (typeof value !== 'object' || value === null) return 'limits are an object or false';
	const given = value as Partial<Limits>;
	const unknown = Object.keys(given).find((key) => !(key in DOCUMENTED_LIMITS));
	if (unknown !== undefined) return `unknown limit: ${unknown}`;
	const messengers = Object.keys(given.messengers ?? {});
	const stranger = messengers.find((name) => !MESSENGERS.includes(name as Messenger));
	if (stranger !== undefined) return `unknown messenger: ${stranger}`;
	if (given.scale !== undefined && !(given.scale > 0)) return 'scale is a positive number';
	for (const limit of [given.account, given.whatsAppNumber, ...Object.values(given.messengers ?? {})]) {
		if (limit && !(limit.requests > 0 && limit.windowMs > 0))
			return 'a limit is { requests, windowMs } or null';
	}
	return undefined;
}

class SlidingWindow {
	private moments: number[] = [];

	constructor(
		private readonly requests: number,
		private readonly windowMs: number,
	) {}

	get remaining(): number {
		return Math.max(0, this.requests - this.moments.length);
	}

	/** @returns 0 when counted, else the milliseconds until the next request would be */
	count(now: number): number {
		this.moments = this.moments.filter((moment) => now - moment < this.windowMs);
		if (this.moments.length < this.requests) {
			this.moments.push(now);
			return 0;
		}
		// Delays on the way let requests overtake each other, so the first counted need not be the oldest.
		return Math.min(...this.moments) + this.windowMs - now;
	}
}
