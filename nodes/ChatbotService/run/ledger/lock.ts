import { systemClock } from '../../client/pace/clock';

/*
 * Lets one process at a time change n8n's store. The process that creates the row of the lock may make a call, and deletes the row
 * after it.
 *
 * A process that dies leaves its row behind. Rows have random sizes, so a row whose size stays the same has one owner. When that owner
 * cannot be alive, another process replaces the row by its own, which locks everybody out until the slowest of the processes that do
 * this at the same time has deleted the old row.
 *
 * The row is the one that n8n's node 'Remove Duplicates' uses with the scope 'Workflow'. A lock has a mode of its own, so n8n refuses
 * to add to the row of the other node, and neither of them changes the other's row.
 */

/** A row of n8n's database that serves as a lock, because a database creates a row only once. All nodes of a workflow share it. */
export interface LockRow {
	/**
	 * Creates the row with these entries. A lock that exists gets those that it does not have.
	 *
	 * @returns whether the row is new
	 * @throws n8n's error if the row is not a lock, or if another process creates it at the same moment
	 */
	create(entries: string[]): Promise<boolean>;
	/** Number of its entries; 0 if there is no row. */
	size(): Promise<number>;
	delete(): Promise<void>;
}

/** A process can stand still for this time in the middle of a call, for example because of another node. */
const longestStallMs = 20_000;

/** A call of the owner begins within this time after it has asked for the row. */
const latestStartMs = 5000;

/** After this time, an owner that lives has ended its call. */
const deadAfterMs = latestStartMs + longestStallMs;

/** Replacing the row of a dead process takes about 50 seconds, and longer if this process stands still meanwhile. */
const longestWaitMs = 120_000;

/** Locks have fewer entries, rows that replace one have as many. */
const mostEntries = 50;

const leastPauseMs = 10;
const mostPauseMs = 1000;

/** Calls to the database that fail in a row. */
const mostFailures = 5;
const failedPauseMs = 200;

const { now, sleep } = systemClock;

/** The workflow has the row of 'Remove Duplicates', so there is no lock. */
export class LockRowTaken extends Error {}

/**
 * Makes a call while no other process makes one.
 *
 * @throws the error of the call, or of n8n's database; LockRowTaken; an error if the call took so long that another process may have
 * made one, or if others have the lock for two minutes
 */
export async function underLock<T>(row: LockRow, call: () => Promise<T>): Promise<T> {
	const since = await acquire(row);
	try {
		const result = await call();
		if (now() - since > deadAfterMs) throw new Error("A call to n8n's database took too long");
		return result;
	} finally {
		await release(row, since);
	}
}

/** @returns since when the lock is held */
async function acquire(row: LockRow): Promise<number> {
	const until = now() + longestWaitMs;
	let [size, sizeSince, failures] = [0, now(), 0];
	let error: unknown = new Error("Another process of n8n kept n8n's database busy");
	const see = (found: number) => {
		if (found !== size) [size, sizeSince] = [found, now()];
	};
	while (now() < until && failures < mostFailures) {
		const unchangedMs = now() - sizeSince;
		try {
			if (!size) {
				const since = await create(row);
				if (since !== undefined) return since;
			} else if (unchangedMs > deadAfterMs) {
				sizeSince = now();
				await replaceDead(row);
			}
			see(await row.size());
			failures = 0;
		} catch (caught) {
			// n8n's word for a row in another mode.
			const isTaken = /incompatible/.test(String(caught));
			error = isTaken ? new LockRowTaken() : caught;
			// If there is a row now, another process has created it at the same moment.
			see(await row.size().catch(() => 0));
			failures += isTaken ? mostFailures : Number(!size);
		}
		// A row that has stayed the same for long may be about to be replaced, even if it is gone now.
		const pauseMs = failures > 1 ? failedPauseMs : unchangedMs / 8;
		await sleep(Math.min(mostPauseMs, Math.max(leastPauseMs, pauseMs)) * (1 + Math.random()));
	}
	throw error;
}

/** @returns since when the lock is held; undefined if another process has it, or if creating the row took too long */
async function create(row: LockRow): Promise<number | undefined> {
	const since = now();
	if (!(await row.create(entries(1 + Math.floor(Math.random() * (mostEntries - 1)))))) return undefined;
	// A second line of defense: a row that came late leaves less time until others take its owner for dead.
	if (now() - since <= latestStartMs) return since;
	await release(row, since);
	return undefined;
}

/** Rows differ only in how many of the same entries they have. So a process that finds a lock does not take it for its own. */
const entries = (count: number) => Array.from({ length: count }, (_, index) => `lock ${index}`);

/** Leaves a row that may belong to another process by now. */
async function release(row: LockRow, since: number) {
	for (let made = 0; made < mostFailures && now() - since < deadAfterMs; made++) {
		try {
			await row.delete();
			return;
		} catch {
			await sleep(failedPauseMs);
		}
	}
}

/** @throws n8n's error if the row is not a lock */
async function replaceDead(row: LockRow) {
	// The others see that its size changes, and do not replace it, too.
	await row.create(entries(mostEntries));
	await row.delete();
	const isOurs = await row.create(entries(mostEntries));
	await sleep(longestStallMs);
	if (isOurs && (await row.size()) === mostEntries) await row.delete();
}
