import { systemClock } from './clock';
import { Scheduler } from './scheduler';

/* The schedulers of the accounts that this process uses. */

/** After this time without a request, nothing that a scheduler knows of its account matters any more. */
const keptMs = 3_600_000;

const schedulers = new Map<string, Scheduler>();

/** The scheduler that all runs, lists and workflows of this process share. @param key equal for all credentials of one account */
export function schedulerOf(key: string): Scheduler {
	const keptSince = systemClock.now() - keptMs;
	for (const [each, { usedAt }] of schedulers) if (usedAt < keptSince) schedulers.delete(each);
	const scheduler = schedulers.get(key) ?? new Scheduler();
	schedulers.set(key, scheduler);
	return scheduler;
}
