import type { Clock } from '../../client/pace/clock';
import { newId } from '../../client/digest';
import { mostRemembered, type Entries } from './entries';

/** Each wait is so many times as long as the longest call, and never shorter than that. */
const callsPerWait = 3;
const leastWaitMs = 250;

/** A slow call counts for that long, and up to twice as long. */
const slownessMs = 120_000;

/** For a database that is busy, or that two processes make the first entry in. */
const mostAttempts = 3;
const pauseMs = 200;

/** What a call has found. */
export interface Added {
	/** Those entries that were there already. */
	known: ReadonlySet<string>;
	/** An entry that this call has added, and no other one. */
	ticket: string;
	/** Whether all of `known` was there before, and none of it by a call of ours that has failed after it had written. */
	isConclusive: boolean;
}

/** How long calls have taken of late. */
export class CallTimes {
	/** The longest calls of a period and of the one before, in milliseconds. */
	private longest = { since: -Infinity, ms: 0, msBefore: 0 };

	/** Notes a call. Times are of a monotonic clock, in milliseconds. */
	add(from: number, until: number) {
		const { since, ms } = this.longest;
		if (until - since > slownessMs) this.longest = { since: until, ms: 0, msBefore: ms };
		this.longest.ms = Math.max(this.longest.ms, until - from);
	}

	/** How long to wait until what a call has written is certain to stay: longer than any call takes to write what it has read. */
	get waitMs(): number {
		return Math.max(leastWaitMs, callsPerWait * this.longestMs);
	}

	/** How long it takes to claim something: to write it, to wait, and to look for it. */
	get claimMs(): number {
		return this.waitMs + 2 * this.longestMs;
	}

	private get longestMs(): number {
		return Math.max(this.longest.ms, this.longest.msBefore);
	}
}

/** Calls of n8n's store by this process, one after the other. */
export class Calls {
	/** Tickets of calls that have failed, or are being made. */
	private failed: string[] = [];

	/** @param entries of the run that has begun last */
	constructor(
		public entries: Entries,
		private readonly clock: Clock,
		readonly times: CallTimes,
	) {}

	/** @throws what the last of several attempts throws */
	async add(entries: string[]): Promise<Added> {
		for (let made = 1; made < mostAttempts; made++) {
			try {
				return await this.addOnce(entries);
			} catch {
				await this.clock.sleep(pauseMs);
			}
		}
		return await this.addOnce(entries);
	}

	private async addOnce(entries: string[]): Promise<Added> {
		const ticket = `ticket ${newId()}`;
		const earlier = [...this.failed];
		this.failed.push(ticket);
		const all = [...entries, ...earlier, ticket];
		const known = new Set(await this.timed(async () => await this.entries.add(all, mostRemembered)));
		this.failed = earlier;
		return { known, ticket, isConclusive: !earlier.some((failed) => known.has(failed)) };
	}

	/** Tickets of failed calls, which the latest call has added; to be removed. */
	takeFailed(): string[] {
		return this.failed.splice(0);
	}

	/** Not repeated where it fails: it may have written all the same, and others may have added the same entries since. */
	async remove(entries: string[]): Promise<void> {
		await this.timed(async () => await this.entries.remove(entries));
	}

	private async timed<T>(call: () => Promise<T>): Promise<T> {
		const from = this.clock.now();
		try {
			return await call();
		} finally {
			this.times.add(from, this.clock.now());
		}
	}
}
