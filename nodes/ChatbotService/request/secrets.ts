/* The token travels in the query by default, and services repeat queries: in links, error texts and redirects. */

/** A token this short would also hide ordinary words. */
const shortestToken = 4;

/**
 * The same texts and objects without the token in any of them.
 *
 * @param value anything JSON can hold
 */
export function withoutToken<T>(value: T, token: string): T {
	if (token.length < shortestToken) return value;
	const forms = [...new Set([token, encodeURIComponent(token)])];
	const text = JSON.stringify(value);
	if (text === undefined || !forms.some((form) => text.includes(JSON.stringify(form).slice(1, -1)))) return value;
	return JSON.parse(
		forms.reduce((cleaned, form) => cleaned.replaceAll(JSON.stringify(form).slice(1, -1), '***'), text),
	) as T;
}
