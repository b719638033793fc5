const longestQuote = 500;

/** Quotes a text or value of the user, the service or n8n in one line, and shortens it. */
export function quote(words: unknown): string {
	const flat = written(words).replace(/\s+/g, ' ').trim();
	return `"${flat.length > longestQuote ? `${flat.slice(0, longestQuote)}…` : flat}"`;
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
