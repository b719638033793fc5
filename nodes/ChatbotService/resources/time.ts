import type { Problem } from '../client/failure/failure';
import { quote } from '../shared/quote';
import { problem, type Kind } from './kind';
import { trimmedText } from './texts';

/* Dates and times as people and programs write them. How n8n reads a date: `timeOf` in run/context.ts. */

/** Kept, because creating one takes as long as a hundred readings. */
const namedClocks = new Map<string, Intl.DateTimeFormat>();

function namedClock(zone: string): Intl.DateTimeFormat | undefined {
	try {
		const clock =
			namedClocks.get(zone) ?? new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'short' });
		namedClocks.set(zone, clock);
		return clock;
	} catch {
		return undefined;
	}
}

/** Whether n8n knows a time zone by this name. Newer versions of Node.js take any distance such as +23:00, too. */
export const isTimeZone = (name: string) => /^[a-z]/i.test(name) && namedClock(name) !== undefined;

/** Hours from UTC, such as +10, UTC+10, GMT-3:30 and +0530; from Moscow, such as МСК+7. Look-alike letters count as the same. */
const distance =
	/^(?:UTC|GMT|([МM][СCS][КK]))?\s*(?:([-+−–])\s*(\d\d?)(?::([0-5]\d)|(?<=\d\d)([0-5]\d))?)?$/iu;

/** Minutes from UTC to a time zone that is no name; undefined for a name, or if no clock is so far away. */
function minutesFromUtc(zone: string): number | undefined {
	const [found, moscow, sign, hours = '0', minutes, joined = '0'] = distance.exec(zone) ?? [];
	if (!found) return undefined;
	const size = Number(hours) * 60 + Number(minutes ?? joined);
	// Moscow has no summer time. Clocks are at most 12 hours west of UTC, and 14 east.
	const total = (moscow ? 180 : 0) + (sign === '+' ? size : -size);
	return total < -720 || total > 840 ? undefined : total;
}

/** What the clocks of a time zone show, such as 09:05. @param time in milliseconds since 1970 */
export function timeOfDayIn(zone: string, time: number): string {
	const minutes = minutesFromUtc(zone);
	return minutes === undefined
		? namedClock(zone)!.format(time)
		: new Date(time + minutes * 60_000).toISOString().slice(11, 16);
}

/** No time of the workflow can be told. @param label of the field that needs one */
export const noTimeZone = (label: string, timezone: string): Problem => ({
	message: `'${label}' needs a valid time zone of the workflow`,
	advice: `${quote(timezone)} is not a time zone: set the workflow's Timezone (Settings), or GENERIC_TIMEZONE, to a name such as Europe/Moscow, without quotation marks or spaces.`,
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

/** A time zone, by its name or by its hours from UTC or Moscow. */
export const timeZone: Kind = (value, label, circumstances) => {
	const text = trimmedText(value, label, circumstances);
	const zone = 'value' in text ? String(text.value) : '';
	return minutesFromUtc(zone) !== undefined || isTimeZone(zone)
		? { value: zone }
		: problem(
				`'${label}' must be a time zone`,
				'Enter a name such as Asia/Vladivostok, the hours from UTC with a sign such as +10, or those from Moscow such as MSK+7. If a spreadsheet has dropped the plus, let the expression write it, as in UTC+{{ $json.zone }}.',
				value,
			);
};
