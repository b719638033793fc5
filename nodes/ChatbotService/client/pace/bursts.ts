import type { Limit } from './limits';

/*
 * The service's own count of a minute. Laravel puts X-RateLimit-Limit and X-RateLimit-Remaining on its answers. Most versions
 * count by the minute: "2 per second" is 120 per minute, and a minute begins with the first request after the end of the last
 * one. A process that knows the count can send all requests of a minute at once, and waits when none is left.
 */

/** The count in one answer: requests that a window allows, and requests that are left in it. */
export interface Count {
	limit: number;
	remaining: number;
}

/** Returns undefined if the headers are missing or are not numbers. @param headers names in lower case */
export function readCount(headers: Record<string, unknown>): Count | undefined {
	const [limit, remaining] = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) =>
		/^\d{1,9}$/.test(String(headers[name])) ? Number(headers[name]) : NaN,
	) as [number, number];
	return limit > 0 && remaining <= limit ? { limit, remaining } : undefined;
}

const minuteMs = 60_000;

/** Share of a minute's requests that bursts leave to others: other programs that use the account. */
const reserved = 0.1;

/** If the end of the minute is not known, a burst sends a request from the share of others after this wait, to find out. */
const probeMs = 5000;

/** Answers in a row that must agree before the node waits because nothing is left. */
const answersToBelieve = 8;

/** The comparison before the first answer of a minute. */
const nothing = { remaining: Infinity, at: -Infinity };

/** The current minute, according to the answers to this process. */
export class Bursts {
	/** The lowest count of requests left; Infinity while unknown. */
	private remaining = Infinity;

	/** The latest end of the minute. */
	private endsAt = -Infinity;

	/** Whether the minute had just begun at its first answer, so that `endsAt` is nearly exact. */
	private isEndKnown?: boolean;

	/** When the request with the first answer of the minute was sent. */
	private since = -Infinity;

	/** Answers in a row with a lower count. A count that does not go down does not count a minute. */
	private agreeing = 0;

	/** When a request was last sent. */
	private sentAt = 0;

	/** The answer to compare the next ones with. */
	private compared = nothing;

	private refusedAt = -Infinity;

	private underWay = 0;

	/** Requests per minute at the pace of the credential. */
	private readonly perMinute: number;

	constructor({ count, windowMs }: Limit) {
		this.perMinute = Math.round((count * minuteMs) / windowMs);
	}

	isOf({ limit }: Count): boolean {
		return limit === this.perMinute;
	}

	send(now: number) {
		this.sentAt = now;
		this.underWay++;
	}

	/** @param count of this limit, if the answer has one */
	answered(sentAt: number, at: number, count: Count | undefined) {
		this.underWay--;
		this.endMinute(at);
		if (!count) this.agreeing = 0;
		else if (sentAt >= this.since) this.note(count.remaining, sentAt, at);
	}

	refused(at: number) {
		this.underWay--;
		this.refusedAt = this.endsAt = at;
	}

	/**
	 * The earliest time for another request in a burst; undefined if the even pace applies. A burst has no more requests in flight than
	 * answers in a row have agreed.
	 */
	burstAt(now: number): number | undefined {
		this.endMinute(now);
		if (now < this.refusedAt + minuteMs || this.underWay >= this.agreeing) return undefined;
		if (this.left > this.perMinute * reserved) return now;
		if (this.agreeing < answersToBelieve || this.left <= 0) return undefined;
		// The share of others is free if the minute ends before they could use it.
		const freeAt = this.endsAt - (this.left / this.perMinute) * minuteMs;
		return this.isEndKnown ? freeAt : Math.min(freeAt, this.sentAt + probeMs);
	}

	/** The earliest time for another request: the end of the minute if nothing is left in it. */
	readyAt(now: number): number {
		this.endMinute(now);
		return this.left <= 0 && this.agreeing >= answersToBelieve ? this.endsAt : 0;
	}

	isOver(now: number): boolean {
		return now >= Math.max(this.endsAt, this.refusedAt + minuteMs);
	}

	/** What is certainly left: requests in flight may have been counted after the answers. */
	private get left(): number {
		return this.remaining - this.underWay;
	}

	private note(remaining: number, sentAt: number, at: number) {
		// Answers can overtake each other. Only a request sent after an answer was certainly counted after it.
		const isLater = sentAt >= this.compared.at;
		const hasGrown = isLater && remaining >= this.compared.remaining;
		if (isLater) this.compared = { remaining, at };
		if (this.remaining === Infinity || hasGrown) {
			this.agreeing = hasGrown ? 0 : 1;
			this.remaining = remaining;
			this.since = sentAt;
			this.endsAt = at + minuteMs;
			this.isEndKnown = hasGrown || remaining >= this.perMinute * (1 - reserved);
			return;
		}
		if (isLater) this.agreeing++;
		this.remaining = Math.min(this.remaining, remaining);
	}

	private endMinute(now: number) {
		if (now < this.endsAt) return;
		this.remaining = Infinity;
		this.agreeing = 0;
		this.compared = nothing;
	}
}
