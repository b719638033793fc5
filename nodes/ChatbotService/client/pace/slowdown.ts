import type { Limit } from './limits';

/* All numbers in this file come from simulation: `npm run simulate` shows their effect. */

/** Share of the limit to use after a second refusal soon after the first. */
const firstShare = 0.5;

/** Factor for the share after each further refusal, and the lowest share. */
const factor = 0.9;
const leastShare = 0.1;

/**
 * The share grows by this part when so many requests at the full pace would have passed without a refusal, then by twice as much
 * after half the time, and so on. The first steps are small, because a stricter service refuses each of them. The next ones are
 * quick, because otherwise a process that shares the account with others would starve.
 */
const growth = { part: 0.05, afterRequests: 60, afterRequestsAtLeast: 4 };

/**
 * Decides what share of a limit to use: all of it until the service refuses a second request soon after another, then less with
 * each refusal, and more again while there is none.
 */
export class Slowdown {
	/** Share of the limit to use. */
	share = 1;

	/** How often the share has grown since the last refusal. */
	private grown = 0;

	/** When the share last changed. */
	private changedAt = 0;

	/** When the service last refused a request. */
	private refusedAt = -Infinity;

	/** Milliseconds from one request to the next if the whole limit is used evenly. */
	readonly spacingMs: number;

	constructor({ limit: { count, windowMs } }: { limit: Limit }) {
		this.spacingMs = windowMs / count;
	}

	/** Whether less than the whole limit is used. */
	get isActive(): boolean {
		return this.share < 1;
	}

	/** Whether a request was sent before the latest refusal. Several requests of one burst slow down only once. */
	isOfEarlierBurst({ sentAt }: { sentAt: number }): boolean {
		return sentAt < this.refusedAt;
	}

	/**
	 * Notes a refusal.
	 *
	 * @param most share of the limit that the service's window holds, according to its headers
	 * @param isExplained whether something other than the pace explains the refusal
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

	/** Increases the share for the time without a refusal. */
	recover(now: number) {
		while (this.isActive && now - this.changedAt >= this.quietMs) {
			this.changedAt += this.quietMs;
			this.share = Math.min(1, this.share * (1 + Math.min(1, growth.part * 2 ** this.grown)));
			this.grown++;
		}
	}

	/** Whether the next refusal would count as the first. */
	isOver(now: number): boolean {
		this.recover(now);
		return !this.isActive && now - this.refusedAt >= this.quietMs;
	}

	/** How long there must be no refusal until the share grows. */
	private get quietMs(): number {
		return this.spacingMs * Math.max(growth.afterRequestsAtLeast, growth.afterRequests / 2 ** this.grown);
	}
}
