import type { Limit } from './limits';

/* All numbers in this file come from simulation: `npm run simulate` shows their effect. */

/** How a limit slows down. */
interface Manner {
	/** Share of the limit to use after a second refusal soon after the first. */
	first: number;
	/** Factor for the share after each further refusal. */
	factor: number;
	/** The lowest share. */
	least: number;
}

/** The limit may be lower than the credential says, or other programs may use the account. */
const alone: Manner = { first: 0.5, factor: 0.9, least: 0.1 };

/** With 'Workers' the pace is right, and a refusal only means that requests of two processes came too close. */
const shared: Manner = { first: 0.9, factor: 0.97, least: 0.5 };

/**
 * The share grows by this part after a time without a refusal, in which the full pace allows this many requests. Then it grows by
 * twice as much after half the time, and so on. The first steps are small, because each leads to a refusal if the service's limit is
 * lower than the credential says. The next ones are quick, because otherwise a process that shares the account would starve.
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

	private readonly manner: Manner;

	constructor({ limit: { count, windowMs }, workers }: { limit: Limit; workers: number }) {
		this.manner = workers > 1 ? shared : alone;
		this.spacingMs = windowMs / count;
	}

	/** Whether less than the whole limit is used. */
	get isActive(): boolean {
		return this.share < 1;
	}

	/** Whether a request was sent before the latest refusal. Requests that were in flight together slow down only once. */
	wasInFlightAtRefusal({ sentAt }: { sentAt: number }): boolean {
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
		const { first, factor, least } = this.manner;
		const share = this.isActive ? this.share * factor : first;
		this.share = Math.max(least, most < this.share ? most : share);
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

	/** Time without a refusal after which the share grows. */
	private get quietMs(): number {
		return this.spacingMs * Math.max(growth.afterRequestsAtLeast, growth.afterRequests / 2 ** this.grown);
	}
}
