import type { IDataObject } from 'n8n-workflow';

import { isExpression } from '../../shared/values';

/* The codes in braces of an expression, and the texts between them: `Hello, {{ $json.name }}!` */

/** What a part of a text in braces is for an item. */
export interface CodePart {
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

function fieldIn(json: IDataObject, code: string): string | number | undefined {
	const name = field.exec(code)?.slice(1).find(Boolean);
	if (name === undefined || reserved.test(name) || name in Object.prototype) return undefined;
	const value: unknown = Object.getOwnPropertyDescriptor(json, name)?.value;
	if (typeof value === 'string') return fragile.test(value) ? undefined : value;
	return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/**
 * The value of an expression whose code only names fields with texts or numbers; undefined if only n8n knows it.
 *
 * @param template without the equals sign of an expression
 */
export function readPlainly(json: IDataObject, template: string): string | number | undefined {
	const found = template.match(codes) ?? [];
	if (found[0] === template) return fieldIn(json, template);
	const values = found.map((code) => fieldIn(json, code));
	const texts = template.replace(codes, '');
	if (values.includes(undefined) || /\\|\}\}/.test(texts) || fragile.test(texts)) return undefined;
	return template.replace(codes, () => String(values.shift()));
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
 * @param evaluate as n8n does
 * @returns undefined for code that is no part of a text, and if only n8n can tell the parts
 */
export function readInParts(
	template: string,
	evaluate: (template: string) => unknown,
): { value: string; parts: CodePart[] } | undefined {
	const found = template.match(codes) ?? [];
	// For n8n, a backslash before a brace changes where code begins.
	if (!found.length || found[0] === template || /\\[{}]/.test(template)) return undefined;
	const marked = template.replace(codes, (code, end: string) => mark + code + (end && mark));
	try {
		const evaluated = evaluate(marked);
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
