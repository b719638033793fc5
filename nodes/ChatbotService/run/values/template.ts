import { isExpression } from '../../shared/values';

/* Takes an expression of n8n apart: into its texts, and the codes in braces between them. */

/** Piece of a template: text, or code in braces. The names are set if the code is a path into the item. */
type Piece = { text: string } | { code: string; names: string[] | undefined };

export interface Template {
	pieces: Piece[];
	/** Whether its texts are the same for n8n and for this file. */
	isPlain: boolean;
	/** With a mark on both sides of each code; undefined if only n8n knows where code begins: a backslash changes that. */
	marked: string | undefined;
}

/** What a part of a text in braces is for an item. */
export interface Part {
	/** Such as `{{ $json.name }}`. */
	code: string;
	value: unknown;
}

/** Characters that one of n8n's engines changes: lone surrogates, the replacement character U+FFFD, and U+0000. */
export const fragile = /[\0\ufffd\p{Surrogate}]/u;

/** Code in braces. n8n also evaluates code that does not end. */
export const codes = /\{\{([^]*?)(\}\}|$)/g;

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

/** A control character that no text contains. */
export const mark = '\u001f';

/** @param template without the equals sign of an expression */
export function templateOf(template: string): Template {
	const pieces: Piece[] = [];
	const marked: string[] = [];
	let end = 0;
	const add = (text: string) => text && pieces.push({ text }) && marked.push(text);
	for (const { index, 0: code, 1: inside, 2: close } of template.matchAll(codes)) {
		add(template.slice(end, index));
		pieces.push({ code, names: close ? namesIn(inside!) : undefined });
		marked.push(mark, code, ...(close ? [mark] : []));
		end = index + code.length;
	}
	add(template.slice(end));
	const isPlain =
		!template.includes('\\') &&
		!fragile.test(template) &&
		pieces.every((piece) => !('text' in piece) || !piece.text.includes('}}'));
	return { pieces, isPlain, marked: /\\[{}]/.test(template) ? undefined : marked.join('') };
}

const path =
	/^\s*\$json(?:(?:\?\.|\.)[\p{ID_Start}_][\p{ID_Continue}]*|(?:\?\.)?\[(?:"[^"\n]*"|'[^'\n]*'|0|[1-9]\d{0,8})\])+\s*$/u;
const step = /(?:\?\.|\.)([\p{ID_Start}_][\p{ID_Continue}]*)|\[(?:"([^"\n]*)"|'([^'\n]*)'|(\d+))\]/gu;

/** n8n rejects some of these names anywhere in an expression and gives others a special meaning. */
const reserved = /__|constructor|prototype|mainModule|binding|_load|prepareStackTrace|toJSON/i;

/** The names in a path into the item; undefined for other code. */
function namesIn(code: string): string[] | undefined {
	if (!path.test(code) || reserved.test(code)) return undefined;
	const names = [...code.matchAll(step)].map(([, ...found]) => found.find((name) => name !== undefined)!);
	return names.some((name) => name in Object.prototype) ? undefined : names;
}
