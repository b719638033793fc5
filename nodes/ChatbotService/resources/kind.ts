import type { IDataObject } from 'n8n-workflow';

import type { Problem } from '../client/failure/failure';
import { quote } from '../shared/quote';
import { isObject, isRounded } from '../shared/values';
import { isMisread } from './misread';

/*
 * What all kinds of values have in common: what no person means to send, whatever the field. n8n and JavaScript write such texts and
 * numbers without an error.
 */

/** A value as it is sent, or what is wrong with it. */
export type Checked = { value: IDataObject[string] } | { problems: Problem[] };

/** The time of a date as n8n reads it in the workflow's time zone, in milliseconds since 1970; NaN if it cannot be read. */
export type TimeOf = (date: string) => number;

/** What a kind knows of a value besides itself. */
export interface Circumstances {
	/** Whether the value was picked from a list of the service, so that it is what it is, however odd. */
	isPicked?: boolean;
	/** What a person has typed into the field, also as a text within code. Absent for the data of an item. */
	typed?: () => string;
	timeOf?: TimeOf;
	timezone?: string;
}

/** Checks a value that is not empty. Call `checkAs` for a value of the user: it also refuses what nobody means to send. */
export interface Kind {
	/** @param label of the field @returns a value of undefined if the value turns out to be empty */
	(value: unknown, label: string, circumstances?: Circumstances): Checked;
	/** Whether several values can be joined into one. */
	joins?: true;
	/** Whether a list is one value of it, not several. Then it also decides whether anybody means what is in the list. */
	takesLists?: true;
}

/** The value that a model gives for a tool, in an expression. */
export const ofModel = /\$fromAI\s*\(/i;

export const takingLists = (kind: Kind): Kind => Object.assign(kind, { takesLists: true as const });

/** Reads further what another kind has read; what is empty or wrong for that kind stays so. @param read gets its text, and the value as it was given */
export const readIn =
	(kind: Kind, read: (found: string, value: unknown, label: string) => Checked): Kind =>
	(value, label, circumstances) => {
		const checked = kind(value, label, circumstances);
		if ('problems' in checked || checked.value === undefined) return checked;
		return read(String(checked.value), value, label);
	};

/** What is wrong with a value, and what to do. */
export const problem = (message: string, advice: string, found: unknown): { problems: Problem[] } => ({
	problems: [{ message, advice: `${advice} Received: ${quote(found)}.` }],
});

/** Checks a value of the user: first whether anybody means to send it, then by its kind. */
export function checkAs(
	kind: Kind,
	value: unknown,
	label: string,
	circumstances: Circumstances = {},
): Checked {
	const isMeant = circumstances.isPicked || (kind.takesLists && typeof value !== 'string');
	return (
		(isMeant ? undefined : whyNotMeant(kind, value, label, circumstances)) ??
		kind(value, label, circumstances)
	);
}

function whyNotMeant(
	kind: Kind,
	value: unknown,
	label: string,
	{ typed }: Circumstances,
): Checked | undefined {
	if (typeof value === 'string') return whyNotWritten(value, label, typed);
	if (isRounded(value))
		return problem(
			`'${label}' holds a number that n8n has rounded`,
			'JSON numbers of more than 15 digits lose digits, so this one may mean something else. Let the previous node give it as text.',
			value,
		);
	if (Array.isArray(value))
		return problem(`'${label}' contains a list instead of one value`, adviceForList(value, kind), value);
	return undefined;
}

function adviceForList([first]: unknown[], { joins }: Kind): string {
	if (isObject(first)) {
		const names = Object.keys(first);
		const name = names.find((each) => /^value$/i.test(each)) ?? names[0] ?? 'value';
		return `Choose a field of one of its elements, for example with [0].${name} after the name of the list, as in {{ $json.phones[0].${name} }}.`;
	}
	return joins
		? "Join the values into one text, as in {{ $json.answers.join(', ') }}."
		: 'Make one item of each value: put the node Split Out before this node.';
}

/** Names that only n8n's expressions begin with. The service has placeholders of its own: {{name}} and {{$Name}}. */
const notEvaluated =
	/\{\{\s*(?:\$(?:json|input|now|today|vars|item|itemIndex|execution|workflow)(?![\w$\u00c0-\u1fff])|\$(?:fromAI|items)?\(|\$node\[|DateTime\.)/;

/** How JavaScript writes a function, of the language or of a library. */
const source =
	/\[native code\]|\)\s*(?:=>\s*)?\{\s*(?:return\b|(?:if|for|while|switch|super)\s*\(|(?:const|let|var)\s+[\w{[]|throw\s|try\s*\{)/;

/** What only code writes, in place of what is meant: what it is, and what an expression does that writes it. */
const writtenByCode: Array<[written: RegExp, what: string, why: string]> = [
	[
		/\[object [A-Z]\w*\]/,
		'an object instead of text',
		'returns an object. Choose one field of the object, as in {{ $json.address.city }}.',
	],
	[
		/(?<![\w\u00c0-\u1fff])Invalid Date(?:Time)?(?![\w\u00c0-\u1fff])/,
		'a date that cannot be read',
		"reads a date in an unexpected format. Name the format, as in {{ DateTime.fromFormat($json.date, 'dd.MM.yyyy') }}.",
	],
	[
		source,
		'the source text of a function',
		'names a function without calling it. Add parentheses, as in {{ $json.name.trim() }}.',
	],
];

/** What is wrong with a text that was read in another encoding than it has; undefined if nothing shows that. */
export const whyMisread = (text: string, label: string) =>
	isMisread(text)
		? problem(
				`'${label}' holds characters that were lost when a file was read`,
				'Set the encoding in the node Extract from File, or save the file as XLSX or as CSV in UTF-8, and run the workflow again. The node cannot restore the text.',
				text,
			)
		: undefined;

/** Why no person has written a text; undefined if a person can have. */
function whyNotWritten(text: string, label: string, typed: Circumstances['typed']): Checked | undefined {
	if (text.includes('{{') && notEvaluated.test(text)) return notEvaluatedIn(label, text);
	const lost = whyMisread(text, label);
	if (lost) return lost;
	// What a person types may contain any words, so only code can have written these.
	const found = writtenByCode.find(
		([written]) => written.test(text) && text.split(written).length > (typed?.() ?? '').split(written).length,
	);
	return found && problem(`'${label}' contains ${found[1]}`, `An expression in '${label}' ${found[2]}`, text);
}

export const notEvaluatedIn = (label: string, found: unknown) =>
	problem(
		`'${label}' holds an expression that n8n has not evaluated: switch the field from Fixed to Expression`,
		`If the field is an expression already, the text comes from its data: n8n does not evaluate expressions in data.`,
		found,
	);
