import { systemClock } from '../../shared/clock';
import type { End, Found } from './entries';
import type { Store } from './store';

/*
 * Which recipients a run has claimed in n8n's store. It claims them shortly before their requests leave, and records their outcomes
 * afterwards. A recipient that is never recorded is in doubt.
 */

/** How long a recipient may be claimed elsewhere until the message should have been answered, besides the longest window of its limits. */
const patienceMs = 10_000;

/** Longest time for the end of a run that the user has stopped. The store records the rest after the run. */
const longestEndMs = 700;

const { now, sleep } = systemClock;

/** What n8n's store knew of an item's recipient, or why the store has failed. */
export type Claimed = Found | { error: unknown };

export interface ClaimRequest {
	item: number;
	key: string;
	windowMs: number;
}

/** The recipients that a run has claimed in n8n's store. */
export class Claims {
	/** Number of recipients whose outcome n8n could not record. They are in doubt. */
	notRecorded = 0;
	/** The recipients of claimed items whose requests have not ended. */
	private readonly claimed = new Map<number, string>();
	/** Since when another process has an item's recipient. */
	private readonly elsewhereSince = new Map<number, number>();
	/** Calls of the store that have not ended. */
	private pending = 0;
	private isClosed = false;
	private settled = () => {};

	constructor(private readonly store: Store) {}

	/** Reserves a recipient. @returns when it is free, if another item of this process has it */
	reserve(key: string): Promise<void> | undefined {
		return this.store.reserve(key);
	}

	/** Claims reserved recipients. One that is elsewhere for too long has an unknown outcome. */
	async claim(requests: ClaimRequest[]): Promise<Claimed[]> {
		this.pending++;
		const claim = this.store.claim(requests.map(({ key }) => key));
		const found = await claim.catch((error: unknown) => requests.map(() => ({ error })));
		const claimed = requests.map((request, index) => this.claimedOf(request, found[index]!));
		this.end();
		return claimed;
	}

	/** Notes that the request of an item has ended or cannot leave. */
	ended(item: number, end: End) {
		const key = this.claimed.get(item);
		this.claimed.delete(item);
		if (key !== undefined) void this.record(key, end);
	}

	/**
	 * Releases the claims whose requests have not left, and waits until everything is recorded.
	 *
	 * @param stopped aborted when the user stops the run and does not want to wait for long
	 */
	async close(stopped: AbortSignal | undefined) {
		this.isClosed = true;
		for (const item of this.claimed.keys()) this.ended(item, 'notSent');
		this.store.recordNow();
		const settled = new Promise<void>((resolve) => (this.settled = resolve));
		if (this.pending) await Promise.race([settled, shortlyAfter(stopped)]);
		this.store.close();
	}

	private claimedOf({ item, key, windowMs }: ClaimRequest, found: Claimed): Claimed {
		if (found === 'claimed') {
			this.claimed.set(item, key);
			// So that the run does not end before it is free.
			if (this.isClosed) this.ended(item, 'notSent');
		} else if (found === 'elsewhere') {
			const since = this.elsewhereSince.get(item) ?? now();
			this.elsewhereSince.set(item, since);
			return now() - since >= patienceMs + windowMs ? 'unknown' : found;
		} else if (typeof found === 'string') {
			void this.record(key, found);
		}
		return found;
	}

	private async record(key: string, end: End) {
		this.pending++;
		const recorded = this.store.record(key, end);
		if (!(await recorded)) this.notRecorded++;
		this.end();
	}

	private end() {
		this.pending--;
		if (!this.pending) this.settled();
	}
}

async function shortlyAfter(stopped: AbortSignal | undefined) {
	await new Promise<void>((resolve) => {
		if (stopped?.aborted) resolve();
		else stopped?.addEventListener('abort', () => resolve());
	});
	await sleep(longestEndMs);
}
