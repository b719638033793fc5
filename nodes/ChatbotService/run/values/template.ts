import type { IDataObject } from 'n8n-workflow';

import { isExpression } from '../../shared/values';

/* The codes in braces of an expression, and the texts between them: `Hello, {{ $json.name }}!` */

/** What a part of a text in braces is for an item. */
export interface Part {
	/** Such as `{{ $json.name }}`. */
	code: string;
	value: unknown;
}

/** Code in braces. n8n also evaluates code that does not end. */
export const codes = /\{\{[^]*?(\}\}|$)/g;

/** What code in a text compares, which it does not write; a text in code. */
const compared = /[!=]==?\s*(['"])(?:(?!\1)[^])*\1/g;
const textInCode = /(['"`])((?:\\[^]|(?!\1)[^\\])*)\1/g;

/** What a person has typed into a parameter, also as a text within the code of its expression. */
export function typedIn(value: unknown): string {
	if (typeof value !== 'string') return '';
	if (!isExpression(value)) return value;
	return value.slice(1).replace(codes, (code) => {
		const texts = code.replace(compared, '').matchAll(textInCode);
		return [...texts].map(([, , typed]) => typed!.replace(/\$\{[^}]*\}/g, '')).join('\n');
	});
}

/** Code that only names a field of the item. n8n takes half a millisecond even for that, and thousands of items are full of it. */
const field =
	/^\{\{\s*\$json(?:\.([\p{ID_Start}_][\p{ID_Continue}]*)|\["([^"\\\n]+)"\]|\['([^'\\\n]+)'\])\s*\}\}$/u;

/** n8n rejects some of these names anywhere in an expression and gives others a special meaning. */
const reserved = /__|constructor|prototype|mainModule|binding|_load|prepareStackTrace|toJSON/i;

/** Characters that one of n8n's engines changes: lone surrogates, the replacement character U+FFFD, and U+0000. */
const fragile = /[\0\ufffd\p{Surrogate}]/u;

/** The text or number in a field that code names; undefined if only n8n knows the value. @param json the item; undefined if only n8n has it */
export function fieldIn(json: IDataObject | undefined, code: string): string | number | undefined {
	const name = field.exec(code)?.slice(1).find(Boolean);
	if (!json || name === undefined || reserved.test(name) || name in Object.prototype) return undefined;
	const value: unknown = Object.getOwnPropertyDescriptor(json, name)?.value;
	if (typeof value === 'string') return fragile.test(value) ? undefined : value;
	return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A text whose codes only name fields; undefined if only n8n knows it. Parameters: as above. */
function withFields(json: IDataObject | undefined, template: string): string | undefined {
	const texts = template.replace(codes, '');
	let isKnown = !/\\|\}\}/.test(texts) && !fragile.test(texts);
	const filled = template.replace(codes, (code) => {
		const value = isKnown ? fieldIn(json, code) : undefined;
		isKnown &&= value !== undefined;
		return String(value);
	});
	return isKnown ? filled : undefined;
}

/** A control character that no text contains. */
const mark = '\u001f';

/** A whole number that may have lost digits, as a text. */
const maybeRounded = /^-?(?:\d{16,}|[\d.]+e\+\d+)$/;

/**
 * Evaluates a text with code in it, so that it is known what each code is. n8n evaluates a copy with marks around each code, which
 * takes it no longer than the text itself.
 *
 * @param template without the equals sign of an expression
 * @param evaluate by n8n
 * @param json the item; undefined if only n8n has it
 * @returns undefined for code that is no part of a text, and if only n8n can tell the parts
 */
export function readInParts(
	template: string,
	evaluate: (template: string) => unknown,
	json: IDataObject | undefined,
): { value: string; parts: Part[] } | undefined {
	const found = template.match(codes) ?? [];
	// For n8n, a backslash before a brace changes where code begins.
	if (!found.length || found[0] === template || /\\[{}]/.test(template)) return undefined;
	const marked = template.replace(codes, (code, end: string) => mark + code + (end && mark));
	try {
		const evaluated = withFields(json, marked) ?? evaluate(marked);
		const texts = typeof evaluated === 'string' ? evaluated.split(mark) : [];
		if (texts.length !== marked.split(mark).length) return undefined;
		const parts = found.map((code, index) => {
			const text = texts[2 * index + 1]!;
			return { code, value: maybeRounded.test(text) ? evaluate(code) : text };
		});
		return { value: texts.join(''), parts };
	} catch {
		// n8n gives the reason again when the parameter itself is evaluated.
		return undefined;
	}
}
