import { asKey, asSeen, cleaned, isEmpty, withoutZeroDecimals } from '../shared/values';
import { checkAs, problem, readIn, takingLists, type Checked, type Kind } from './kind';

/* Texts and names: what people write, and what programs make of it. */

/** Replaces lone surrogates, such as half an emoji at the end of a truncated text, because no URL can carry them. */
export const wellFormed = (value: string) =>
	value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');

export const text: Kind = (value, label) => {
	if (typeof value === 'string') return { value: wellFormed(value) };
	if (Number.isFinite(value) || typeof value === 'boolean' || typeof value === 'bigint')
		return { value: String(value) };
	// Dates, for example from {{ $now }}: both Luxon and JavaScript write them as ISO 8601.
	const { toJSON } = value as { toJSON?: unknown };
	const written: unknown = typeof toJSON === 'function' ? toJSON.call(value) : undefined;
	if (typeof written === 'string') return { value: written };
	return problem(
		`'${label}' must be text`,
		`Enter plain text for '${label}'. If the field contains an expression, choose one field of the data, as in {{ $json.address.city }}.`,
		value,
	);
};

text.joins = true;

const mapped = (checked: Checked, change: (text: string) => string): Checked =>
	'value' in checked && checked.value !== undefined ? { value: change(checked.value as string) } : checked;

const trimmed =
	(kind: Kind): Kind =>
	(...given) =>
		mapped(kind(...given), (value) => value.trim());

export const trimmedText: Kind = trimmed(text);

/** What programs and spreadsheets write for a value that is missing, and what a database makes of letters that it lacks. In another case, such as Null, it can be a surname. */
const nothing =
	/^\s*(?:\?[?\s]*|undefined|null|NULL|NaN|N\/A|#(?:N\/A|SPILL!|REF!|VALUE!|NAME\?|DIV\/0!|NULL!|NUM!|ERROR!|Н\/Д|ССЫЛКА!|ЗНАЧ!|ИМЯ\?|ДЕЛ\/0!|ПУСТО!|ЧИСЛО!))\s*$/;

/** What people write into a key that is missing. It can be a name. */
const nothingInKey = /^(?:[-–—?\s]+|нет(?: данных)?|пусто|отсутствует|none|n\/a|н\/д)$/i;

/** A text by which a record is recognized, as people see it. */
export const key = readIn(text, (found, value, label) => {
	const written = asKey(found);
	return nothing.test(written) || nothingInKey.test(written)
		? problem(
				`'${label}' is a word for a missing value`,
				'All items with this word would change the same list item. Leave these items out, for example with the node Filter before this node.',
				value,
			)
		: { value: written };
});

/** A text in one pair of quotation marks, as programs write it. */
const inQuotes = /^\s*(["'])((?:(?!\1)[^])*)\1\s*$/;

/** Several names in one pair of quotation marks. A single one can be a name, such as «Весна». */
const severalInQuotes = /^[«„“]([^«»„“”]*[,;\n][^«»„“”]*)[»“”]$/;

/** The elements of a list that a program has written as one text; undefined for any other text, such as a name in brackets. */
function listIn(text: string): Array<string | number | null> | undefined {
	const isInside = /^\s*"[^]*"\s*$/.test(text);
	if (!isInside && !/^\s*\[[^]*\]\s*$/.test(text)) return undefined;
	try {
		const list = JSON.parse(isInside ? `[${text}]` : text) as unknown[];
		// A single number can be a name in brackets.
		const isElement = (each: unknown): each is string | number | null =>
			typeof each === 'string' || (list.length > 1 ? typeof each === 'number' : each === null);
		return list.every(isElement) ? list : undefined;
	} catch {
		return undefined;
	}
}

/** An object, a list of others, or a list in another notation than JSON. */
const structure = /^\s*(?:\{[^]*\}|\[\s*['"{[][^]*|a:\d+:\{[^]*)\s*$/;

/** A name of something in the service. A name that was picked from a list stays as the service has it. */
export const name: Kind = (value, label, circumstances) => {
	const checked = text(value, label, circumstances);
	if ('problems' in checked || circumstances?.isPicked) return checked;
	const written = (checked.value as string).replace(inQuotes, '$2');
	const list = listIn(written);
	if (list)
		return list.length > 1
			? checkAs(name, list, label, circumstances)
			: { value: list[0] ? asSeen(String(list[0])) : undefined };
	if (isEmpty(written)) return { value: undefined };
	if (!structure.test(written) && !nothing.test(written)) return { value: asSeen(written) };
	return problem(
		`'${label}' holds no name, but what a program has written`,
		'It is a list or an object, which an expression can read as in {{ JSON.parse($json.tags) }}, or a word for a value that is missing. Correct the data, or enter only the name.',
		value,
	);
};

export const trimmedName: Kind = trimmed(name);

/** An ID that digits may write, as spreadsheets do too. */
export const identifier: Kind = (...given) =>
	mapped(trimmedName(...given), (id) => withoutZeroDecimals(cleaned(id)));

/** Several names: a list, or a text with commas, semicolons or line breaks between them. @param mustBeWhole whether an expression may leave none of them empty */
const several =
	(mustBeWhole: boolean): Kind =>
	(value, label, circumstances) => {
		let parts = [value].flat();
		if (typeof value === 'string') {
			const written = value.trim().replace(inQuotes, '$2').replace(severalInQuotes, '$1');
			parts = listIn(written) ?? (structure.test(written) ? [written] : written.split(/\s*[,;]\s*|\s*\n\s*/));
		}
		const given = parts.filter((part) => !isEmpty(part));
		// What a person types may end with a comma.
		if (mustBeWhole && given.length && given.length < parts.length && circumstances?.typed?.() !== value)
			return problem(
				`A name in '${label}' is empty`,
				`An expression leaves one of several names empty, so other records could match than you mean. Correct '${label}', or the data.`,
				value,
			);
		const checked = given.map((part) => checkAs(trimmedName, part, label, circumstances));
		const problems = checked.flatMap((each) => ('problems' in each ? each.problems : []));
		if (problems.length) return { problems };
		const found = checked.flatMap((each) => ('value' in each ? (each.value ?? []) : []));
		return { value: found.length ? (found as string[]) : undefined };
	};

export const names = takingLists(several(false));

/** Names that a condition needs, all of them. */
export const wholeNames = takingLists(several(true));
