/*
 * n8n's deduplication store holds at most two entries of a recipient, 'sent' and 'doubt':
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

/** Number of entries that a node keeps. n8n drops the oldest. */
export const mostRemembered = 100_000;

/** How the message to a claimed recipient ended. */
export type End = 'sent' | 'notSent' | 'unknown';

/** What the store knew of a recipient: nothing, so that it is claimed now; how its message ended; or that another process has claimed it. */
export type Found = 'claimed' | 'sent' | 'unknown' | 'elsewhere';

const sentEntry = (key: string) => `sent ${key}`;
const doubtEntry = (key: string) => `doubt ${key}`;

export const entriesOf = (key: string) => [sentEntry(key), doubtEntry(key)];

/** @param known entries that existed before the recipient was claimed */
export function foundIn(known: ReadonlySet<string>, key: string): Found {
	const isSent = known.has(sentEntry(key));
	if (known.has(doubtEntry(key))) return isSent ? 'elsewhere' : 'unknown';
	return isSent ? 'sent' : 'claimed';
}

/** The entries to remove when a message has ended. */
export function obsoleteOf(key: string, end: End): string[] {
	if (end === 'notSent') return entriesOf(key);
	return [end === 'sent' ? doubtEntry(key) : sentEntry(key)];
}
