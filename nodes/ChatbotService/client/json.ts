/* The value of a body, without rounding its long numbers. */

/** A string in JSON, or a whole number with so many digits that JavaScript may not know all of them. */
const stringOrLong = /"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/**
 * The value of a text that is JSON; the text itself if it is not. A whole number that JavaScript would round becomes a text with all
 * its digits.
 */
export function parsed(body: unknown): unknown {
	if (typeof body !== 'string') return body;
	try {
		return JSON.parse(/\d{16}/.test(body) ? body.replace(stringOrLong, withAllDigits) : body);
	} catch {
		return body;
	}
}

const withAllDigits = (found: string) =>
	found.startsWith('"') || Number.isSafeInteger(Number(found)) ? found : `"${found}"`;
