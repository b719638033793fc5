/** Validation like the framework's: rules per parameter, all violations collected, Russian texts. */

import { Refusal } from './refusal';

/** The parameters of a request, query and body merged. */
export type Input = Record<string, unknown>;

/** Returns the problem of a value, or nothing. Runs only for existing values, unless it is `implicit`. */
export interface Rule {
	check(value: unknown, input: Input): string | undefined;
	/** Runs for missing values too. */
	implicit?: boolean;
}

/** The framework's TrimStrings and ConvertEmptyStringsToNull: applied to every parameter before anything else. */
export function normalize(value: unknown): unknown {
	if (typeof value === 'string') return value.trim() === '' ? null : value.trim();
	if (Array.isArray(value)) return value.map(normalize);
	if (isObject(value))
		return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, normalize(inner)]));
	return value;
}

/**
 * Throws a 422 refusal `{ message, errors: { parameter: [text, …] } }` when a rule is violated.
 * @param rules by parameter name; `:attribute` in their texts becomes the name, underscores as spaces
 */
export function validate(input: Input, rules: Record<string, Rule[]>): void {
	const errors: Record<string, string[]> = {};
	for (const [name, list] of Object.entries(rules)) {
		const value = input[name];
		for (const rule of list) {
			if (isMissing(value) && !rule.implicit) continue;
			const text = rule.check(value, input);
			if (text !== undefined) (errors[name] ??= []).push(text.replace(':attribute', readable(name)));
		}
	}
	if (Object.keys(errors).length > 0) throw invalid(errors);
}

/** The 422 refusal itself, for violations found outside the rules. */
export function invalid(errors: Record<string, string[]>): Refusal {
	return new Refusal(422, { message: 'The given data was invalid.', errors });
}

export const required: Rule = {
	implicit: true,
	check: (value) =>
		isMissing(value) || isEmptyArray(value) ? 'Поле :attribute обязательно для заполнения.' : undefined,
};

/** Required when all of the others are missing. */
export function requiredWithout(...others: string[]): Rule {
	const names = others.map(readable).join(' / ');
	const missing = others.length > 1 ? `ни одно из ${names}` : names;
	return {
		implicit: true,
		check: (value, input) =>
			isMissing(value) && others.every((other) => isMissing(input[other]))
				? `Поле :attribute обязательно для заполнения, когда ${missing} не указано.`
				: undefined,
	};
}

/** Required when another parameter has this value. */
export function requiredIf(other: string, value: string): Rule {
	return {
		implicit: true,
		check: (own, input) =>
			isMissing(own) && input[other] === value
				? `Поле :attribute обязательно для заполнения, когда ${readable(other)} равно ${value}.`
				: undefined,
	};
}

function rule(text: string, isFine: (value: unknown) => boolean): Rule {
	return { check: (value) => (isFine(value) ? undefined : text) };
}

// Strings of digits pass, because everything in a query is a string. The contract checks whether JSON contains real integers,
// not the framework.
export const integer = rule(
	'Поле :attribute должно быть целым числом.',
	(value) => Number.isInteger(value) || (typeof value === 'string' && /^-?\d+$/.test(value)),
);

export const string = rule('Поле :attribute должно быть строкой.', (value) => typeof value === 'string');

export const boolean = rule('Поле :attribute должно иметь значение логического типа.', (value) =>
	[true, false, 0, 1, '0', '1'].includes(value as never),
);

/** What `boolean` accepts as true. */
export function isTrue(value: unknown): boolean {
	return [true, 1, '1'].includes(value as never);
}

export const number = rule('Поле :attribute должно быть числом.', isNumeric);

export const url = rule(
	'Поле :attribute имеет ошибочный формат URL.',
	(value) => typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value),
);

export const phone = rule(
	'Поле :attribute имеет ошибочный формат.',
	(value) => String(value).replace(/\D/g, '').length >= 10,
);

export const array = rule('Поле :attribute должно быть массивом.', Array.isArray);

// PHP has one type for arrays and objects, so the text is the same.
export const object = rule('Поле :attribute должно быть массивом.', isObject);

export function min(least: number): Rule {
	return rule(
		`Значение поля :attribute должно быть не меньше ${least}.`,
		(value) => Number.isNaN(Number(value)) || Number(value) >= least,
	);
}

export function max(most: number): Rule {
	return rule(
		`Значение поля :attribute не может быть больше ${most}.`,
		(value) => Number.isNaN(Number(value)) || Number(value) <= most,
	);
}

export function oneOf(...values: Array<string | number>): Rule {
	return rule('Выбранное значение для :attribute ошибочно.', (value) =>
		values.map(String).includes(String(value)),
	);
}

/** The framework's `exists`: the value must name a record. */
export function exists(records: Map<number, unknown>): Rule {
	return rule('Выбранное значение для :attribute некорректно.', (value) => records.has(Number(value)));
}

export function isMissing(value: unknown): value is null | undefined {
	return value === null || value === undefined;
}

/** PHP's is_numeric(): numbers, and texts that are one. */
export function isNumeric(value: unknown): boolean {
	return (
		typeof value === 'number' ||
		(typeof value === 'string' && /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(value))
	);
}

export function isObject(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** In PHP, an object without properties is an empty array too. */
function isEmptyArray(value: unknown): boolean {
	return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function readable(name: string) {
	return name.replaceAll('_', ' ');
}
