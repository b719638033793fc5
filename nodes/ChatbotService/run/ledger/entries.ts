/*
 * What n8n's store for deduplication holds of recipients. A recipient has two entries at most, 'sent' and 'doubt':
 *
 *     neither   nothing was sent, as far as this store knows
 *     both      claimed: a message is about to leave, is under way, or was when its process died
 *     'sent'    the service has accepted the message
 *     'doubt'   the message left, and its outcome is unknown
 *
 * n8n has no way to look for an entry without adding it, so looking for a recipient adds both.
 */

/** What n8n offers of its store to a node. */
export interface Entries {
	/** Who shares them: the same for all runs of a node. */
	owner: string;
	/** Adds entries and drops the oldest beyond the newest `most`. @returns those that were there already */
	add(entries: string[], most: number): Promise<string[]>;
	remove(entries: string[]): Promise<void>;
}

/** Recipients whom a node remembers; the oldest are forgotten. */
export const mostRemembered = 100_000;

/** How a recipient stands: not known before, and claimed now; sent to; perhaps sent to; or claimed by somebody else. */
export type Standing = 'claimed' | 'sent' | 'inDoubt' | 'underWay';

/** How a message to a claimed recipient ended. */
export type End = 'sent' | 'notSent' | 'unknown';

/** The names that a key holds: what is known of one of them is known of the recipient. */
export const namesIn = (key: string) => key.split('+');

const sentEntries = (key: string) => namesIn(key).map((name) => `sent ${name}`);
const doubtEntries = (key: string) => namesIn(key).map((name) => `doubt ${name}`);

/** What is added to look for a recipient, and stays while the recipient is claimed. */
export const entriesOf = (key: string) => [...sentEntries(key), ...doubtEntries(key)];

/** How a recipient stood before its entries were added. @param known what was there of them */
export function standingOf(key: string, known: ReadonlySet<string>): Standing {
	const found = namesIn(key).map((name) => ({
		isSent: known.has(`sent ${name}`),
		isDoubtful: known.has(`doubt ${name}`),
	}));
	if (found.some(({ isSent, isDoubtful }) => isDoubtful && !isSent)) return 'inDoubt';
	if (found.some(({ isDoubtful }) => isDoubtful)) return 'underWay';
	return found.some(({ isSent }) => isSent) ? 'sent' : 'claimed';
}

/** What stays of the entries of a recipient. */
export function keptOf(key: string, end: End): string[] {
	if (end === 'notSent') return [];
	return end === 'sent' ? sentEntries(key) : doubtEntries(key);
}

/** What goes of the entries of a recipient. */
export function obsoleteOf(key: string, end: End): string[] {
	if (end === 'notSent') return entriesOf(key);
	return end === 'sent' ? doubtEntries(key) : sentEntries(key);
}
