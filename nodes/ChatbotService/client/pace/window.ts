import { ArrivalEstimate, type SentRequest } from './arrival';
import { Bursts, type Count } from './bursts';
import { shareOf, type Limit } from './limits';
import { Slowdown } from './slowdown';

/** A limit at the pace of one credential. */
export interface Rate {
	limit: Limit;
	/** Number of processes that share the limit. */
	workers: number;
	/** Whether to use the remaining requests of a minute at once, if the service reports how many remain. */
	bursts: boolean;
}

/** A request as one limit counts it. */
export interface Hit extends SentRequest {
	/** Whether it was sent while the times of the requests before it were only estimated. */
	isEstimate: boolean;
}

/** What the answer to a request means for a limit. Times are those of a monotonic clock, in milliseconds. */
export interface Answered {
	at: number;
	/** The service's own count of this limit, if the answer has it. */
	count?: Count | undefined;
	/** How long to send nothing, if the service refused the request because of this limit. */
	waitMs?: number | undefined;
}

/** The window of whole requests per second. A faster pace that is used later may have it, and starts with the requests kept here. */
const wholeRequestsWindowMs = 1000;

/**
 * A limit as a sliding window over its latest requests. `ArrivalEstimate` estimates when the service counted them, `Slowdown`
 * decides how much of the limit to use after refusals, and `Bursts` follows the service's own count of a minute.
 */
export class SlidingWindow {
	/** The latest requests, oldest first. */
	private hits: Hit[];

	/** Until when to send nothing after a refusal, at any pace. */
	pausedUntil = 0;

	private readonly arrival = new ArrivalEstimate();

	private readonly slowdown: Slowdown;

	private readonly bursts: Bursts;

	/** This process's share of the limit. */
	private readonly own: Limit;

	/** @param slower window of the same limit whose requests count towards this one too */
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
		// While slowed down, requests are evenly spaced, because it is not known how many the service accepts at once.
		const [back, distance] = slowdown.isActive ? [1, windowMs / count / slowdown.share] : [count, windowMs];
		const earlier = this.hits.at(-back);
		const at = earlier ? this.countedAt(earlier, now) + distance : 0;
		return Math.max(this.pausedUntil, at, bursts.readyAt(now));
	}

	/** How full the window is: 1 when another request would be over the limit. */
	fullness(now: number): number {
		return this.hits.filter((hit) => this.holds(hit, now)).length / this.own.count;
	}

	/** Whether a request still counts in the window. */
	holds(hit: Hit, now: number): boolean {
		return this.countedAt(hit, now) > now - this.own.windowMs;
	}

	/** Whether a new window would behave the same. */
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

	send(now: number): Hit {
		const { arrival } = this;
		const { count } = this.own;
		const { isActive: isSlowedDown } = this.slowdown;
		const isEstimate = this.hits.slice(-count).some((each) => arrival.isGuessed(each, { now, isSlowedDown }));
		const hit = { ...arrival.send(now), isEstimate };
		this.bursts.send(now);
		this.hits.push(hit);
		if (this.hits.length > 2 * count) {
			const since = now - 2 * Math.max(this.rate.limit.windowMs, wholeRequestsWindowMs);
			this.hits = this.hits.filter(
				({ sentAt }, index, { length }) => index >= length - count || sentAt > since,
			);
		}
		return hit;
	}

	/** Whether a count is that of this limit, by the minute. */
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
		// The service did not count the refused request. Without other workers, it still shows that the pace is too fast.
		if (this.rate.workers > 1) this.hits = this.hits.filter((each) => each !== hit);
		this.pausedUntil = Math.max(this.pausedUntil, at + waitMs);
		if (this.slowdown.wasInFlightAtRefusal(hit)) return;
		const isUsedUp = count?.remaining === 0;
		// The service's window may hold fewer requests than the credential says.
		const most = isUsedUp && !isOfMinute ? count.limit / this.rate.limit.count : 1;
		// At the full pace, a wrong estimate can explain a refusal.
		const mayBeEstimate = hit.isEstimate && !this.slowdown.isActive && most >= 1;
		// If the minute is used up, waiting is enough.
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
