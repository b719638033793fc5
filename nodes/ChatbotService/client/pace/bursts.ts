import type { Limit } from './limits';

/*
 * The service's own count of a minute. The framework behind it puts X-RateLimit-Limit and X-RateLimit-Remaining on its answers. Most of
 * its versions count by the minute: "2 per second" is 120 per minute there, and the minute begins with the first request after the
 * one before has ended. So a process that knows the count can use the minute at once, and waits when nothing is left of it.
 */

/** The headers of one answer: how many requests a window has in all, and how many are left in it. */
export interface Count {
	limit: number;
	remaining: number;
}

/** Undefined where the headers are missing or no numbers. @param headers names in lower case */
export function readCount(headers: Record<string, unknown>): Count | undefined {
	const [limit, remaining] = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) =>
		/^\d{1,9}$/.test(String(headers[name])) ? Number(headers[name]) : NaN,
	) as [number, number];
	return limit > 0 && remaining <= limit ? { limit, remaining } : undefined;
}

const minuteMs = 60_000;

/** The part of a minute that bursts leave to others. */
const reserved = 0.1;

/** How long a burst waits before it asks again for what is left to others, where the end of the minute is not known. */
const probeMs = 5000;

/** Answers in a row that must agree before the node waits because nothing is left. */
const answersToBelieve = 8;

/** What the first answer of a minute is compared with. */
const nothing = { remaining: Infinity, at: -Infinity };

/** The present minute, by the answers to requests of this process. */
export class Bursts {
	/** The least that an answer has said is left of it; Infinity while nothing is known. */
	private remaining = Infinity;

	/** By when it ends. */
	private endsAt = -Infinity;

	/** Whether it had just begun when its first answer came, so that it does not end much sooner than that. */
	private isEndKnown?: boolean;

	/** When the request was sent whose answer was the first one of it. */
	private since = -Infinity;

	/** Answers in a row whose count went down. A count that does not is no count of a minute. */
	private agreeing = 0;

	/** When a request was last sent. */
	private sentAt = 0;

	/** The answer that the next ones are compared with. */
	private compared = nothing;

	private refusedAt = -Infinity;

	private underWay = 0;

	/** Requests that a minute has at the pace of the credential. */
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

	/** A request was refused because of this limit. */
	refused(at: number) {
		this.underWay--;
		this.refusedAt = this.endsAt = at;
	}

	/**
	 * The earliest time for another request where the minute is used at once; undefined where the even pace applies. As many are under
	 * way at most as answers have agreed.
	 */
	burstAt(now: number): number | undefined {
		this.endMinute(now);
		if (now < this.refusedAt + minuteMs || this.underWay >= this.agreeing) return undefined;
		if (this.left > this.perMinute * reserved) return now;
		if (this.agreeing < answersToBelieve || this.left <= 0) return undefined;
		// What is left to others is free when the minute ends before they could use it.
		const freeAt = this.endsAt - (this.left / this.perMinute) * minuteMs;
		return this.isEndKnown ? freeAt : Math.min(freeAt, this.sentAt + probeMs);
	}

	/** The earliest time for another request: the end of the minute where nothing is left of it. */
	readyAt(now: number): number {
		this.endMinute(now);
		return this.left <= 0 && this.agreeing >= answersToBelieve ? this.endsAt : 0;
	}

	/** Whether nothing that was said matters any more. */
	isOver(now: number): boolean {
		return now >= Math.max(this.endsAt, this.refusedAt + minuteMs);
	}

	/** What is left for certain: any request under way may have been counted after the answers. */
	private get left(): number {
		return this.remaining - this.underWay;
	}

	private note(remaining: number, sentAt: number, at: number) {
		// Answers overtake each other. Only a request that was sent after an answer was certainly counted after it.
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
