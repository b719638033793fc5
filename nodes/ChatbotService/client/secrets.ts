/* By default the token travels in the query, which services repeat in links, error texts and redirects. */

/** In characters. Hiding a shorter token would also hide parts of ordinary words. */
const shortestToken = 4;

const hidden = '***';

/**
 * Returns the value without the tokens in any of its texts and keys, at any depth.
 *
 * @param value any JSON value; it is not changed, and is returned itself if it contains no token
 * @param tokens usually one; several if the credential was edited during a run
 */
export function withoutTokens<T>(value: T, tokens: Iterable<string>): T {
	let cleaned: unknown = value;
	for (const token of tokens) {
		if (token.length >= shortestToken) cleaned = clean(cleaned, patternOf(token));
	}
	return cleaned as T;
}

const mostPatterns = 10;

/** Cached, because making a pattern takes hundreds of times as long as using it. */
const patterns = new Map<string, RegExp>();

function patternOf(token: string): RegExp {
	const known = patterns.get(token);
	if (known) return known;
	if (patterns.size >= mostPatterns) patterns.clear();
	const pattern = makePattern(token);
	patterns.set(token, pattern);
	return pattern;
}

/**
 * Matches the token in any encoding. URL encoders differ in the characters that they escape and in the case. PHP writes `\/` and
 * `\u0430` into JSON, HTML has `&amp;`, and nested texts are escaped more than once.
 */
function makePattern(token: string): RegExp {
	return new RegExp([...token].map(patternOfCharacter).join(''), 'g');
}

const namedEntities: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

const mostEscapes = 3;

function patternOfCharacter(character: string): string {
	const code = character.codePointAt(0)!;
	const plain = character.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
	const inAddress = [...new TextEncoder().encode(character)].map(
		(byte) => `%(?:25){0,${mostEscapes}}${anyCase(byte.toString(16).padStart(2, '0'))}`,
	);
	const inJson = character
		.split('')
		.map((unit) => `\\\\{1,${mostEscapes}}u${anyCase(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`);
	const entity = namedEntities[character];
	const alternatives = [
		`\\\\{0,${mostEscapes}}${plain}`,
		inAddress.join(''),
		inJson.join(''),
		`&(?:#0{0,4}${code}|#[xX]0{0,4}${anyCase(code.toString(16))}${entity ? `|${entity}` : ''});`,
	];
	if (character === ' ') alternatives.push('\\+');
	return `(?:${alternatives.join('|')})`;
}

const anyCase = (digits: string) => digits.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/** Does not recurse, because an answer may be nested deeper than the call stack. */
function clean(value: unknown, pattern: RegExp): unknown {
	return holds(value, pattern) ? copyWithout(value, pattern) : value;
}

function holds(value: unknown, pattern: RegExp): boolean {
	const found = (text: string) => text.search(pattern) >= 0;
	const left = [value];
	while (left.length) {
		const each = left.pop();
		if (typeof each === 'string') {
			if (found(each)) return true;
		} else if (typeof each === 'object' && each !== null) {
			for (const [name, element] of Object.entries(each)) {
				if (found(name)) return true;
				left.push(element);
			}
		}
	}
	return false;
}

function copyWithout(value: unknown, pattern: RegExp): unknown {
	const hide = (text: string) => text.replace(pattern, hidden);
	const top: { value?: unknown } = {};
	const left: Array<{ to: object; key: string | number; value: unknown }> = [
		{ to: top, key: 'value', value },
	];
	while (left.length) {
		const { to, key: place, value: each } = left.pop()!;
		let copy = each;
		if (typeof each === 'string') {
			copy = hide(each);
		} else if (Array.isArray(each)) {
			copy = [];
			each.forEach((element, index) => left.push({ to: copy as object, key: index, value: element }));
		} else if (typeof each === 'object' && each !== null) {
			copy = {};
			// Defined first to keep their order, because the values are filled in from last to first.
			for (const [name, element] of Object.entries(each)) {
				const key = hide(name);
				define(copy as object, key, undefined);
				left.push({ to: copy as object, key, value: element });
			}
		}
		define(to, place, copy);
	}
	return top.value;
}

/** Assigning to `__proto__`, which JSON may contain, would not create a property. */
function define(target: object, name: string | number, value: unknown) {
	Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
