import { shareOf, type Limit } from './limits';

/** One request as a limit sees it. Times are of a monotonic clock, in milliseconds. */
interface Use {
	sentAt: number;
	/** By when it had left this process; undefined while that is not known. */
	leftBy: number | undefined;
	answeredAt: number | undefined;
	/** Sent before any answer had come: how long the way takes is then not known at all. */
	isFirst: boolean;
}

/*
 * The service counts a request when it arrives, which is not known here. Taking the answer for it is always safe, and
 * costs nothing while answers are fast. Slow answers are slow because the service works: then the request is taken to
 * have arrived shortly after it had left, which leaves that much room for the way to vary. A single refusal says that it
 * varies more.
 */
export const usualWayMs = 35;
const longWayMs = 2 * usualWayMs;

/*
 * The numbers below were found by simulation. Against a service that allows half, a quarter or six tenths of what the
 * credential says they use 90 % of what there is, and two processes that know nothing of each other use 90 % between them.
 */

/** How a limit slows down when the service refuses requests all the same. */
interface Manner {
	/** Share of the limit that is used when a second refusal follows soon. */
	first: number;
	/** What each further refusal makes of that share; `soon` when the one before is not long ago. */
	soon: number;
	later: number;
	/** The share is never less. */
	least: number;
}

/** The limit may be lower than it says, or others use the account too. */
const alone: Manner = { first: 0.5, soon: 0.9, later: 0.95, least: 0.05 };

/** Among processes that share it by 'Workers', the pace is right, and a refusal only means that two came too close. */
const shared: Manner = { first: 0.9, soon: 0.97, later: 0.97, least: 0.5 };

/** The share grows back: first by this part of it, after the time of so many requests; then twice as much in half the time. */
const growth = { part: 0.05, afterRequests: 20, afterRequestsAtMost: 40, afterRequestsAtLeast: 4 };

/**
 * A limit as a sliding window over its latest requests, which slows down when the service refuses requests all the same:
 * because others use the account too, or because its limit is lower than it says.
 */
export class SlidingWindow {
	/** The latest uses, oldest first. */
	private uses: Use[] = [];

	/** Share of the limit that is used: 1 until the service refuses a request. */
	private share = 1;

	/** How often the share has grown since the last refusal. */
	private grown = 0;

	/** When the share last changed. */
	private changedAt = 0;

	/** When the service last refused a request. */
	private refusedAt = -Infinity;

	private pausedUntil = 0;

	private hasAnswered = false;

	private wayMs = usualWayMs;

	/** @param workers among how many processes the limit is shared */
	constructor(
		private whole: Limit,
		private workers: number,
	) {
		this.limit = shareOf(whole, workers);
	}

	/** This process's part of the limit. */
	private limit: Limit;

	/** Takes the limits of a credential that was changed. */
	setLimit(whole: Limit, workers: number) {
		if (
			whole.count === this.whole.count &&
			whole.windowMs === this.whole.windowMs &&
			workers === this.workers
		)
			return;
		[this.whole, this.workers] = [whole, workers];
		[this.share, this.grown] = [1, 0];
		this.limit = shareOf(whole, workers);
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
		return Math.max(this.pausedUntil, earlier ? this.countedAt(earlier, now) + distance : 0);
	}

	/** How full the window is: 1 when another request would be over the limit. */
	fullness(now: number): number {
		const { count, windowMs } = this.limit;
		return this.uses.filter((use) => this.countedAt(use, now) > now - windowMs).length / count;
	}

	/** Notes a request that is sent now; the caller reports to what it returns how the request gets on. */
	send(now: number): { left: (by: number) => void; answered: (at: number, refused: boolean) => void } {
		const use: Use = {
			sentAt: now,
			leftBy: undefined,
			answeredAt: undefined,
			isFirst: !this.hasAnswered,
		};
		this.uses.push(use);
		const { count } = this.limit;
		if (this.uses.length > 2 * count) this.uses = this.uses.slice(-count);
		return {
			left: (by) => {
				use.leftBy = by;
			},
			answered: (at, refused) => {
				use.answeredAt = at;
				this.hasAnswered = true;
				// It took nothing of the limit. Alone, it still tells that the pace is too fast.
				if (refused && this.workers > 1) this.uses = this.uses.filter((each) => each !== use);
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
		if (sentAt < this.refusedAt) return;
		const { quietMs } = this;
		const isSingle = now - this.refusedAt >= quietMs;
		const manner = this.workers > 1 ? shared : alone;
		this.refusedAt = now;
		if (this.share === 1 && isSingle) {
			this.wayMs = longWayMs;
			return;
		}
		this.share =
			this.share === 1
				? manner.first
				: Math.max(
						manner.least,
						this.share * (now - this.changedAt < quietMs / 2 ? manner.soon : manner.later),
					);
		this.grown = 0;
		this.changedAt = now;
	}

	private countedAt({ sentAt, leftBy, answeredAt, isFirst }: Use, now: number): number {
		// What has not left may arrive at any time from now on.
		const arrivedAt = leftBy === undefined ? Math.max(sentAt + this.wayMs, now) : leftBy + this.wayMs;
		if (answeredAt === undefined) return arrivedAt;
		const isFast = answeredAt <= arrivedAt + this.wayMs;
		return isFirst || isFast ? answeredAt : arrivedAt;
	}

	/** From one request to the next, where the whole limit is used evenly. */
	private get spacingMs(): number {
		return this.whole.windowMs / this.whole.count;
	}

	/** How long there must be no refusal before the share grows again. */
	private get quietMs(): number {
		const requests =
			Math.min(growth.afterRequestsAtMost, growth.afterRequests / this.share) / 2 ** this.grown;
		return this.spacingMs * Math.max(growth.afterRequestsAtLeast, requests);
	}

	private recover(now: number) {
		for (
			let quietMs = this.quietMs;
			this.share < 1 && now - this.changedAt >= quietMs;
			quietMs = this.quietMs
		) {
			this.changedAt += quietMs;
			this.share = Math.min(1, this.share * (1 + Math.min(1, growth.part * 2 ** this.grown)));
			this.grown++;
		}
	}
}
