import type { Clock } from '../../client/pace/clock';
import { newId } from '../../client/digest';
import { mostRemembered, type Entries } from './entries';

/** A wait is this many times as long as the longest call, and at least this long. */
const callsPerWait = 3;
const leastWaitMs = 250;

/** A slow call counts for one to two of these periods. */
const slownessMs = 120_000;

/** A call fails when the database is busy, or when two processes make the first entry at once. */
const mostAttempts = 3;
const pauseMs = 200;

/** The result of a call. */
export interface Added {
	/** The entries that already existed. */
	known: ReadonlySet<string>;
	/** An entry that only this call has added. */
	ticket: string;
	/** Whether `known` contains nothing that a failed call of this process has written. */
	isConclusive: boolean;
}

/** How long calls have taken lately. */
export class CallTimes {
	/** The longest calls of this period and of the one before, in milliseconds. */
	private longest = { since: -Infinity, ms: 0, msBefore: 0 };

	/** Notes a call. Times are those of a monotonic clock, in milliseconds. */
	add(from: number, until: number) {
		const { since, ms } = this.longest;
		if (until - since > slownessMs) this.longest = { since: until, ms: 0, msBefore: ms };
		this.longest.ms = Math.max(this.longest.ms, until - from);
	}

	/** How long to wait until every call that has already read has also written. */
	get waitMs(): number {
		return Math.max(leastWaitMs, callsPerWait * this.longestMs);
	}

	/** How long a claim takes: a call, a wait and a call. */
	get claimMs(): number {
		return this.waitMs + 2 * this.longestMs;
	}

	private get longestMs(): number {
		return Math.max(this.longest.ms, this.longest.msBefore);
	}
}

/** Calls n8n's store, one call after the other. */
export class Calls {
	/** Tickets of calls that have failed or have not ended. */
	private failed: string[] = [];

	/** @param entries of the latest run */
	constructor(
		public entries: Entries,
		private readonly clock: Clock,
		readonly times: CallTimes,
	) {}

	/** Adds entries, in several attempts. @throws the error of the last one */
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

	/** The tickets of failed calls. The latest call has added them, so they must be removed. */
	takeFailed(): string[] {
		return this.failed.splice(0);
	}

	/** Makes only one attempt: a call that fails may have written, and another process may have added the same entries since. */
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
