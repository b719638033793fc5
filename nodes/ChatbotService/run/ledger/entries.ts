/*
 * n8n's deduplication store holds at most two entries of a recipient, 'sent' and 'doubt':
 *
 *     neither   The store does not know the recipient.
 *     both      The recipient is claimed: a message is about to be sent, is in progress, or was when its process died.
 *     'sent'    The service has accepted the message.
 *     'doubt'   The message was sent, and its outcome is unknown.
 *
 * n8n can look for an entry only by adding it, so looking for a recipient adds both.
 */

/** The operations of n8n's store. */
export interface Entries {
	/** Equal for all runs of a node, which share the entries. */
	owner: string;
	/** Adds entries and drops the oldest beyond the newest `most`. @returns the entries that already existed */
	add(entries: string[], most: number): Promise<string[]>;
	remove(entries: string[]): Promise<void>;
}

/** Number of entries that a node keeps. n8n drops the oldest. */
export const mostRemembered = 100_000;

/** State of a recipient: claimed now, sent to, possibly sent to, or claimed by another process. */
export type Standing = 'claimed' | 'sent' | 'inDoubt' | 'underWay';

/** How a message to a claimed recipient ended. */
export type End = 'sent' | 'notSent' | 'unknown';

/** The names in a key. An entry under one of them applies to the recipient. */
export const namesIn = (key: string) => key.split('+');

const sentEntries = (key: string) => namesIn(key).map((name) => `sent ${name}`);
const doubtEntries = (key: string) => namesIn(key).map((name) => `doubt ${name}`);

/** The entries to add to look for a recipient. They stay while it is claimed. */
export const entriesOf = (key: string) => [...sentEntries(key), ...doubtEntries(key)];

/** @param known entries that existed before those of the recipient were added */
export function standingOf(key: string, known: ReadonlySet<string>): Standing {
	const found = namesIn(key).map((name) => ({
		isSent: known.has(`sent ${name}`),
		isDoubtful: known.has(`doubt ${name}`),
	}));
	if (found.some(({ isSent, isDoubtful }) => isDoubtful && !isSent)) return 'inDoubt';
	if (found.some(({ isDoubtful }) => isDoubtful)) return 'underWay';
	return found.some(({ isSent }) => isSent) ? 'sent' : 'claimed';
}

/** The entries that stay when a message has ended. */
export function keptOf(key: string, end: End): string[] {
	if (end === 'notSent') return [];
	return end === 'sent' ? sentEntries(key) : doubtEntries(key);
}

/** The entries to remove when a message has ended. */
export function obsoleteOf(key: string, end: End): string[] {
	if (end === 'notSent') return entriesOf(key);
	return end === 'sent' ? doubtEntries(key) : sentEntries(key);
}
