import type { Limit } from './limits';

/*
 * What the service says of its own count. The framework behind it puts X-RateLimit-Limit and X-RateLimit-Remaining on every
 * answer that a limit applies to. Its windows are fixed: they begin with the first request after the one before has ended, and a
 * minute is the shortest that most of its versions know, so that "2 per second" is 120 per minute there.
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

/** Of the windows that are counted by the minute. */
export const longestWindowMs = 60_000;
const minuteMs = longestWindowMs;
const secondMs = 1000;

/** A window that an answer was of has ended by then, also where a refusal said when, to the second. */
const longestMemoryMs = minuteMs + secondMs;

/** How many requests back the use of others is looked for, and answers that must agree before it is believed. */
const requestsBack = 8;
const answersToBelieve = 8;

/** How long a count is not listened to that has not agreed; the next time twice as long. */
const firstDoubtMs = 600_000;

/** However much others use, that part of the limit is taken all the same. */
const leastShare = 0.25;

/** Where others send at the same moment, the last one of a window is left to them. */
const keptBack = 1;

/** Of a window, that part is left to others by bursts, and where its end is not known, asked for at so many moments of it. */
const reserved = 0.1;
const probes = 12;

/** One request of this process, from when it was sent. Ordinals count from 1. */
interface Sent {
	ordinal: number;
	sentAt: number;
	/** Requests that had ended before it was sent: these were counted before it. */
	endedBefore: number;
}

/** How a request has ended. */
interface Answer {
	at: number;
	/** Whether because of this limit. */
	refused: boolean;
	/** What the answer gave of this limit, or that it was of another one; undefined where it gave none, or there was no answer. */
	count: Count | 'ofAnother' | undefined;
}

/** What one answer said. */
interface Seen extends Sent {
	remaining: number;
	answeredAt: number;
	/** Requests that had been sent by then: all others were counted after it. */
	sentBy: number;
	/** Requests that had ended without a count by then. */
	uncountedBy: number;
}

/**
 * The service's count of a limit, as far as its answers tell. A count is believed as long as it agrees with what this process has
 * sent itself: answers overtake each other, so only those are compared of which one was sent when the other had come.
 */
export class ServiceCount {
	private sent = 0;

	private ended = 0;

	/** When the latest answer came. */
	private endedAt = -Infinity;

	private uncounted = 0;

	/** Latest answers of the present window, in the order in which they came. */
	private seen: Seen[] = [];

	/** Answers that have agreed since something did not. */
	private agreeing = 0;

	/** When the present window has begun, at the earliest and at the latest; undefined where that is not known. */
	private beganFrom: number | undefined;

	private beganBy = Infinity;

	/** Requests that were sent when it may not have begun. */
	private sentBefore = 0;

	/** When an answer has not agreed. */
	private wonderedAt = -Infinity;

	/** How often they have not, and until when none is listened to for that. */
	private doubts = 0;

	private doubtedUntil = -Infinity;

	/** Share of the limit, as it was last told, and when. */
	private shareOfOwn = 1;

	private toldAt = 0;

	private refusedAt = -Infinity;

	/** Requests that a window of a minute has, at the pace of the credential. */
	private readonly perMinute: number;

	constructor({ count, windowMs }: Limit) {
		this.perMinute = Math.round((count * minuteMs) / windowMs);
	}

	/** Whether a count is one of this limit by the minute. */
	isOf({ limit }: Count): boolean {
		return limit === this.perMinute;
	}

	send(now: number): Sent {
		return { ordinal: ++this.sent, sentAt: now, endedBefore: this.ended };
	}

	answered(sent: Sent, { at, refused, count }: Answer) {
		this.ended++;
		this.endedAt = at;
		if (!count || refused) this.agreeing = 0;
		if (refused) this.refusedAt = at;
		if (typeof count !== 'object' || !this.isOf(count)) {
			this.uncounted++;
			return;
		}
		this.endWindow(at);
		if (refused) {
			// A count that had room left does not explain it.
			if (count.remaining > 0) this.doubt(at);
			else this.seen = [];
			return;
		}
		if (at < this.doubtedUntil) return;
		const { remaining } = count;
		this.note({ ...sent, remaining, answeredAt: at, sentBy: this.sent, uncountedBy: this.uncounted });
	}

	/** The service has said when the window ends, to the second, by what it asked to wait. */
	endsAt(at: number) {
		this.beganFrom = at - secondMs - minuteMs;
		this.beganBy = at + secondMs - minuteMs;
	}

	/** Whether nothing of what was said matters any more: all of it is of some window, but for the doubts. */
	isOver(now: number): boolean {
		return now >= Math.max(this.doubtedUntil, this.endedAt + longestMemoryMs);
	}

	/** Share of the limit that this process may use: 1 where nobody else uses it. */
	share(now: number): number {
		this.endWindow(now);
		if (now > this.toldAt + minuteMs) this.shareOfOwn = 1;
		this.shareOfOwn = this.newShare() ?? this.shareOfOwn;
		if (this.shareOfOwn === 1 || !this.seen.length) return this.shareOfOwn;
		// What was used too fast until the others were noticed is made up for until the window ends.
		const left = (this.left - keptBack) / this.perMinute;
		const pace = (left * minuteMs) / (this.endsBy - now);
		return pace > 0 ? Math.min(1, pace) * this.shareOfOwn : this.shareOfOwn;
	}

