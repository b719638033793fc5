import { createHash } from 'crypto';

/* Which values are empty, which are equal, and what a value is without the characters that people, spreadsheets and messengers add to it. */

/** Whether a value is empty for the service, which trims texts and treats null as nothing, or for a person who sees it. */
export const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && !visible.test(value));

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

/** A whole number of which JavaScript does not know all digits: n8n has read other digits than these. */
export const isRounded = (value: unknown): boolean => Number.isInteger(value) && !Number.isSafeInteger(value);

const invisible = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g;

/** Any other character but a blank. */
const visible = new RegExp(`(?!\\s|${invisible.source})[^]`);

/** Emoji, and letters of scripts that need joiners between them: neither Latin nor Cyrillic letters, nor signs. */
const joinable = '[^\\0-\\u024f\\u0400-\\u052f\\u2000-\\u206f\\ufeff]';
const invisibleInName = new RegExp(
	`(?!(?<=${joinable})[\\u200c\\u200d](?=${joinable}))${invisible.source}`,
	'g',
);

const blanks = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const dashes = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
const quotes = /^=?["'`´‘’“”«]+|["'`´‘’“”»]+$/g;

/**
 * Returns a short value, such as a number or a choice, without what spreadsheets, web pages and messengers add: invisible
 * characters, typographic dashes and spaces, quotation marks, and the apostrophe that marks a text in a cell.
 */
export const cleaned = (text: string): string =>
	text.replace(invisible, '').replace(dashes, '-').replace(/\s+/g, ' ').trim().replace(quotes, '').trim();

/**
 * Returns a name as a person sees it: without invisible characters, with ordinary blanks, and with each letter as one character.
 * Joiners within an emoji stay.
 */
export const asSeen = (name: string): string =>
	name.replace(invisibleInName, '').replace(blanks, ' ').normalize('NFC');

/** Returns a text in which a key can stand: as a person sees it, with single blanks within it. */
export const asKey = (text: string): string => asSeen(text).trim().replace(/\s+/g, ' ');

/** How people compare texts: without case, invisible characters, and blanks that nobody sees. Phones add U+FE0F to some emoji. */
export const spelling = (text: unknown): string =>
	asKey(String(text ?? ''))
		.replaceAll('\ufe0f', '')
		.toLowerCase();

/** Spreadsheets may store a whole number as a decimal. Three zeros are kept, because 12.000 may mean twelve thousand. */
export const withoutZeroDecimals = (text: string): string =>
	text.replace(/^(\+?\d+)[.,](?:0{1,2}|0{4,})$/, '$1');

/** A number, or a text with a number and a decimal point or comma; undefined for anything else. */
export function numberIn(value: unknown): number | undefined {
	const written = typeof value === 'string' ? cleaned(value).replace(',', '.') : value;
	const number = typeof written === 'string' && /^[+-]?\d*\.?\d+$/.test(written) ? Number(written) : written;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** A list that contains only one simple value means this value, and an empty list means nothing. */
export function singleValue(value: unknown): unknown {
	if (!Array.isArray(value) || value.length > 1) return value;
	const [only] = value as unknown[];
	return typeof only === 'object' && only !== null ? value : only;
}

/** Whether n8n evaluates a value as it stands in the workflow. */
export const isExpression = (value: unknown): value is string =>
	typeof value === 'string' && value.startsWith('=');

/**
 * Returns a short text that is equal for equal values and does not reveal them.
 *
 * @param value any JSON value
 * @param length in characters, each of which distinguishes 64 values
 */
export const digestOf = (value: unknown, length = 32): string =>
	createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, length);
