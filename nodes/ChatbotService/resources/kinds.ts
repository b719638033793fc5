import type { IDataObject } from 'n8n-workflow';

import type { Problem } from '../client/failure';
import { quote } from '../client/quote';
import { cleaned, isEmpty, isObject, withoutZeroDecimals } from '../client/values';
import { contactMessengers, fieldTypes, messengers, nameOf, namesOf, type Choice } from './choices';
import { phoneNumberIn } from './phone';

/*
 * Valid values of parameters. Because expressions can return anything, each kind accepts the forms that users' data contains, for
 * example an ID as text, and converts them to the type that is sent.
 */

/** A value as it is sent, or what is wrong with it. */
export type Checked = { value: IDataObject[string] } | { problems: Problem[] };

/** Checks a value that is not empty. `label` is the label of its field. */
export type Kind = (value: unknown, label: string) => Checked;

export const problem = (message: string, advice: string, found: unknown): Checked => ({
	problems: [{ message, advice: `${advice} Received: ${quote(found)}.` }],
});

const wholeNumber =
	(advice: string): Kind =>
	(value, label) => {
		const digits = typeof value === 'string' ? withoutZeroDecimals(cleaned(value)) : '';
		const number = /^\d+$/.test(digits) ? Number(digits) : value;
		return Number.isSafeInteger(number) && (number as number) > 0
			? { value: number as number }
			: problem(`'${label}' must be a whole number`, advice, value);
	};

export const contactId = wholeNumber(
	'Enter the numeric ID, for example 1048576, not a name or phone number.',
);

export const botId = wholeNumber('Enter the numeric ID, for example 2048, not the name of the bot.');

export const variableId = wholeNumber('Enter the numeric ID, for example 301, not the name of the variable.');

export const limit = wholeNumber("Enter 1 or more, or switch 'Return All' on.");

/** Replaces lone surrogates, such as half an emoji at the end of a truncated text, because no URL can carry them. */
const wellFormed = (value: string) =>
	value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');

/** How JavaScript converts an object to text. */
const objectInText = '[object Object]';

