import { parsed } from '../../shared/json';
import { typedIn, type CodePart } from './template';

/*
 * Words that code writes for a value that is missing. n8n empties a path that gives nothing, but within other code JavaScript writes a
 * word: `'Hello, ' + $json.name` becomes "Hello, undefined". A word that a person has typed, or that the data of the code contains as
 * text, is meant.
 */

/**
 * The shorter words stand by themselves, because a part of a link can look like them. Before a null of JSON stands a name. Intl writes
 * the last two.
 */
const words =
	/undefined|(?<!":\s?)(?:(?<![A-Za-z\d])null|null(?![A-Za-z\d]))|(?<![A-Za-z\d])(?:NaN|Infinity)(?![A-Za-z\d])|NaN$|не\sчисло|∞/gm;

const inAnyCase = new RegExp(words, 'gim');

/**
 * The first word that code has written.
 *
 * @param template an expression without its equals sign
 * @param parts its parts in braces; empty if they are not known
 * @param value of the expression
 * @param evaluate by n8n, to look whether the data that code reads contains the word; undefined if no data can contain it
 */
export function wordOfCode(
	template: string,
	parts: CodePart[],
	value: unknown,
	evaluate: ((template: string) => unknown) | undefined,
): { word: string; code: string } | undefined {
	for (const part of parts.length ? parts : [{ code: template, value }]) {
		// Most texts contain none, and parsing takes long.
		const isSuspect = typeof part.value !== 'string' || part.value.search(words) >= 0;
		const written = isSuspect && textIn(part.value, String).match(words);
		if (!written) continue;
		const { code } = part;
		const data = evaluate && dataOf(code, evaluate);
		const meant = `${typedIn(`=${code}`)}\n${textIn(data, () => '')}`.match(inAnyCase) ?? [];
		const word = [...new Set(written)].find((each) => {
			const isIt = (other: string) => other.toLowerCase() === each.toLowerCase();
			return written.filter(isIt).length > meant.filter(isIt).length;
		});
		if (word) return { word, code };
	}
	return undefined;
}

/**
 * The texts of a value: of an object, and of a text that is one in JSON, its names and values.
 *
 * @param wordFor a number that is none, which JSON would write as null
 */
function textIn(value: unknown, wordFor: (number: number) => string): string {
	const found = parsed(value);
	const texts: string[] = [];
	try {
		JSON.stringify(typeof found === 'object' && found ? found : value, (name, each: unknown) => {
			texts.push(name);
			if (typeof each === 'string') texts.push(each);
			if (typeof each === 'number' && !Number.isFinite(each)) texts.push(wordFor(each));
			return each;
		});
	} catch {
		// A circular value. What was found until then counts.
	}
	return texts.join('\n');
}

const text = `(?:'[^']*'|"[^"]*"|\`[^\`]*\`)`;
const letter = '[\\p{ID_Continue}$]';

/** How code names data: such as `$json.name`, `$('Form').first().json["name"]`, `$fromAI('name')`. */
const reference = new RegExp(
	`(?:\\$(?:fromAI|items)?\\((?:[^()'"\`]|${text})*\\)|\\$\\w+)` +
		`(?:\\??\\.(?:(?:first|last|all|itemMatching)\\(\\d*\\)|${letter}+(?!${letter}|\\())|(?:\\?\\.)?\\[(?:\\d+|${text})\\])*`,
	'gu',
);

/** The data that code reads. */
const dataOf = (code: string, evaluate: (template: string) => unknown): unknown[] =>
	(code.match(reference) ?? []).map((each) => {
		try {
			return evaluate(`{{ ${each} }}`);
		} catch {
			return undefined;
		}
	});