	/** As the latest answers tell it; undefined where they are too few. */
	private newShare(): number | undefined {
		const last = this.seen.at(-1);
		if (!last || this.agreeing < answersToBelieve) return undefined;
		const base = this.seen.find((each) => each.sentBy < last.ordinal);
		const own = last.ordinal - (base?.ordinal ?? last.ordinal);
		if (!base || own < answersToBelieve - 2) return undefined;
		this.toldAt = last.answeredAt;
		const others = Math.max(0, base.remaining - last.remaining - this.mostBetween(base, last));
		const unused = 1 - (others / (last.answeredAt - base.answeredAt)) * (minuteMs / this.perMinute);
		return Math.max(leastShare, own / (own + others), Math.min(0.5, unused));
	}

	/** When the next request may be sent at the earliest, as nothing is left of the window before. */
	readyAt(now: number): number {
		this.endWindow(now);
		const isKnown = this.seen.length && this.beganFrom !== undefined && this.agreeing >= answersToBelieve;
		if (!isKnown || this.left > (this.shareOfOwn < 1 ? keptBack : 0)) return 0;
		return this.endsBy;
	}

	/**
	 * When the next request may be sent at the earliest if what the window has is used at once; undefined when it may not be, as
	 * nothing reliable was said of it.
	 */
	burstAt(now: number): number | undefined {
		this.endWindow(now);
		const last = this.seen.at(-1);
		if (!last || !this.agreeing || now < this.refusedAt + minuteMs) return undefined;
		// As many under way as answers have agreed lately: the first ones go one by one, then ever more.
		const mostUnderWay = now < last.answeredAt + secondMs ? this.agreeing : 1;
		if (this.sent - this.ended > mostUnderWay) return undefined;
		const { left } = this;
		const share = this.share(now);
		// Others may have as many under way as this process.
		if (left > (this.perMinute * reserved) / share) return now;
		if (this.agreeing < answersToBelieve) return undefined;
		// What is kept for others is free when the window ends before they could use it.
		const at = this.endsBy - ((left * share) / this.perMinute) * minuteMs;
		return this.beganFrom !== undefined ? at : Math.min(at, last.sentAt + minuteMs / probes);
	}

	/** By when the present window ends. */
	private get endsBy(): number {
		return this.beganBy + minuteMs;
	}

	/** Requests of the window that are left for certain, if nobody else has sent since. */
	private get left(): number {
		// Answers overtake each other: what was counted last is the least that any of them has said.
		const least = Math.min(...this.seen.map(({ remaining, uncountedBy }) => remaining + uncountedBy));
		return least - this.uncounted - (this.sent - this.ended);
	}

	/** The most requests of this process that the service may have counted after one answer, and up to another. */
	private mostBetween(earlier: Seen, later: Seen): number {
		return later.sentBy - earlier.endedBefore - 1;
	}

	private note(now: Seen) {
		if (now.ordinal <= this.sentBefore) {
			// It may have been counted in the window before.
			this.uncounted++;
			return;
		}
		const before = this.seen.findLast(({ sentBy }) => sentBy < now.ordinal);
		const isFirst = now.remaining === this.perMinute - 1;
		if (isFirst || (before && this.isMoreThanLeft(now, before))) {
			const hasJustBegun = now.answeredAt < (this.beganFrom ?? -Infinity) + minuteMs - secondMs;
			const isPlausible = isFirst || now.remaining > before!.remaining || this.isNearlyWhole(now);
			if (hasJustBegun || !isPlausible) {
				this.wonder(now.answeredAt);
				return;
			}
			if (!isFirst) this.agreeing = 0;
			this.begin(isFirst ? now.sentAt : before!.sentAt);
		} else if (this.isNearlyWhole(now)) {
			// Who knows how long ago, but it will end within a minute.
			this.beganFrom ??= now.answeredAt - minuteMs;
		}
		this.beganBy = Math.min(this.beganBy, now.answeredAt);
		if (before || !this.seen.length) this.agreeing++;
		this.seen.push(now);
		const oldest = this.seen.findLastIndex((each) => each.ordinal <= now.ordinal - requestsBack);
		this.seen.splice(0, oldest);
	}

	/** Whether an answer says that more is left than this process has left alone since another one. */
	private isMoreThanLeft(now: Seen, before: Seen): boolean {
		const uncounted = now.uncountedBy - before.uncountedBy;
		const used = Math.max(0, now.endedBefore - before.sentBy - uncounted) + 1;
		return now.remaining > before.remaining - used;
	}

	private isNearlyWhole = ({ remaining }: Seen) => remaining >= this.perMinute * (1 - reserved);

	/** A window has begun, at a certain time at the earliest. */
	private begin(from: number) {
		this.forget();
		this.beganFrom = from;
	}

	/** What was said of a window that has ended says nothing more. */
	private endWindow(now: number) {
		if (now >= this.endsBy) this.forget();
	}

	private forget() {
		this.sentBefore = this.sent;
		this.seen = [];
		this.beganFrom = undefined;
		this.beganBy = Infinity;
	}

	/** Once a minute an answer of the window before may have come very late. */
	private wonder(now: number) {
		if (now < this.wonderedAt + minuteMs) {
			this.doubt(now);
			return;
		}
		this.wonderedAt = now;
		this.forget();
		this.agreeing = 0;
	}

	private doubt(now: number) {
		this.forget();
		this.shareOfOwn = 1;
		this.agreeing = 0;
		this.doubtedUntil = now + firstDoubtMs * 2 ** this.doubts++;
	}
}
