import { ArrivalEstimate, type SentRequest } from './arrival';
import { longestWindowMs, ServiceCount, type Count } from './bursts';
import { shareOf, type Limit } from './limits';
import { cutOffMs } from '../retry';
import { Slowdown } from './slowdown';

/** What a credential says of a limit. */
export interface Settings {
	limit: Limit;
	/** Among how many processes the limit is shared. */
	workers: number;
	/** Whether what is left by the service's own count is used at once. */
	bursts: boolean;
}

/** What a refusal means for the pace, in milliseconds. */
export interface Refusal {
	/** How long nothing is to be sent. */
	waitMs: number;
	/** What the service asked to wait, if it did. */
	askedMs: number | undefined;
}

/** How a request gets on, for the window that it counts towards. */
export interface Report {
	sentAt: number;
	/** Whether it was sent at a time when those before it were only guessed to be counted. */
	guessed: boolean;
	/** Whether it is taken to be in the window still. */
	isInWindow: (now: number) => boolean;
	left: (by: number) => void;
	answered: (answer: {
		at: number;
		/** Whether because of this limit. */
		refused: boolean;
		/** What the answer gave of this limit, or that it was of another one; undefined when it gave none. */
		count: Count | 'ofAnother' | undefined;
	}) => void;
}

/** One request as a limit sees it. */
type Use = SentRequest & { wasRefused?: boolean };

/** What was sent and answered within that part of a window is in it for certain. */
const certainly = 0.8;

/** A faster pace that begins later may have a longer window than this one: that of whole requests per second. */
const longestAccountWindowMs = 1000;

/**
 * A limit as a sliding window over its latest requests. When these were counted is for `ArrivalEstimate` to say, how much of the
 * limit is used after refusals for `Slowdown`, and what others use for `ServiceCount`.
 */
export class SlidingWindow {
	/** The latest uses, oldest first. */
	private uses: Use[];

	/** Until when nothing is to be sent after a refusal; at the service that holds whatever the pace is. */
	pausedUntil = 0;

	private readonly arrival = new ArrivalEstimate();

	private readonly slowdown: Slowdown;

	/** What the service says of the whole limit. */
	private readonly said: ServiceCount;

	/** This process's part of the limit. */
	private readonly own: Limit;

	/** @param slower a window of the same limit, whose requests count towards this one too */
	constructor(
		private readonly settings: Settings,
		slower?: SlidingWindow,
	) {
		const { limit, workers } = settings;
		this.slowdown = new Slowdown({ limit, workers });
		this.said = new ServiceCount(limit);
		this.own = shareOf(limit, workers);
		this.uses = [...(slower?.uses ?? [])];
	}

	get windowMs(): number {
		return this.own.windowMs;
	}

	/** The earliest time at which another request may be sent. */
	readyAt(now: number): number {
		this.recover(now);
		const { said, slowdown, settings } = this;
		const burstAt = settings.bursts && !slowdown.isActive ? said.burstAt(now) : undefined;
		if (burstAt !== undefined) return Math.max(this.pausedUntil, burstAt);
		const { count, windowMs } = this.own;
		const { limit } = settings;
		const share = Math.min(
			slowdown.share,
			(said.share(now) * limit.count * windowMs) / (count * limit.windowMs),
		);
		// Slowed down, requests are spaced evenly, since it is not known how many the service takes at once.
		const [back, distance] = share < 1 ? [1, windowMs / count / share] : [count, windowMs];
		const earlier = this.uses.at(-back);
		const at = earlier ? this.countedAt(earlier, now) + distance : 0;
		return Math.max(this.pausedUntil, at, said.readyAt(now));
	}

	/** How full the window is: 1 when another request would be over the limit. */
	fullness(now: number): number {
		const { count, windowMs } = this.own;
		return this.uses.filter((use) => this.countedAt(use, now) > now - windowMs).length / count;
	}

	/** Whether nothing that was sent or learned matters any more, so that a new window would do the same. */
	isLikeNew(now: number): boolean {
		this.recover(now);
		return (
			now >= this.pausedUntil &&
			this.fullness(now) === 0 &&
			this.arrival.isUsual &&
			this.slowdown.isOver(now) &&
			this.said.isOver(now)
		);
	}

