/**
 * Validation like the framework's: all violations collected, with its Russian texts. What is required and of which type comes
 * from the schemas of docs/openapi.yaml.
 */

import { Refusal, json } from './answers';
import type { Schema } from './document';

/** The parameters of a request, query and body merged. */
export type Input = Record<string, unknown>;

/** Texts by name of the parameter. */
type Errors = Array<[name: string, text: string]>;

/** The framework's TrimStrings and ConvertEmptyStringsToNull: applied to every parameter before anything else. */
export function normalize(value: unknown): unknown {
	if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
	if (Array.isArray(value)) return value.map(normalize);
	if (!isObject(value)) return value;
	return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, normalize(inner)]));
}

/** Refuses an input that does not have the schema. @param at where in the request it is, for example `data` */
export const validate = (schema: Schema, input: Input, at = ''): void =>
	refuse(violations(schema, input, at));

/** The same for a parameter that only some services need. */
export const need = (input: Input, name: string): void =>
	validate({ properties: { [name]: {} }, required: [name] }, input);

/** The same for what a schema does not say, about values that are there. */
export function check(input: Input, rules: Record<string, Rule>): void {
	const given = Object.entries(rules).filter(([name]) => !isMissing(input[name]));
	refuse(given.flatMap(([name, { text, isFine }]): Errors => (isFine(input[name]) ? [] : [[name, text]])));
}

interface Rule {
	text: string;
	isFine: (value: unknown) => boolean;
}

export const url: Rule = {
	text: 'Поле :attribute имеет ошибочный формат URL.',
	isFine: (value) => /^https?:\/\//.test(String(value)) && URL.canParse(String(value)),
};

export const phone: Rule = {
	text: 'Поле :attribute имеет ошибочный формат.',
	isFine: (value) => String(value).replace(/\D/g, '').length >= 10,
};

/** The framework's `exists`: the value names a record. */
export const existsIn = (records: Map<number, unknown>): Rule => ({
	text: 'Выбранное значение для :attribute некорректно.',
	isFine: (value) => records.has(Number(value)),
});

/** @param texts in which `:attribute` becomes the name, underscores as spaces */
export function refuse(texts: Errors): void {
	if (texts.length === 0) return;
	const said = texts.map(([name, text]) => [name, [text.replace(':attribute', readable(name))]]);
	const errors = Object.fromEntries(said) as object;
	throw new Refusal(json({ message: 'The given data was invalid.', errors }, 422));
}

function violations(schema: Schema, input: Input, at: string): Errors {
	const { additionalProperties: others } = schema;
	const variants = [schema, ...(schema.oneOf ?? [])].map(({ properties }) => properties);
	const ofOthers = Object.keys(isObject(others) ? input : {}).map((name) => [name, others]);
	const properties = Object.assign(Object.fromEntries(ofOthers), ...variants) as Record<string, Schema>;
	const needed = neededIn(schema, input);
	return Object.entries(properties).flatMap(([name, property]): Errors => {
		const place = at ? `${at}.${name}` : name;
		if (needed.includes(name) && isEmpty(input[name]))
			return [[place, 'Поле :attribute обязательно для заполнения.']];
		return isMissing(input[name]) ? [] : violationsOf(property, input[name], place);
	});
}

/** What the schema requires, and those of its variants that apply. */
function neededIn(schema: Schema, input: Input): string[] {
	const { oneOf = [], anyOf = oneOf[0]?.anyOf ?? [] } = schema;
	const isConditional = anyOf.some(({ properties }) => properties);
	const variants = isConditional ? anyOf.filter((each) => isMet(each, input)) : begun(anyOf, input);
	return [schema, ...begun(oneOf, input), ...variants].flatMap(({ required = [] }) => required);
}

/** The variant of which something is there, or all of them. */
function begun(variants: Schema[], input: Input): Schema[] {
	const one = variants.find(({ required = [] }) => required.some((name) => !isMissing(input[name])));
	return one ? [one] : variants;
}

/** Whether a variant is for the value that a parameter has. */
const isMet = ({ properties = {} }: Schema, input: Input): boolean =>
	Object.entries(properties).some(([name, { enum: values = [] }]) => values.includes(input[name]));

function violationsOf(schema: Schema, value: unknown, at: string): Errors {
	const type = TYPES[schema.type!];
	if (type && !type.isFine(value)) return [[at, type.text]];
	if (schema.enum && !schema.enum.map(String).includes(String(value)))
		return [[at, 'Выбранное значение для :attribute ошибочно.']];
	if (Number(value) < schema.minimum!)
		return [[at, `Значение поля :attribute должно быть не меньше ${schema.minimum}.`]];
	if (Number(value) > schema.maximum!)
		return [[at, `Значение поля :attribute не может быть больше ${schema.maximum}.`]];
	if (isObject(value)) return violations(schema, value, at);
	if (!Array.isArray(value)) return [];
	const elements = { additionalProperties: schema.items, required: Object.keys(value) };
	return violations(elements, { ...value } as Input, at);
}

// Strings of digits pass, because everything in a query is a string. The contract checks whether JSON contains real integers,
// not the framework. PHP has one type for arrays and objects, so their text is the same.
const TYPES: Record<string, Rule> = {
	integer: {
		text: 'Поле :attribute должно быть целым числом.',
		isFine: (value) => Number.isInteger(value) || /^-?\d+$/.test(textOf(value)),
	},
	number: { text: 'Поле :attribute должно быть числом.', isFine: isNumeric },
	string: { text: 'Поле :attribute должно быть строкой.', isFine: (value) => typeof value === 'string' },
	boolean: {
		text: 'Поле :attribute должно иметь значение логического типа.',
		isFine: (value) => [true, false, 0, 1, '0', '1'].includes(value as never),
	},
	array: { text: 'Поле :attribute должно быть массивом.', isFine: Array.isArray },
	object: { text: 'Поле :attribute должно быть массивом.', isFine: isObject },
};

/** What `boolean` accepts as true. */
export const isTrue = (value: unknown): boolean => [true, 1, '1'].includes(value as never);

export const isMissing = (value: unknown): value is null | undefined => value === null || value === undefined;

/** PHP's is_numeric(): numbers, and texts that are one. */
export function isNumeric(value: unknown): boolean {
	return typeof value === 'number' || /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(textOf(value));
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Also an array without elements; in PHP, an object without properties is one too. */
function isEmpty(value: unknown): boolean {
	return isMissing(value) || (typeof value === 'object' && Object.keys(value as object).length === 0);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

const readable = (name: string) => name.replaceAll('_', ' ');
