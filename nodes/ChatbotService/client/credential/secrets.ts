import { isObject } from '../../shared/values';

/* By default the token travels in the query, which services repeat in links, error texts and redirects. */

/** In characters. Hiding a shorter token would also hide parts of ordinary words. */
const shortestToken = 4;

/**
 * Returns a copy of a JSON value without the tokens in any of its texts and keys.
 *
 * @param tokens usually one; several if the credential was edited during a run
 * @throws RangeError if the value is nested deeper than the call stack
 */
export function withoutTokens<T>(value: T, tokens: Iterable<string>): T {
	const patterns = [...tokens].filter(({ length }) => length >= shortestToken).map(patternOf);
	const hide = (text: string) => patterns.reduce((rest, pattern) => rest.replace(pattern, '***'), text);
	const copy = (each: unknown): unknown => {
		if (typeof each === 'string') return hide(each);
		if (Array.isArray(each)) return each.map(copy);
		if (!isObject(each)) return each;
		return Object.fromEntries(Object.entries(each).map(([name, inner]) => [hide(name), copy(inner)]));
	};
	return copy(value) as T;
}

/** Letters and digits have one form in every text, so the pattern of most tokens is short. */
const patternOf = (token: string) => new RegExp(token.replace(/[^a-z\d]/giu, writings), 'gi');

const entities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Matches a character as it is, or escaped in JSON, a URL or HTML; in a text within a text, it is escaped twice. */
function writings(character: string): string {
	const hexOf = (code: number, width = 1) => code.toString(16).padStart(width, '0');
	const code = character.codePointAt(0)!;
	const units = character.split('').map((unit) => `u${hexOf(unit.charCodeAt(0), 4)}`);
	const bytes = [...new TextEncoder().encode(character)].map((byte) => `%(?:25)?${hexOf(byte, 2)}`);
	const plain = `\\\\{0,3}\\${units.join('\\')}`;
	const inJson = units.map((unit) => `\\\\{1,3}${unit}`).join('');
	const inHtml = [`#0*${code}`, `#x0*${hexOf(code)}`, entities[character] ?? []].flat().join('|');
	return `(?:${plain}|${inJson}|${bytes.join('')}|&(?:${inHtml});${character === ' ' ? '|\\+' : ''})`;
}
