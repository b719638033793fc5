const longestQuote = 500;

/** Words of somebody else, shortened where they run long. */
export function quote(words: unknown): string {
	const flat = written(words).replace(/\s+/g, ' ').trim();
	return `"${flat.length > longestQuote ? `${flat.slice(0, longestQuote)}…` : flat}"`;
}

function written(words: unknown): string {
	if (typeof words !== 'object') return String(words);
	try {
		return JSON.stringify(words);
	} catch {
		// It holds itself, or a number that JSON does not know.
		return Object.prototype.toString.call(words);
	}
}
