import type { Problem } from '../client/failure/failure';
import { quote } from '../shared/quote';
import { problem, type Kind } from './kind';
import { trimmedText } from './texts';

/* Dates and times as people and programs write them. How n8n reads a date: `timeOf` in run/context.ts. */

export function isTimeZone(name: string): boolean {
	try {
		return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
	} catch {
		return false;
	}
}

/** No time of the workflow can be told. @param label of the field that needs one */
export const noTimeZone = (label: string, timezone: string): Problem => ({
	message: `'${label}' needs a valid time zone of the workflow`,
	advice: `${quote(timezone)} is not a time zone: set the workflow's Timezone (Settings), or GENERIC_TIMEZONE, to a name such as Europe/Moscow, without quotation marks or blanks.`,
});

/** A year first, as spreadsheets and databases write it: with one-digit months, days and hours, or other signs than hyphens. */
const yearFirst = /^(\d{4})([-./])(\d{1,2})\2(\d{1,2})(?!\d)(?:([T ]) *(\d{1,2})(?=:))?/;

const inIso = (date: string) =>
	date.replace(yearFirst, (...[, year, , month, day, between = '', hour]) =>
		[year, '-', month, '-', day, between, hour ?? '']
			.map((part: string) => part.replace(/^\d$/, '0$&'))
			.join(''),
	);

/** The day after a day such as 2026-11-30. */
const dayAfter = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

/**
 * A date and time. Without a time zone, it is in that of the workflow.
 *
 * @param example of an expression that returns one
 * @param options.unit of the value since 1970, in milliseconds
 * @param options.wholeDay whether a day without a time means its last second
 */
export const dateAndTime =
	(example: string, { unit = 1, wholeDay = false } = {}): Kind =>
	(value, label, { timeOf = () => NaN, timezone = 'utc', ...circumstances } = {}) => {
		const text = trimmedText(value, label, circumstances);
		const date = 'value' in text ? inIso(text.value as string) : '';
		// A number can be seconds, milliseconds, a year or a day of a spreadsheet.
		let time = Number.isNaN(Number(date)) ? timeOf(date) : NaN;
		if (value instanceof Date) time = value.getTime();
		if (wholeDay && time && /^\d{4}-\d\d-\d\d$/.test(date)) time = timeOf(dayAfter(date)) - 1000;
		if (Number.isFinite(time)) return { value: Math.floor(time / unit) };
		if (!isTimeZone(timezone)) return { problems: [noTimeZone(label, timezone)] };
		return problem(
			`'${label}' must be a date and time`,
			`Choose a date and time, or let its expression return one, as in {{ ${example} }}. Write a date as 2026-11-25, or name its format, as in {{ DateTime.fromFormat($json.date, 'dd.MM.yyyy') }}. If your data has a Unix time, use {{ DateTime.fromSeconds($json.time) }}.`,
			value,
		);
	};

const lately = "$now.minus(7, 'days')";

/** A date and time in seconds, as the service expects it. */
export const unixTime = dateAndTime(lately, { unit: 1000 });

/** The same as the end of a period. */
export const endUnixTime = dateAndTime(lately, { unit: 1000, wholeDay: true });

/** A time of day, with 24 hours. */
export const timeOfDay: Kind = (value, label, circumstances) => {
	const text = trimmedText(value, label, circumstances);
	// Spreadsheets add seconds.
	const time = /^([01]?\d|2[0-3]):([0-5]\d)(?::00)?$/.exec(String('value' in text && text.value));
	const advice = 'Enter hours and minutes from 00:00 (midnight) to 23:59, such as 21:00.';
	return time
		? { value: `${time[1]!.padStart(2, '0')}:${time[2]}` }
		: problem(`'${label}' must be a time of day`, advice, value);
};
