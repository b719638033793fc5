import { longestWindowMs, ServiceCount, type Count } from './count';
import { shareOf, type Limit } from './limits';
import { cutOffMs } from './retry';

/** One request as a limit sees it. Times are of a monotonic clock, in milliseconds. */
interface Use {
	sentAt: number;
	/** By when it had left this process; undefined while that is not known. */
	leftBy: number | undefined;
	answeredAt: number | undefined;
	wasRefused: boolean;
	/** Sent before any answer had come: how long the way takes is then not known at all. */
	isFirst: boolean;
}

/*
 * The service counts a request at some time before its answer, which is not known here. Taking the answer for it is always safe, and
 * costs nothing while answers are fast. Slow answers are mostly slow because the service works: then the request is taken to have
 * been counted shortly after it had left. A refusal while that is done says that the service counts later, so that more of its
 * answers are taken for it, until it has been right for long.
 */
export const usualWayMs = 35;
const longestWayMs = 16 * usualWayMs;
const requestsToTrustTheWay = 200;

/* All numbers in this file were found by simulation: `npm run simulate` prints what they come to. */

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
const alone: Manner = { first: 0.5, soon: 0.9, later: 0.95, least: 0.1 };

/** Among processes that share it by 'Workers', the pace is right, and a refusal only means that two came too close. */
const shared: Manner = { first: 0.9, soon: 0.97, later: 0.97, least: 0.5 };

/** The share grows back: first by this part of it, after the time of so many requests; then twice as much in half the time. */
const growth = { part: 0.05, afterRequests: 30, afterRequestsAtMost: 60, afterRequestsAtLeast: 4 };

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
	/** Whether it was sent at a time when those before it were only taken to be counted. */
	guessed: boolean;
	left: (by: number) => void;
	/**
	 * @param refused whether because of this limit
	 * @param count that the answer gave, of this limit or of another one; undefined when it gave none
	 */
	answered: (at: number, refused: boolean, count?: Count | 'ofAnother') => void;
}

/** So many answers in a row that find nobody else in the window double the share; one that finds somebody keeps it as it is. */
const answersToSpeedUp = 2;

