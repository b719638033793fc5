/** Whether a value is empty for the service, which trims texts and treats null as nothing. */
export const isEmpty = (value: unknown): boolean =>
	value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

export const isObject = (value: unknown): value is Record<string, unknown> =>
	typeof value === 'object' && value !== null && !Array.isArray(value);

const invisible = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const dashes = /[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]/g;
const quotes = /^=?["'`´‘’“”«]+|["'`´‘’“”»]+$/g;

/**
 * Returns a short value, such as a number or a choice, without what spreadsheets, web pages and messengers add: invisible
 * characters, typographic dashes and spaces, quotation marks, and the apostrophe that marks a text in a cell.
 */
export const cleaned = (text: string): string =>
	text.replace(invisible, '').replace(dashes, '-').replace(/\s+/g, ' ').trim().replace(quotes, '').trim();

/** Spreadsheets may store a whole number as a decimal. Three zeros are kept, because 12.000 may mean twelve thousand. */
export const withoutZeroDecimals = (text: string): string =>
	text.replace(/^(\+?\d+)[.,](?:0{1,2}|0{4,})$/, '$1');

/** A number, or a text with a number and a decimal point or comma; undefined for anything else. */
export function numberIn(value: unknown): number | undefined {
	const written = typeof value === 'string' ? cleaned(value).replace(',', '.') : value;
	const number = typeof written === 'string' && /^[+-]?\d*\.?\d+$/.test(written) ? Number(written) : written;
	return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
