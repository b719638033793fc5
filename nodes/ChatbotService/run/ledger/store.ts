import { systemClock } from '../../client/pace/clock';
import { LockRowTaken, underLock, type LockRow } from './lock';

/*
 * Records who has received a message, in n8n's own store for deduplication. All runs of a node in this process share it, and its calls
 * follow each other:
 *
 *     claim    add the entries of recipients before their messages leave
 *     record   remove the entries that are obsolete when their messages have ended
 *
 * If several processes use n8n's store, each call is made under a lock. A recipient whose end is not recorded, because that fails or
 * because the process dies, is in doubt.
 *
 * The store holds at most two entries of a recipient, 'sent' and 'doubt':
 *
 *     neither   The store does not know the recipient.
 *     both      The recipient is claimed: a message is about to be sent, is in progress, or was when its process died.
 *     'sent'    The service has accepted the message.
 *     'doubt'   The message was sent, and its outcome is unknown.
 *
 * n8n can look for an entry only by adding it, so a claim adds both. If the recipient had one of them, that one is recorded again.
 */

/** n8n's store of a node. A call reads all entries, and writes them back: of two calls at the same time, one is lost. */
export interface Entries {
	/** Equal for all runs of a node, which share the entries. */
	owner: string;
	/** Number of entries. @throws n8n's error if there is no store */
	count(): Promise<number>;
	/** Adds entries and drops the oldest beyond the newest `most`. @returns the entries that already existed */
	add(entries: string[], most: number): Promise<string[]>;
	remove(entries: string[]): Promise<void>;
	lockRow: LockRow;
}

/** Number of entries that a node keeps. n8n drops the oldest. */
export const mostRemembered = 100_000;

/** How the message to a claimed recipient ended. */
export type End = 'sent' | 'notSent' | 'unknown';

/** What the store knew of a recipient: nothing, so that it is claimed now; how its message ended; or that another process has claimed it. */
export type Found = 'claimed' | 'sent' | 'unknown' | 'elsewhere';

/** The end of a message is recorded before the next claims, or after this time if there are none. */
const recordedAfterMs = 2000;

/** A call fails when the database is busy or restarts. The others wait for that, because nothing leaves without claims. */
const longestCallMs = 30_000;
const firstPauseMs = 200;
const longestPauseMs = 3000;

const { now, sleep } = systemClock;

interface Claim {
	key: string;
	found(found: Found): void;
	failed(error: unknown): void;
}

interface Ended {
	key: string;
	end: End;
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
class Store {
	private readonly reserved = new Map<string, Reserved>();
	/** Runs that have begun and not ended. */
	private runs = 0;
	/** Whether other processes may use the entries. */
	private isShared = false;
	private claims: Claim[] = [];
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
	 * Claims a recipient whom n8n's store does not know. The run records how the message ended, now or earlier, and then the recipient is
	 * free. One that another process has is free at once.
	 *
	 * @returns what the store knew, or when the recipient is free if another item of this process has it
	 * @throws n8n's error if its store has failed; then the recipient is free
	 */
	async claim(key: string): Promise<Found | { whenFree: Promise<void> }> {
		const reserved = this.reserved.get(key);
		if (reserved) {
			reserved.isAwaited = true;
			this.recordNow();
			return { whenFree: reserved.whenFree };
		}
		let freed = () => {};
		const whenFree = new Promise<void>((resolve) => (freed = resolve));
		const free = () => void (this.reserved.delete(key) && freed());
		this.reserved.set(key, { isAwaited: false, whenFree, free });
		return await new Promise((found, failed) => {
			this.claims.push({ key, found, failed });
			void this.work();
		});
	}

	/** @returns whether the end of a message is in the store; if not, the recipient is in doubt */
	async record(key: string, end: End): Promise<boolean> {
		return await new Promise((recorded) => {
			this.ended.push({ key, end, recorded });
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
			if (!this.claims.length && !this.isRecordDue) break;
			// Before the claims, so that a process that dies in between leaves fewer recipients in doubt.
			await this.makeRecords();
			await this.makeClaims();
		}
		this.isWorking = false;
	}

	/** Never throws. Otherwise, runs would wait for their answers forever. */
	private async makeClaims() {
		const claims = this.claims.splice(0);
		if (!claims.length) return;
		try {
			const entries = claims.flatMap(({ key }) => entriesOf(key));
			const known = new Set(await this.call(async () => await this.entries.add(entries, mostRemembered)));
			for (const { key, found } of claims) {
				const each = foundIn(known, key);
				if (each === 'elsewhere') this.reserved.get(key)?.free();
				found(each);
			}
		} catch (error) {
			for (const { key, failed } of claims) {
				this.reserved.get(key)?.free();
				failed(error);
			}
		}
	}

	/** Never throws. */
	private async makeRecords() {
		this.isRecordDue = false;
		const ended = this.ended.splice(0);
		if (!ended.length) return;
		const isRecorded = await this.call(async () => await this.remove(ended)).then(
			() => true,
			() => false,
		);
		for (const { key, removal, recorded } of ended) {
			this.reserved.get(key)?.free();
			recorded(isRecorded && removal === 'done');
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
	private async call<T>(make: () => Promise<T>): Promise<T> {
		const until = now() + longestCallMs;
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

const sentEntry = (key: string) => `sent ${key}`;
const doubtEntry = (key: string) => `doubt ${key}`;

const entriesOf = (key: string) => [sentEntry(key), doubtEntry(key)];

/** @param known entries that existed before the recipient was claimed */
function foundIn(known: ReadonlySet<string>, key: string): Found {
	const isSent = known.has(sentEntry(key));
	if (known.has(doubtEntry(key))) return isSent ? 'elsewhere' : 'unknown';
	return isSent ? 'sent' : 'claimed';
}

/** The entries to remove when a message has ended. */
function obsoleteOf(key: string, end: End): string[] {
	if (end === 'notSent') return entriesOf(key);
	return [end === 'sent' ? doubtEntry(key) : sentEntry(key)];
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
