import type { Limit } from './limits';

/** One request as a limit sees it. Times are of a monotonic clock, in milliseconds. */
interface Use {
	sentAt: number;
	answeredAt: number | undefined;
	accepted: boolean;
}

/*
 * The service counts a request when it arrives, which is not known here. Taking the answer for it is always safe, and
 * costs nothing while answers are fast. Slow answers are slow because the service works: then the request is taken to
 * have arrived shortly after it was sent, which leaves that much room for the way to vary.
 */
const fastAnswerMs = 70;
const usualWayMs = 35;

const countedAt = ({ sentAt, answeredAt }: Use) =>
	answeredAt !== undefined && answeredAt - sentAt <= fastAnswerMs ? answeredAt : sentAt + usualWayMs;

/* After a refusal the pace is what the service let through lately, within these bounds of the pace before. */
const slowestStep = 0.5;
const leastStep = 0.9;
const slowest = 0.02;

/* It then recovers step by step: each quiet time one step, longer steps while they succeed, longer times when one fails. */
const firstQuietMs = 10_000;
const longestQuietMs = 80_000;
const firstGain = 0.05;

/** Windows over which the accepted requests are counted after a refusal. */
const windowsLookedAt = 3;

/**
 * A limit as a sliding window over its latest requests, which slows down when the service refuses requests all the same:
 * because others use the account too, or because its limit is lower than it says.
 */
export class SlidingWindow {
	/** The latest uses, oldest first. */
	private uses: Use[] = [];

	/** Share of the limit that is used: 1 until the service refuses a request. */
	private share = 1;

	private gain = firstGain;

	private quietMs = firstQuietMs;

	/** When the share last changed. */
	private changedAt = 0;

	private pausedUntil = 0;

	constructor(private limit: Limit) {}

	/** Takes the limit of a credential that was changed. */
	setLimit(limit: Limit) {
		this.limit = limit;
	}

	get windowMs(): number {
		return this.limit.windowMs;
	}

	/** The earliest time at which another request may be sent. */
	readyAt(now: number): number {
		this.recover(now);
		const { count, windowMs } = this.limit;
		// Slowed down, requests are spaced evenly, since it is not known how many the service takes at once.
		const [back, distance] = this.share < 1 ? [1, windowMs / count / this.share] : [count, windowMs];
		const earlier = this.uses.at(-back);
		return Math.max(this.pausedUntil, earlier ? countedAt(earlier) + distance : 0);
	}

	/** How full the window is: 1 when another request would be over the limit. */
	fullness(now: number): number {
		const { count, windowMs } = this.limit;
		return this.uses.filter((use) => countedAt(use) > now - windowMs).length / count;
	}

	/** Notes a request that is sent now; the caller reports its end to what it returns. */
	send(now: number): { answered: (at: number, accepted: boolean) => void } {
		const use: Use = { sentAt: now, answeredAt: undefined, accepted: false };
		this.uses.push(use);
		const kept = this.limit.count * (windowsLookedAt + 1);
		if (this.uses.length > kept * 2) this.uses = this.uses.slice(-kept);
		return {
			answered: (at, accepted) => {
				use.answeredAt = at;
				use.accepted = accepted;
			},
		};
	}

	/**
	 * The service refused a request because of this limit.
	 *
	 * @param sentAt when the request was sent; several of one burst slow down only once
	 * @param waitMs how long nothing is to be sent
	 */
	refused(now: number, sentAt: number, waitMs: number) {
		this.pausedUntil = Math.max(this.pausedUntil, now + waitMs);
		if (sentAt < this.changedAt) return;
		const { count, windowMs } = this.limit;
		const since = now - windowMs * windowsLookedAt;
		const first = this.uses[0]?.sentAt ?? now;
		const windows = Math.max(1, Math.min(windowsLookedAt, (now - first) / windowMs));
		const through = this.uses.filter((use) => use.accepted && countedAt(use) > since).length / (count * windows);
		if (this.share < 1) this.quietMs = Math.min(longestQuietMs, this.quietMs * 2);
		this.share = Math.max(
			slowest,
			this.share * slowestStep,
			Math.min(this.share * leastStep, through),
		);
		this.gain = firstGain;
		this.changedAt = now;
	}

	private recover(now: number) {
		while (this.share < 1 && now - this.changedAt >= this.quietMs) {
			this.share = Math.min(1, this.share + this.gain);
			this.gain *= 2;
			this.changedAt += this.quietMs;
		}
		if (this.share === 1) this.quietMs = firstQuietMs;
	}
}
