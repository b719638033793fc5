/* The token travels in the query by default, and services repeat queries: in links, error texts and redirects. */

/** A token this short would also hide ordinary words. */
const shortestToken = 4;

const hidden = '***';

/**
 * The same value without the token in any of its texts and names.
 *
 * @param value anything JSON can hold; it is not changed, and is itself the result where the token is not in it
 */
export function withoutToken<T>(value: T, token: string): T {
	if (token.length < shortestToken) return value;
	const pattern = patternOf(token);
	return clean(value, (text) => text.replace(pattern, hidden)) as T;
}

/** That of the latest token, since making it takes hundreds of times as long as using it. */
const patterns = new Map<string, RegExp>();

function patternOf(token: string): RegExp {
	const pattern = patterns.get(token) ?? makePattern(token);
	patterns.clear();
	patterns.set(token, pattern);
	return pattern;
}

/** Finds the token however it is written: encoders of addresses differ in which characters they escape, and in which case. */
function makePattern(token: string): RegExp {
	const characters = [...token].map((character) => {
		const escaped = [...new TextEncoder().encode(character)]
			.map(
				(byte) =>
					`%${byte
						.toString(16)
						.padStart(2, '0')
						.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)}`,
			)
			.join('');
		const plain = character.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
		return `(?:${plain}|${escaped}${character === ' ' ? '|\\+' : ''})`;
	});
	return new RegExp(characters.join(''), 'g');
}

function clean(value: unknown, hide: (text: string) => string): unknown {
	if (typeof value === 'string') return hide(value);
	if (typeof value !== 'object' || value === null) return value;
	if (Array.isArray(value)) {
		const cleaned: unknown[] = value.map((each) => clean(each, hide));
		return cleaned.some((each, index) => each !== value[index]) ? cleaned : value;
	}
	const entries = Object.entries(value);
	const cleaned = entries.map(([name, each]) => [hide(name), clean(each, hide)] as const);
	const isSame = cleaned.every(
		([name, each], index) => name === entries[index]![0] && each === entries[index]![1],
	);
	return isSame ? value : Object.fromEntries(cleaned);
}
