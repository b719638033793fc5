/* The value of a text in JSON, without rounding its long numbers. */

/** A string in JSON, or a whole number with so many digits that JavaScript may not know all of them. */
const stringOrLong = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/**
 * The value of a text that is JSON; the text itself if it is not. A whole number that JavaScript would round becomes a text with all
 * its digits.
 */
export function parsed(body: unknown): unknown {
	if (typeof body !== 'string') return body;
	try {
		// First as it is: in a text that was cut off, the search for the end of strings would take seconds.
		const value: unknown = JSON.parse(body);
		return /\d{16}/.test(body) ? JSON.parse(body.replace(stringOrLong, withAllDigits)) : value;
	} catch {
		return body;
	}
}

/** A name that stands twice in an object of a text in JSON, which keeps only the last value of it. */
export function repeatedName(text: string): string | undefined {
	const open: Array<Set<string>> = [];
	for (const [token, name] of text.matchAll(/("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}]/g)) {
		if (token === '{') open.push(new Set());
		if (token === '}') open.pop();
		if (name && open.at(-1)?.has(name)) return name.slice(1, -1);
		if (name) open.at(-1)?.add(name);
	}
	return undefined;
}

const withAllDigits = (found: string) =>
	found.startsWith('"') || Number.isSafeInteger(Number(found)) ? found : `"${found}"`;
