import { ArrivalEstimate, type SentRequest } from './arrival';
import { Bursts, type Count } from './bursts';
import { shareOf, type Limit } from './limits';
import { Slowdown } from './slowdown';

/** A limit at the pace of one credential. */
export interface Rate {
	limit: Limit;
	/** Among how many processes the limit is shared. */
	workers: number;
	/** Whether what is left of a minute, by the service's own count, is used at once. */
	bursts: boolean;
}

/** A request as one limit counts it. */
export interface Hit extends SentRequest {
	/** Whether it was sent when those before it were only estimated to be counted. */
	isEstimate: boolean;
}

/** What the answer to a request means for a limit. Times are of a monotonic clock, in milliseconds. */
export interface Answered {
	at: number;
	/** The service's own count of this limit, if the answer has it. */
	count?: Count | undefined;
	/** How long nothing is to be sent, if the service refused the request because of this limit. */
	waitMs?: number | undefined;
}

/** A faster pace that begins later may have a longer window than this one: that of whole requests per second. */
const longestAccountWindowMs = 1000;

/**
 * A limit as a sliding window over its latest requests. `ArrivalEstimate` says when the service counted them, `Slowdown` how much of
 * the limit is used after refusals, and `Bursts` what the service's own count of a minute has left.
 */
export class SlidingWindow {
	/** The latest requests, oldest first. */
	private hits: Hit[];

	/** Until when nothing is to be sent after a refusal. At the service this holds for every pace. */
	pausedUntil = 0;

	private readonly arrival = new ArrivalEstimate();

	private readonly slowdown: Slowdown;

	private readonly bursts: Bursts;

	/** This process's part of the limit. */
	private readonly own: Limit;

	/** @param slower a window of the same limit, whose requests count towards this one too */
	constructor(
		private readonly rate: Rate,
		slower?: SlidingWindow,
	) {
		const { limit, workers } = rate;
		this.slowdown = new Slowdown(rate);
		this.bursts = new Bursts(limit);
		this.own = shareOf(limit, workers);
		this.hits = [...(slower?.hits ?? [])];
	}

	get windowMs(): number {
		return this.own.windowMs;
	}

	/** The earliest time at which another request may be sent. */
	readyAt(now: number): number {
		this.recover(now);
		const { slowdown, bursts } = this;
		const burstAt = this.rate.bursts && !slowdown.isActive ? bursts.burstAt(now) : undefined;
		if (burstAt !== undefined) return Math.max(this.pausedUntil, burstAt);
		const { count, windowMs } = this.own;
		// Slowed down, requests are spaced evenly, since it is not known how many the service takes at once.
		const [back, distance] = slowdown.isActive ? [1, windowMs / count / slowdown.share] : [count, windowMs];
		const earlier = this.hits.at(-back);
		const at = earlier ? this.countedAt(earlier, now) + distance : 0;
		return Math.max(this.pausedUntil, at, bursts.readyAt(now));
	}

	/** How full the window is: 1 when another request would be over the limit. */
	fullness(now: number): number {
		return this.hits.filter((hit) => this.holds(hit, now)).length / this.own.count;
	}

	/** Whether a request is taken to be in the window still. */
	holds(hit: Hit, now: number): boolean {
		return this.countedAt(hit, now) > now - this.own.windowMs;
	}

	/** Whether nothing that was sent or learned matters any more, so that a new window would do the same. */
	isLikeNew(now: number): boolean {
		this.recover(now);
		return (
			now >= this.pausedUntil &&
			this.fullness(now) === 0 &&
			this.arrival.isUsual &&
			this.slowdown.isOver(now) &&
			this.bursts.isOver(now)
		);
	}

	/** Notes a request that is sent now. */
	send(now: number): Hit {
		const { arrival } = this;
		const { count } = this.own;
		const { isActive: isSlowedDown } = this.slowdown;
		const isEstimate = this.hits.slice(-count).some((each) => arrival.isGuessed(each, { now, isSlowedDown }));
		const hit = { ...arrival.send(now), isEstimate };
		this.bursts.send(now);
		this.hits.push(hit);
		if (this.hits.length > 2 * count) {
			const since = now - 2 * Math.max(this.rate.limit.windowMs, longestAccountWindowMs);
			this.hits = this.hits.filter(
				({ sentAt }, index, { length }) => index >= length - count || sentAt > since,
			);
		}
		return hit;
	}

	/** Whether a count is of this limit, by the minute. */
	isCountedBy(count: Count): boolean {
		return this.bursts.isOf(count);
	}

	/** Notes the answer to a request, or its end without one. */
	answered(hit: Hit, { at, count, waitMs }: Answered) {
		this.arrival.answered(hit, at);
		const isOfMinute = count !== undefined && this.bursts.isOf(count);
		if (waitMs === undefined) {
			this.bursts.answered(hit.sentAt, at, isOfMinute ? count : undefined);
			return;
		}
		this.bursts.refused(at);
		// It took nothing of the limit. Alone, it still tells that the pace is too fast.
		if (this.rate.workers > 1) this.hits = this.hits.filter((each) => each !== hit);
		this.pausedUntil = Math.max(this.pausedUntil, at + waitMs);
		if (this.slowdown.isOfEarlierBurst(hit)) return;
		const isUsedUp = count?.remaining === 0;
		// A window may hold fewer requests than the credential says.
		const most = isUsedUp && !isOfMinute ? count.limit / this.rate.limit.count : 1;
		// At the full pace, a wrong estimate explains a refusal where nothing else does.
		const mayBeEstimate = hit.isEstimate && !this.slowdown.isActive && most >= 1;
		// The wait is all that follows from a minute that is used up.
		const isExplained = (isUsedUp && isOfMinute) || (mayBeEstimate && this.arrival.guessLonger(at));
		this.slowdown.refused({ at, most, isExplained });
	}

	private countedAt(hit: Hit, now: number): number {
		return this.arrival.countedAt(hit, { now, isSlowedDown: this.slowdown.isActive });
	}

	private recover(now: number) {
		this.arrival.recover(now, this.slowdown.spacingMs);
		this.slowdown.recover(now);
	}
}
