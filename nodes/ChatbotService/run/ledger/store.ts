import { systemClock } from '../../shared/clock';
import { entriesOf, foundIn, mostRemembered, obsoleteOf } from './entries';
import type { End, Entries, Found } from './entries';
import { LockRowTaken, underLock } from './lock';

/*
 * Records who has received a message, in n8n's own store for deduplication. All runs of a node in this process share it, and its calls
 * follow each other:
 *
 *     claim    add the entries of recipients before their messages leave
 *     record   remove the entries that are obsolete when their messages have ended
 *
 * If several processes use n8n's store, each call is made under a lock. A recipient whose end is not recorded, because that fails or
 * because the process dies, is in doubt.
 */

/** The end of a message is recorded before the next claims, or after this time if there are none. */
const recordedAfterMs = 2000;

/** A call fails when the database is busy or restarts. Claims wait for that, because nothing leaves without them. */
const longestClaimsMs = 30_000;
const longestRecordsMs = 1000;
const firstPauseMs = 200;
const longestPauseMs = 3000;

/** Calls after which the end of a message is given up. */
const mostRecords = 6;

const { now, sleep } = systemClock;

/** Recipients that a run claims together. */
interface Batch {
	keys: string[];
	found(found: Found[]): void;
	failed(error: unknown): void;
}

interface Ended {
	key: string;
	end: End;
	failures: number;
	/** How far the removal of its entries is. */
	removal?: 'begun' | 'done';
	recorded(isRecorded: boolean): void;
}

/** A recipient that an item of this process claims or has claimed. */
interface Reserved {
	/** Whether another item waits until it is free. */
	isAwaited: boolean;
	whenFree: Promise<void>;
	free(): void;
}

/** The entries of a node, for all its runs in this process. */
export class Store {
	private readonly reserved = new Map<string, Reserved>();
	/** Runs that have begun and not ended. */
	private runs = 0;
	/** Whether other processes may use the entries. */
	private isShared = false;
	private batches: Batch[] = [];
	private ended: Ended[] = [];
	/** Whether the ends are due, and whether a timer will make them due. */
	private isRecordDue = false;
	private isRecordTimed = false;
	private isWorking = false;

	constructor(
		private entries: Entries,
		private readonly onIdle: () => void,
	) {}

	/** Call it when a run begins. The store uses its entries, because those of an earlier run may no longer answer. */
	open(entries: Entries, isShared: boolean) {
		this.entries = entries;
		this.isShared ||= isShared;
		this.runs++;
	}

	close() {
		this.runs--;
		this.dropIfIdle();
	}

	/**
	 * Claims the recipients that n8n's store does not know. The run records how their messages ended, now or earlier, and then they are
	 * free. Those that another process has are free at once.
	 *
	 * @returns what the store knew of each, or when it is free if another item of this process has it
	 * @throws n8n's error if its store has failed; then all of them are free
	 */
	async claim(keys: string[]): Promise<Array<Found | { whenFree: Promise<void> }>> {
		const reserved = keys.map((key) => this.reserve(key));
		const free = keys.filter((_, index) => !reserved[index]);
		const found = free.length ? await this.claimFree(free) : [];
		return reserved.map((whenFree) => (whenFree ? { whenFree } : found.shift()!));
	}

	/** Reserves a recipient, so that no other item of this process claims it. @returns when it is free, if another item has it */
	private reserve(key: string): Promise<void> | undefined {
		const reserved = this.reserved.get(key);
		if (reserved) {
			reserved.isAwaited = true;
			this.recordNow();
			return reserved.whenFree;
		}
		let freed = () => {};
		const whenFree = new Promise<void>((resolve) => (freed = resolve));
		const free = () => void (this.reserved.delete(key) && freed());
		this.reserved.set(key, { isAwaited: false, whenFree, free });
		return undefined;
	}

	private async claimFree(keys: string[]): Promise<Found[]> {
		return await new Promise((found, failed) => {
			this.batches.push({ keys, found, failed });
			void this.work();
		});
	}