	/** Notes a request that is sent now; the caller reports to what it returns how the request gets on. */
	send(now: number): Report {
		const { said, arrival } = this;
		const { count } = this.own;
		const { isActive: isSlowedDown } = this.slowdown;
		const guessed = this.uses.slice(-count).some((each) => arrival.isGuessed(each, { now, isSlowedDown }));
		const use: Use = arrival.send(now);
		const sent = said.send(now);
		this.uses.push(use);
		if (this.uses.length > 2 * count) {
			const since = now - 2 * Math.max(this.settings.limit.windowMs, longestAccountWindowMs);
			this.uses = this.uses.filter(
				({ sentAt }, index, { length }) => index >= length - count || sentAt > since,
			);
		}
		return {
			sentAt: now,
			guessed,
			isInWindow: (at) => this.countedAt(use, at) > at - this.own.windowMs,
			left: (by) => {
				use.leftBy = by;
			},
			answered: ({ at, refused, count }) => {
				arrival.answered(use, at);
				use.wasRefused = refused;
				if (!refused && typeof count === 'object' && this.isNamedBy(count)) this.hear(count, use, at);
				said.answered(sent, { at, refused, count });
				// It took nothing of the limit. Alone, it still tells that the pace is too fast.
				if (refused && this.settings.workers > 1) this.uses = this.uses.filter((each) => each !== use);
			},
		};
	}

	/** Whether a count is of this limit, in its own window or by the minute. */
	isCountedBy(count: Count): boolean {
		return this.isNamedBy(count) || this.said.isOf(count);
	}

	/**
	 * The service refused a request because of this limit.
	 *
	 * @param report of the request
	 * @param count that the answer gave of this limit
	 */
	refused({
		at,
		report,
		refusal,
		count,
	}: {
		at: number;
		report: Report;
		refusal: Refusal;
		count?: Count | undefined;
	}) {
		this.pausedUntil = Math.max(this.pausedUntil, at + this.pauseMs(refusal, count));
		if (this.slowdown.isOfEarlierBurst(report)) return;
		const { askedMs = Infinity } = refusal;
		const isUsedUp = count?.remaining === 0;
		const most = isUsedUp ? count.limit / this.settings.limit.count : 1;
		const isMinuteUsedUp = isUsedUp && this.said.isOf(count) && askedMs <= longestWindowMs;
		if (isMinuteUsedUp) this.said.endsAt(at + askedMs);
		// At the full pace, a wrong guess explains a refusal where nothing else does.
		const mayBeGuess = report.guessed && !this.slowdown.isActive && most >= 1;
		const isExplained = isMinuteUsedUp || (mayBeGuess && this.arrival.guessLonger(at));
		this.slowdown.refused({ at, most, isExplained });
	}

	/** Where the service names this very window, it is over after its length, and needs no second for what was cut off. */
	private pauseMs({ waitMs, askedMs = Infinity }: Refusal, count: Count | undefined): number {
		const { windowMs } = this.settings.limit;
		const isThisWindow = count && this.isNamedBy(count) && askedMs <= windowMs;
		return isThisWindow ? Math.max(windowMs, waitMs - cutOffMs) : waitMs;
	}

	private isNamedBy({ limit }: Count): boolean {
		return limit === this.settings.limit.count;
	}

	/** What an answer says of this very window, when it counted a request. */
	private hear({ limit, remaining }: Count, use: Use, at: number) {
		const { windowMs } = this.settings.limit;
		const own = this.uses.filter(
			({ sentAt, wasRefused }) => !wasRefused && sentAt <= use.sentAt && sentAt > use.sentAt - windowMs,
		);
		const certain = own.filter(
			({ sentAt, answeredAt = Infinity }) =>
				answeredAt <= use.sentAt && sentAt > use.sentAt - certainly * windowMs,
		);
		this.slowdown.heard({ at, used: limit - remaining, own: { least: certain.length, most: own.length } });
	}

	private countedAt(use: Use, now: number): number {
		return this.arrival.countedAt(use, { now, isSlowedDown: this.slowdown.isActive });
	}

	private recover(now: number) {
		this.arrival.recover(now, this.slowdown.spacingMs);
		this.slowdown.recover(now);
	}
}
