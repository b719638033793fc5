/*
 * n8n's store for deduplication holds at most two entries of a recipient, 'sent' and 'doubt':
 *
 *     neither   The store does not know the recipient.
 *     both      The recipient is claimed: a message is about to leave, is under way, or was when its process died.
 *     'sent'    The service has accepted the message.
 *     'doubt'   The message has left, and its outcome is unknown.
 *
 * n8n can only look for an entry by adding it, so to look for a recipient adds both.
 */

/** What a node can do with n8n's store. */
export interface Entries {
	/** The same for all runs of a node, which share the entries. */
	owner: string;
	/** Adds entries and drops the oldest beyond the newest `most`. @returns those that were there already */
	add(entries: string[], most: number): Promise<string[]>;
	remove(entries: string[]): Promise<void>;
}

/** How many entries a node keeps. n8n drops the oldest. */
export const mostRemembered = 100_000;

/** How a recipient stands: it is claimed now, was sent to, was perhaps sent to, or was claimed by another process. */
export type Standing = 'claimed' | 'sent' | 'inDoubt' | 'underWay';

/** How a message to a claimed recipient ended. */
export type End = 'sent' | 'notSent' | 'unknown';

/** The names in a key. What the store knows of one of them it knows of the recipient. */
export const namesIn = (key: string) => key.split('+');

const sentEntries = (key: string) => namesIn(key).map((name) => `sent ${name}`);
const doubtEntries = (key: string) => namesIn(key).map((name) => `doubt ${name}`);

/** The entries that are added to look for a recipient. They stay while it is claimed. */
export const entriesOf = (key: string) => [...sentEntries(key), ...doubtEntries(key)];

/** @param known the entries that were there before those of the recipient were added */
export function standingOf(key: string, known: ReadonlySet<string>): Standing {
	const found = namesIn(key).map((name) => ({
		isSent: known.has(`sent ${name}`),
		isDoubtful: known.has(`doubt ${name}`),
	}));
	if (found.some(({ isSent, isDoubtful }) => isDoubtful && !isSent)) return 'inDoubt';
	if (found.some(({ isDoubtful }) => isDoubtful)) return 'underWay';
	return found.some(({ isSent }) => isSent) ? 'sent' : 'claimed';
}

/** The entries of a recipient that stay when its message has ended. */
export function keptOf(key: string, end: End): string[] {
	if (end === 'notSent') return [];
	return end === 'sent' ? sentEntries(key) : doubtEntries(key);
}

/** The entries of a recipient that are obsolete when its message has ended. */
export function obsoleteOf(key: string, end: End): string[] {
	if (end === 'notSent') return entriesOf(key);
	return end === 'sent' ? doubtEntries(key) : sentEntries(key);
}
