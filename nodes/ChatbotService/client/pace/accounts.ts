import type { Clock } from './clock';
import { Scheduler } from './scheduler';

/**
 * The scheduler of each account, which all runs, lists and workflows of this process share. An account is forgotten once nothing that
 * was learned of it matters any more, so that a process which sees ever new tokens does not grow.
 */
export class Accounts {
	private readonly known = new Map<string, Scheduler>();

	constructor(private readonly clock?: Clock) {}

	/**
	 * To be asked for each request anew, since an account may be forgotten in between.
	 *
	 * @param key the same for all credentials of one account
	 */
	schedulerOf(key: string): Scheduler {
		const known = this.known.get(key);
		if (known) return known;
		for (const [each, scheduler] of this.known) {
			if (scheduler.isLikeNew) this.known.delete(each);
		}
		const scheduler = new Scheduler(this.clock);
		this.known.set(key, scheduler);
		return scheduler;
	}
}

/** Those of this process. */
export const accounts = new Accounts();