export const text: Kind = (value, label) => {
	if (typeof value === 'string' && value.includes(objectInText)) {
		return problem(
			`'${label}' contains an object instead of text`,
			`An expression in '${label}' returns an object. Choose one field of the object, as in {{ $json.address.city }}.`,
			value,
		);
	}
	if (typeof value === 'string') return { value: wellFormed(value) };
	if (Number.isFinite(value)) return { value: String(value) };
	if (typeof value === 'boolean') return { value: String(value) };
	if (typeof value === 'bigint') return { value: String(value) };
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

export const trimmedText: Kind = (value, label) => {
	const checked = text(value, label);
	return 'value' in checked ? { value: (checked.value as string).trim() } : checked;
};

/** A choice by its value or an alias. */
export const oneOf = (choices: Choice[]): Kind => {
	const known = new Map(
		choices.flatMap((choice) => namesOf(choice).map((name) => [name, choice.value] as const)),
	);
	const values = choices.map(({ value }) => value);
	return (value, label) => {
		const chosen = typeof value === 'string' ? known.get(nameOf(value)) : undefined;
		return chosen
			? { value: chosen }
			: problem(
					`'${label}' must be one of ${values.join(', ')}`,
					`Choose one of them for '${label}', or let its expression return one.`,
					value,
				);
	};
};

export const address: Kind = (value, label) => {
	const written = typeof value === 'string' ? value.trim() : '';
	// `URL` removes line breaks and tabs, as browsers do.
	if (severalAddresses.test(written) || /[\t\r\n]/.test(written))
		return problem(
			`'${label}' must be one URL, without line breaks or tabs`,
			`Enter only one URL for '${label}'.`,
			value,
		);
	const url = asItTravels(written);
	if (url !== undefined) return { value: url };
	return problem(
		`'${label}' must be a complete URL`,
		`Enter a URL for '${label}' that starts with https:// or http:// and that anyone can open, such as https://example.com/image.png.`,
		value,
	);
};

const severalAddresses = /\s(?:https?:)?\/\//i;

/** Keeps a URL as it is written. Encodes only what a URL cannot carry: blanks, Cyrillic letters, lone percent signs. */
function asItTravels(written: string): string | undefined {
	const address = wellFormed(written).replace(/%(?![0-9a-f]{2})/gi, '%25');
	if (!/^https?:\/\/[^\s]/i.test(address) || !URL.canParse(address)) return undefined;
	return /^[!-~]+$/.test(address) ? address : new URL(address).href;
}

export const phone: Kind = (value, label) => {
	const checked = text(value, label);
	if (!('value' in checked)) return checked;
	const number = phoneNumberIn(checked.value as string);
	return number ? { value: number } : noPhone(value, label, `Enter '${label}' with the country code`);
};

/** A phone number, or a person's ID in a messenger. Digits alone may be either, so they are sent as they are. */
export const phoneOrId: Kind = (value, label) => {
	const checked = trimmedText(value, label);
	if (!('value' in checked)) return checked;
	const id = withoutZeroDecimals(cleaned(checked.value as string));
	if (/^-?\d+$/.test(id)) return { value: id };
	if (!/^[\d\s().,+-]+$|^tel:/i.test(id)) return checked;
	const number = phoneNumberIn(id);
	return number
		? { value: number }
		: noPhone(
				value,
				label,
				`Enter the ID that the person has in the messenger, or the phone number with the country code`,
			);
};

function noPhone(value: unknown, label: string, advice: string): Checked {
	const shortened = /\de\+?\d+\W*$/i.test(String(value))
		? ' A spreadsheet has shortened the number: format its column as text there.'
		: '';
	return problem(
		`'${label}' is not a valid phone number`,
		`${advice}, such as +79161234567.${shortened}`,
		value,
	);
}

const words = new Map<unknown, boolean>([
	...[true, 1, 'true', '1', 'yes', 'y', 'on', 'да', 'истина'].map((word) => [word, true] as const),
	...[false, 0, 'false', '0', 'no', 'n', 'off', 'нет', 'ложь'].map((word) => [word, false] as const),
]);

/** A boolean, as other nodes, spreadsheets and people write it. */
export const logical: Kind = (value, label) => {
	const known = words.get(typeof value === 'string' ? cleaned(value).toLowerCase() : value);
	return known === undefined
		? problem(`'${label}' must be true or false`, `Enter true or false for '${label}'.`, value)
		: { value: known };
};

export const zeroOrOne: Kind = (value, label) => {
	const checked = logical(value, label);
	return 'value' in checked ? { value: checked.value ? 1 : 0 } : checked;
};

export const messenger: Kind = oneOf(messengers);

export const contactMessenger: Kind = oneOf(contactMessengers);

export const fieldType: Kind = oneOf(fieldTypes);

const attributes: Record<string, Kind> = {
	name: trimmedText,
	slug: trimmedText,
	type: fieldType,
	is_required: logical,
	is_hidden: logical,
	is_encryptable: logical,
};
const neededAttributes = ['name', 'slug', 'type'];

/**
 * Field definitions, keyed by slug as createListSchema expects them. Accepts that object, an array of definitions, a schema or
 * its `fields` from getListSchema, the rows of the 'Fields' parameter, or any of these as JSON text.
 */
export const fieldDefinitions: Kind = (value, label) => {
	let given = value;
	if (typeof value === 'string') {
		try {
			given = JSON.parse(value.trim());
		} catch {
			return problem(
				`'${label}' must be valid JSON`,
				`Check the quotes, commas and brackets of '${label}'.`,
				value,
			);
		}
	}
	const entries = definitionsIn(given);
	if (!entries) {
		return problem(
			`'${label}' must be a list of field definitions`,
			`Enter an array of objects with name, slug and type for '${label}', an object of them keyed by slug, or the 'fields' of a list schema.`,
			value,
		);
	}
	const problems: Problem[] = [];
	const bySlug = new Map<string, IDataObject>();
	entries.forEach(([key, definition], index) => {
		const place = `${label}, field ${index + 1}`;
		const checked = fieldDefinition(key, definition, place);
		if ('problems' in checked) {
			problems.push(...checked.problems);
			return;
		}
		const field = checked.value as IDataObject;
		const slug = field.slug as string;
		if (bySlug.has(slug)) {
			problems.push({
				message: `'${place}' repeats a slug`,
				advice: `Give each field a different slug. The slug ${quote(slug)} is used twice.`,
			});
		}
		bySlug.set(slug, field);
	});
	return problems.length ? { problems } : { value: Object.fromEntries(bySlug) };
};

/** Pairs of a key and a definition. The key is undefined if the input has none. */
function definitionsIn(given: unknown): Array<[string | undefined, unknown]> | undefined {
	if (Array.isArray(given)) return given.map((definition) => [undefined, definition]);
	if (!isObject(given)) return undefined;
	// The rows of the 'Fields' parameter: an array. A definition with the slug "field" would be an object.
	if (Array.isArray(given.field)) return definitionsIn(given.field);
	// A whole schema: its name is a text. A definition with the slug "name" would be an object.
	if (typeof given.name === 'string' && typeof given.fields === 'object' && given.fields !== null)
		return definitionsBySlug(given.fields);
	return Object.entries(given);
}

/** PHP encodes fields as an array if their slugs are 0, 1, 2 and so on, or if there are none. */
const definitionsBySlug = (fields: object): Array<[string | undefined, unknown]> =>
	Object.entries(fields).map(([slug, definition]) => [
		Array.isArray(fields) && isObject(definition) && !isEmpty(definition.slug) ? undefined : slug,
		definition,
	]);

function fieldDefinition(key: string | undefined, given: unknown, place: string): Checked {
	if (!isObject(given)) {
		return problem(
			`'${place}' must be a field definition`,
			`Enter an object with ${Object.keys(attributes).join(', ')}.`,
			given,
		);
	}
	const definition: Record<string, unknown> = { ...given, slug: isEmpty(given.slug) ? key : given.slug };
	const problems: Problem[] = [];
	if (key !== undefined && String(definition.slug) !== key) {
		problems.push({
			message: `'${place}' has a slug that differs from its key`,
			advice: `Make them the same. The key is ${quote(key)}, the slug ${quote(definition.slug)}.`,
		});
	}
	const result: IDataObject = {};
	for (const [attribute, value] of Object.entries(definition)) {
		const kind = Object.hasOwn(attributes, attribute) ? attributes[attribute] : undefined;
		if (!kind) {
			problems.push({
				message: `'${place}' has an attribute that the service does not know`,
				advice: `The attributes are ${Object.keys(attributes).join(', ')}. Received: ${quote(attribute)}.`,
			});
		} else if (!isEmpty(value)) {
			const checked = kind(value, `${place}: ${attribute}`);
			if ('problems' in checked) problems.push(...checked.problems);
			else result[attribute] = checked.value;
		}
	}
	for (const attribute of neededAttributes.filter((each) => isEmpty(definition[each]))) {
		problems.push({
			message: `'${place}: ${attribute}' is empty`,
			advice: `Give every field a name, a slug and a type.`,
		});
	}
	return problems.length ? { problems } : { value: result };
}
