import type { Limit } from './limits';

/* All numbers in this file come from simulation: `npm run simulate` shows their effect. */

/** Share of the limit that is used when a second refusal follows soon on a first one. */
const firstShare = 0.5;

/** What each further refusal makes of the share, and the least that is left. */
const factor = 0.9;
const leastShare = 0.1;

/**
 * The share grows by this part when so many requests at the full pace have passed without a refusal, then by twice as much after half
 * the time, and so on. The first steps are small, as a stricter service refuses each; the next ones are quick, as a process that shares
 * the account with others would otherwise starve.
 */
const growth = { part: 0.05, afterRequests: 60, afterRequestsAtLeast: 4 };

/**
 * Decides what share of a limit is used. All of it, until the service refuses a second request soon after another: then less with each
 * refusal, and more again while there is none.
 */
export class Slowdown {
	/** Share of the limit that is used. */
	share = 1;

	/** How often the share has grown since the last refusal. */
	private grown = 0;

	/** When the share last changed. */
	private changedAt = 0;

	/** When the service last refused a request. */
	private refusedAt = -Infinity;

	/** From one request to the next, in milliseconds, where the whole limit is used evenly. */
	readonly spacingMs: number;

	constructor({ limit: { count, windowMs } }: { limit: Limit }) {
		this.spacingMs = windowMs / count;
	}

	/** Whether less than the whole limit is used. */
	get isActive(): boolean {
		return this.share < 1;
	}

	/** Whether a request was sent before the latest refusal: several of one burst slow down only once. */
	isOfEarlierBurst({ sentAt }: { sentAt: number }): boolean {
		return sentAt < this.refusedAt;
	}

	/**
	 * The service refused a request.
	 *
	 * @param most share of the limit that the service's window holds, by its own words
	 * @param isExplained whether something else than the pace explains it
	 */
	refused({ at, most = 1, isExplained = false }: { at: number; most?: number; isExplained?: boolean }) {
		const isSingle = at - this.refusedAt >= this.quietMs;
		this.refusedAt = at;
		if (isExplained || (isSingle && !this.isActive && most >= 1)) return;
		const share = this.isActive ? this.share * factor : firstShare;
		this.share = Math.max(leastShare, most < this.share ? most : share);
		this.changedAt = at;
		this.grown = 0;
	}

	/** Lets the share grow for the time that has passed without a refusal. */
	recover(now: number) {
		while (this.isActive && now - this.changedAt >= this.quietMs) {
			this.changedAt += this.quietMs;
			this.share = Math.min(1, this.share * (1 + Math.min(1, growth.part * 2 ** this.grown)));
			this.grown++;
		}
	}

	/** Whether the next refusal would count as the first one. */
	isOver(now: number): boolean {
		this.recover(now);
		return !this.isActive && now - this.refusedAt >= this.quietMs;
	}

	/** How long there must be no refusal before the share grows. */
	private get quietMs(): number {
		return this.spacingMs * Math.max(growth.afterRequestsAtLeast, growth.afterRequests / 2 ** this.grown);
	}
}