	/** @returns whether the end of a message is in the store; if not, the recipient is in doubt */
	async record(key: string, end: End): Promise<boolean> {
		return await new Promise((recorded) => {
			this.ended.push({ key, end, failures: 0, recorded });
			if (this.reserved.get(key)?.isAwaited) this.recordNow();
			else void this.recordLater();
		});
	}

	/** Records at once what waits for the next claims. */
	recordNow() {
		this.isRecordDue = true;
		void this.work();
	}

	private async recordLater() {
		if (this.isRecordTimed) return;
		this.isRecordTimed = true;
		await sleep(recordedAfterMs);
		this.isRecordTimed = false;
		this.recordNow();
	}

	private async work() {
		if (this.isWorking) return;
		this.isWorking = true;
		for (;;) {
			// Collects everything that comes at the same time.
			await sleep(0);
			if (!this.batches.length && !this.isRecordDue) break;
			// Before the claims, so that a process that dies in between leaves fewer recipients in doubt.
			await this.makeRecords();
			await this.makeClaims();
		}
		this.isWorking = false;
	}

	/** Never throws. Otherwise, runs would wait for their answers forever. */
	private async makeClaims() {
		const batches = this.batches.splice(0);
		if (!batches.length) return;
		try {
			const entries = batches.flatMap(({ keys }) => keys.flatMap(entriesOf));
			const add = async () => await this.entries.add(entries, mostRemembered);
			const known = new Set(await this.call(add, longestClaimsMs));
			for (const { keys, found } of batches) found(keys.map((key) => this.foundIn(known, key)));
		} catch (error) {
			for (const { keys, failed } of batches) {
				for (const key of keys) this.reserved.get(key)?.free();
				failed(error);
			}
		}
	}

	private foundIn(known: ReadonlySet<string>, key: string): Found {
		const found = foundIn(known, key);
		if (found === 'elsewhere') this.reserved.get(key)?.free();
		return found;
	}

	/** Never throws. */
	private async makeRecords() {
		this.isRecordDue = false;
		const ended = this.ended.splice(0);
		if (!ended.length) return;
		const isRecorded = await this.call(async () => await this.remove(ended), longestRecordsMs).then(
			() => true,
			() => false,
		);
		for (const each of ended) {
			if (isRecorded || ++each.failures >= mostRecords) {
				this.reserved.get(each.key)?.free();
				each.recorded(isRecorded && each.removal === 'done');
			} else {
				this.ended.push(each);
				void this.recordLater();
			}
		}
		this.dropIfIdle();
	}

	/**
	 * Removes what is obsolete. An attempt that fails may have done it. Therefore recipients are not released twice if another process
	 * can have claimed them in between.
	 */
	private async remove(ended: Ended[]) {
		const due = ended.filter(({ end, removal }) => !(removal && this.isShared && end === 'notSent'));
		for (const each of due) each.removal = 'begun';
		await this.entries.remove(due.flatMap(({ key, end }) => obsoleteOf(key, end)));
		for (const each of due) each.removal = 'done';
	}

	/** @throws the error of the last attempt; LockRowTaken at once */
	private async call<T>(make: () => Promise<T>, longestMs: number): Promise<T> {
		const until = now() + longestMs;
		for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, 2 * pauseMs)) {
			let error: unknown;
			try {
				return await (this.isShared ? underLock(this.entries.lockRow, make) : make());
			} catch (caught) {
				error = caught;
			}
			// No pause without another attempt after it.
			if (error instanceof LockRowTaken || now() + pauseMs >= until) throw error;
			await sleep(pauseMs);
		}
	}

	private dropIfIdle() {
		if (!this.runs && !this.reserved.size) this.onIdle();
	}
}

const stores = new Map<string, Store>();

/**
 * Opens the store that all runs of a node in this process share. It is dropped when unused, because it keeps n8n's context of a run.
 *
 * @param isShared whether other processes may use the entries at the same time
 */
export function openStore(entries: Entries, isShared: boolean): Store {
	const { owner } = entries;
	const store = stores.get(owner) ?? new Store(entries, () => stores.delete(owner));
	stores.set(owner, store);
	store.open(entries, isShared);
	return store;
}