/** What was sent and answered within that part of a window is in it for certain. */
const certainly = 0.8;

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

	/** Answers in a row that said that nobody else uses the limit. */
	private unshared = 0;

	/** Whether one said that less was used than this process had used itself. */
	private isLiedTo = false;

	private hasAnswered = false;

	private wayMs = usualWayMs;

	/** When the way was last taken to be longer or shorter. */
	private wayChangedAt = 0;

	/** This process's part of the limit. */
	private limit: Limit;

	/** What the service says of the whole limit. */
	private said: ServiceCount;

	/** Whether what is left by the service's own count is used at once. */
	private bursts = false;

	/** @param workers among how many processes the limit is shared */
	constructor(
		private whole: Limit,
		private workers: number,
	) {
		this.limit = shareOf(whole, workers);
		this.said = new ServiceCount(whole);
	}

	/** Takes what a credential says that was changed. */
	setLimit(whole: Limit, workers: number, bursts = false) {
		this.bursts = bursts;
		if (
			whole.count === this.whole.count &&
			whole.windowMs === this.whole.windowMs &&
			workers === this.workers
		)
			return;
		[this.whole, this.workers] = [whole, workers];
		[this.share, this.grown] = [1, 0];
		this.limit = shareOf(whole, workers);
		this.said = new ServiceCount(whole);
	}

	get windowMs(): number {
		return this.limit.windowMs;
	}

	/** The earliest time at which another request may be sent. */
	readyAt(now: number): number {
		this.recover(now);
		const burstAt = this.bursts && this.share === 1 ? this.said.burstAt(now) : undefined;
		if (burstAt !== undefined) return Math.max(this.pausedUntil, burstAt);
		const { count, windowMs } = this.limit;
		const share = Math.min(
			this.share,
			(this.said.share(now) * this.whole.count * windowMs) / (count * this.whole.windowMs),
		);
		// Slowed down, requests are spaced evenly, since it is not known how many the service takes at once.
		const [back, distance] = share < 1 ? [1, windowMs / count / share] : [count, windowMs];
		const earlier = this.uses.at(-back);
		const at = earlier ? this.countedAt(earlier, now) + distance : 0;
		return Math.max(this.pausedUntil, at, this.said.readyAt(now));
	}

	/** How full the window is: 1 when another request would be over the limit. */
	fullness(now: number): number {
		const { count, windowMs } = this.limit;
		return this.uses.filter((use) => this.countedAt(use, now) > now - windowMs).length / count;
	}

	/** Notes a request that is sent now; the caller reports to what it returns how the request gets on. */
	send(now: number): Report {
		const { said } = this;
		const sent = said.send(now);
		const guessed = this.uses.slice(-this.limit.count).some((each) => this.isGuessed(each, now));
		const use: Use = {
			sentAt: now,
			leftBy: undefined,
			answeredAt: undefined,
			wasRefused: false,
			isFirst: !this.hasAnswered,
		};
		this.uses.push(use);
		const { count } = this.limit;
		if (this.uses.length > 2 * count) this.uses = this.uses.slice(-count);
		return {
			sentAt: now,
			guessed,
			left: (by) => {
				use.leftBy = by;
			},
			answered: (at, refused, count) => {
				use.answeredAt = at;
				use.wasRefused = refused;
				this.hasAnswered = true;
				if (!refused && typeof count === 'object' && this.isNamedBy(count))
					this.hear(count.limit - count.remaining, use, at);
				said.answered(sent, at, count, refused);
				// It took nothing of the limit. Alone, it still tells that the pace is too fast.
				if (refused && this.workers > 1) this.uses = this.uses.filter((each) => each !== use);
			},
		};
	}

	/** Whether a count is of this limit, in its own window or by the minute. */
	isCountedBy(count: Count): boolean {
		return this.isNamedBy(count) || this.said.isOf(count);
	}

	private isNamedBy({ limit }: Count): boolean {
		return limit === this.whole.count;
	}

	/**
	 * The service refused a request because of this limit.
	 *
	 * @param report of the request; several of one burst slow down only once
	 * @param refusal.waitMs how long nothing is to be sent
	 * @param refusal.askedMs how long the service asked to wait
	 * @param count that the answer gave of this limit
	 */
	refused(now: number, { sentAt, guessed }: Report, { waitMs, askedMs = Infinity }: Refusal, count?: Count) {
		// Where the service names this very window, it is over after its length, and needs no second for what was cut off.
		const isThisWindow = count && this.isNamedBy(count) && askedMs <= this.whole.windowMs;
		const pauseMs = isThisWindow ? Math.max(this.whole.windowMs, waitMs - cutOffMs) : waitMs;
		this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
		if (sentAt < this.refusedAt) return;
		const { quietMs } = this;
		const isSingle = now - this.refusedAt >= quietMs;
		const manner = this.workers > 1 ? shared : alone;
		this.refusedAt = now;
		if (count?.remaining === 0 && this.said.isOf(count) && askedMs <= longestWindowMs) {
			this.said.endsAt(now + askedMs);
			return;
		}
		const most = count?.remaining === 0 ? count.limit / this.whole.count : 1;
		if (most < this.share) {
			// However long the service's windows are, they hold no more than that.
			this.change(Math.max(manner.least, most), now);
			return;
		}
		if (this.share === 1 && guessed && this.wayMs < longestWayMs) {
			this.wayMs *= 4;
			this.wayChangedAt = now;
			return;
		}
		if (this.share === 1 && isSingle) return;
		const less = this.share * (now - this.changedAt < quietMs / 2 ? manner.soon : manner.later);
		this.change(this.share === 1 ? manner.first : Math.max(manner.least, less), now);
	}

	/** Uses another share, or the same one as if it were new; it grows from there. */
	private change(share: number, now: number) {
		this.share = share;
		this.grown = 0;
		this.changedAt = now;
	}

	/** What an answer says of this very window: how much of it was used when it counted a request. */
	private hear(used: number, use: Use, now: number) {
		const own = this.uses.filter(
			({ sentAt, wasRefused }) =>
				!wasRefused && sentAt <= use.sentAt && sentAt > use.sentAt - this.whole.windowMs,
		);
		const isCounted = ({ sentAt, answeredAt = Infinity }: Use) =>
			answeredAt <= use.sentAt && sentAt > use.sentAt - certainly * this.whole.windowMs;
		if (used <= own.filter(isCounted).length) this.isLiedTo = true;
		if (this.isLiedTo) return;
		const usedByOthers = used > own.length;
		this.unshared = usedByOthers ? 0 : this.unshared + 1;
		if (this.share === 1 || (!usedByOthers && this.unshared < answersToSpeedUp)) return;
		this.unshared = 0;
		this.change(usedByOthers ? this.share : Math.min(1, 2 * this.share), now);
	}

	private countedAt(use: Use, now: number): number {
		const { isFirst, answeredAt } = use;
		const arrivedAt = this.arrivedAt(use, now);
		if (answeredAt === undefined) return arrivedAt;
		return isFirst || answeredAt <= arrivedAt + this.assumedWayMs ? answeredAt : arrivedAt;
	}

	private arrivedAt({ sentAt, leftBy }: Use, now: number): number {
		// What has not left may arrive at any time from now on.
		const wayMs = this.assumedWayMs;
		return leftBy === undefined ? Math.max(sentAt + wayMs, now) : leftBy + wayMs;
	}

	/** Slowed down, the distance from one request to the next has room for a longer way. */
	private get assumedWayMs(): number {
		return this.share < 1 ? usualWayMs : this.wayMs;
	}

	/** Whether a request was taken to be counted before its answer came. */
	private isGuessed(use: Use, now: number): boolean {
		return this.countedAt(use, now) < (use.answeredAt ?? Infinity);
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
		const { spacingMs } = this;
		if (this.wayMs > usualWayMs && now - this.wayChangedAt >= requestsToTrustTheWay * spacingMs) {
			this.wayMs /= 4;
			this.wayChangedAt = now;
		}
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
