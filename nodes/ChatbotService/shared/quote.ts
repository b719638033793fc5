/* How messages quote texts that are not the node's own: in one line, and shortened. */

const longestQuote = 500;

/** Quotes a text or value of the user, the service or n8n in one line, and shortens it. */
export function quote(words: unknown): string {
	const flat = written(words).replace(/\s+/g, ' ').trim();
	return `"${flat.length > longestQuote ? `${flat.slice(0, longestQuote)}…` : flat}"`;
}

/** Names in a row, and how many more there are. */
export function listed(names: string[], most = 20): string {
	const more = names.length - most;
	return [...names.slice(0, most), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

function written(words: unknown): string {
	if (typeof words !== 'object') return String(words);
	try {
		return JSON.stringify(words);
	} catch {
		// A circular value, or a BigInt.
		return Object.prototype.toString.call(words);
	}
}

/** n8n's texts in an error. An expression can throw anything, even an object that throws when it is read. */
export function wordsOf(error: unknown): string {
	try {
		const { message, description } = error as { message?: unknown; description?: unknown };
		const words = [message, description].filter((text) => typeof text === 'string');
		return [...new Set(words)].join(' ').trim();
	} catch {
		return '';
	}
}

/** A sentence with a quote, to follow another one; empty without words. */
const says = (who: string) => (words: string | undefined) => (words ? ` ${who} says: ${quote(words)}.` : '');

export const n8nSays = says('n8n');
export const serviceSays = says('The service');
