import type { Limit } from './limits';

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

/** So many answers in a row that find nobody else in the window double the share; one that finds somebody keeps it as it is. */
const answersToSpeedUp = 2;

/**
 * Decides what share of a limit is used. All of it, until the service refuses a second request soon after another: then less with
 * each refusal, and more again while there is none, or where answers say that nobody else uses the limit.
 */
export class Slowdown {
	/** Share of the limit that is used. */
	private part = 1;

	/** How often the share has grown since the last refusal. */
	private grown = 0;

	/** When the share last changed. */
	private changedAt = 0;

	/** When the service last refused a request. */
	private refusedAt = -Infinity;

	/** Answers in a row that said that nobody else uses the limit. */
	private unshared = 0;

	/** Whether one said that less was used than this process had used itself. */
	private isLiedTo = false;

	/** @param given.workers among how many processes the limit is shared */
	constructor(private readonly given: { limit: Limit; workers: number }) {}

	get share(): number {
		return this.part;
	}

	/** Whether less than the whole limit is used. */
	get isActive(): boolean {
		return this.part < 1;
	}

	/** From one request to the next, where the whole limit is used evenly. */
	get spacingMs(): number {
		const { count, windowMs } = this.given.limit;
		return windowMs / count;
	}

	/** Whether a request was sent before the latest refusal: several of one burst slow down only once. */
	isOfEarlierBurst({ sentAt }: { sentAt: number }): boolean {
		return sentAt < this.refusedAt;
	}

	/**
	 * The service refused a request.
	 *
	 * @param most share of the limit that the service's windows hold, by what it says
	 * @param isExplained whether it says nothing of the pace
	 */
	refused({ at, most, isExplained }: { at: number; most: number; isExplained: boolean }) {
		const { quietMs } = this;
		const isSingle = at - this.refusedAt >= quietMs;
		this.refusedAt = at;
		if (isExplained) return;
		const manner = this.given.workers > 1 ? shared : alone;
		if (most < this.part) {
			// However long the service's windows are, they hold no more than that.
			this.change(Math.max(manner.least, most), at);
		} else if (this.isActive) {
			const factor = at - this.changedAt < quietMs / 2 ? manner.soon : manner.later;
			this.change(Math.max(manner.least, this.part * factor), at);
		} else if (!isSingle) {
			this.change(manner.first, at);
		}
	}

	/**
	 * An answer says how much of this very window was used when it counted a request.
	 *
	 * @param own requests of this process that were in the window: at least so many, and at most
	 */
	heard({ at, used, own }: { at: number; used: number; own: { least: number; most: number } }) {
		if (used <= own.least) this.isLiedTo = true;
		if (this.isLiedTo) return;
		const usedByOthers = used > own.most;
		this.unshared = usedByOthers ? 0 : this.unshared + 1;
		if (!this.isActive || (!usedByOthers && this.unshared < answersToSpeedUp)) return;
		this.unshared = 0;
		this.change(usedByOthers ? this.part : Math.min(1, 2 * this.part), at);
	}

	/** Lets the share grow for the time that has passed without a refusal. */
	recover(now: number) {
		while (this.isActive) {
			const { quietMs } = this;
			if (now - this.changedAt < quietMs) return;
			this.changedAt += quietMs;
			this.part = Math.min(1, this.part * (1 + Math.min(1, growth.part * 2 ** this.grown)));
			this.grown++;
		}
	}

	/** Whether the next refusal would count as the first one. */
	isOver(now: number): boolean {
		this.recover(now);
		return !this.isActive && now - this.refusedAt >= this.quietMs;
	}

	/** Uses another share, or the same one as if it were new; it grows from there. */
	private change(share: number, at: number) {
		this.part = share;
		this.grown = 0;
		this.changedAt = at;
	}

	/** How long there must be no refusal before the share grows again. */
	private get quietMs(): number {
		const requests = Math.min(growth.afterRequestsAtMost, growth.afterRequests / this.part) / 2 ** this.grown;
		return this.spacingMs * Math.max(growth.afterRequestsAtLeast, requests);
	}
}
