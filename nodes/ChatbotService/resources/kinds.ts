import type { IDataObject } from 'n8n-workflow';

import { asSeen, cleaned, isEmpty, isRounded, numberIn, withoutZeroDecimals } from '../client/values';
import { contactMessengers, fieldTypes, messengers, nameOf, type Choice } from './choices';
import { meant, problem, type Checked, type Kind, type Origin } from './kind';
import { isWhatsAppId, phoneNumberIn } from './phone';

/*
 * Valid values of parameters. Because expressions can return anything, each kind accepts the forms that users' data contains, for
 * example an ID as text, and converts them to the type that is sent. What nobody means to send, in any field, is in kind.ts. A value
 * that is read or refused by mistake becomes a line of a table in test/pasted/.
 */

const wholeNumber = (advice: string): Kind =>
	meant((value, label) => {
		const digits = typeof value === 'string' ? withoutZeroDecimals(cleaned(value)) : '';
		const number = /^\d+$/.test(digits) ? Number(digits) : value;
		return Number.isSafeInteger(number) && (number as number) > 0
			? { value: number as number }
			: problem(`'${label}' must be a whole number`, advice, value);
	});

export const contactId = wholeNumber(
	'Enter the numeric ID, for example 1048576, not a name or phone number.',
);

export const botId = wholeNumber('Enter the numeric ID, for example 2048, not the name of the bot.');

export const variableId = wholeNumber('Enter the numeric ID, for example 301, not the name of the variable.');

export const limit = wholeNumber("Enter 1 or more, or switch 'Return All' on.");

/** Replaces lone surrogates, such as half an emoji at the end of a truncated text, because no URL can carry them. */
const wellFormed = (value: string) =>
	value.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd');

const asText: Kind = (value, label) => {
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

const mapped = (checked: Checked, change: (text: string) => string): Checked =>
	'value' in checked ? { value: change(checked.value as string) } : checked;

const trimmed =
	(kind: Kind): Kind =>
	(...given) =>
		mapped(kind(...given), (value) => value.trim());

export const text: Kind = meant(asText);

export const trimmedText: Kind = trimmed(text);

const asTrimmed = trimmed(asText);

/** A name of something in the service. A name that was picked from a list stays as the service has it. */
export const name: Kind = (value, label, origin) => {
	const checked = text(value, label, origin);
	return origin?.isPicked ? checked : mapped(checked, asSeen);
};

export const trimmedName: Kind = trimmed(name);

/** An ID that digits may write, as spreadsheets do too. */
export const identifier: Kind = (...given) =>
	mapped(trimmedName(...given), (id) => withoutZeroDecimals(cleaned(id)));

/** Several names: a list, or a text with commas or line breaks between them. */
export const names: Kind = (value, label) => {
	const whole = typeof value === 'string' ? text(value, label) : { value };
	if ('problems' in whole) return whole;
	const parts = typeof value === 'string' ? value.split(/[,\n]/) : [value].flat();
	const checked = parts.filter((part) => !isEmpty(part)).map((part) => trimmedName(part, label));
	const problems = checked.flatMap((each) => ('problems' in each ? each.problems : []));
	if (problems.length) return { problems };
	const found = checked.map((each) => ('value' in each ? (each.value as string) : ''));
	return { value: found.length ? found : undefined };
};

/** A choice by its value or an alias. */
export const oneOf = (choices: Choice[]): Kind => {
	// Only when it is needed, because n8n loads the node whenever it starts.
	let known: Map<string, string> | undefined;
	const valueBy = (name: string) =>
		(known ??= new Map(
			choices.flatMap(({ value, aliases = [] }) => [value, ...aliases].map((each) => [nameOf(each), value])),
		)).get(nameOf(name));
	const values = choices.map(({ value }) => value);
	return meant((value, label) => {
		const chosen = typeof value === 'string' ? valueBy(value) : undefined;
		return chosen
			? { value: chosen }
			: problem(
					`'${label}' must be one of ${values.join(', ')}`,
					`Choose one of them for '${label}', or let its expression return one.`,
					value,
				);
	});
};

/** Some of the choices, as the API takes them: in one text, with commas between them. */
export const someOf = (choices: Choice[]): Kind => {
	const choice = oneOf(choices);
	return (value, label) => {
		const given = names(value, label);
		if ('problems' in given) return given;
		const checked = ((given.value ?? []) as string[]).map((each) => choice(each, label));
		const wrong = checked.find((each) => 'problems' in each);
		const chosen = new Set(checked.map((each) => ('value' in each ? each.value : '')));
		return wrong ?? { value: [...chosen].join() || undefined };
	};
};

/** A kind whose values people write as a text. @param read undefined for a text that is none of them */
const written =
	(
		what: string,
		advice: string,
		read: (text: string, origin: Origin | undefined) => string | number | undefined,
	): Kind =>
	(value, label, origin) => {
		const text = trimmedText(value, label);
		if ('problems' in text && typeof value === 'string') return text;
		const found = 'value' in text ? read(text.value as string, origin) : undefined;
		return found === undefined ? problem(`'${label}' must be ${what}`, advice, value) : { value: found };
	};

/** A date and time, as seconds since 1970. Without a time zone, it is in that of the workflow. */
export const unixTime: Kind = written(
	'a date and time',
	"Choose a date and time, or let its expression return one, as in {{ $now.minus(7, 'days') }}. If your data has a Unix time, use {{ DateTime.fromSeconds($json.time) }}.",
	(date, origin) => {
		// A number can be seconds, milliseconds, a year or a day of a spreadsheet.
		const time = Number.isNaN(Number(date)) ? origin?.timeOf?.(date) : undefined;
		return Number.isFinite(time) ? Math.floor(time! / 1000) : undefined;
	},
);

/** A time of day, with 24 hours. */
export const timeOfDay: Kind = written(
	'a time of day',
	'Enter hours and minutes from 00:00 (midnight) to 23:59, such as 21:00.',
	(time) => {
		// Spreadsheets add seconds.
		const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)(?::00)?$/.exec(time) ?? [];
		return hours && `${hours.padStart(2, '0')}:${minutes}`;
	},
);

/** A URL from which the service downloads a file. */
export const address: Kind = meant((value, label) => {
	const written = typeof value === 'string' ? value.trim() : '';
	const refuse = (why: string, advice: string) => problem(`'${label}' ${why}`, advice, value);
	// `URL` removes line breaks and tabs, as browsers do.
	if (severalAddresses.test(written) || /[\t\r\n]/.test(written))
		return refuse('must be one URL, without line breaks or tabs', `Enter only one URL for '${label}'.`);
	const url = asItTravels(written);
	if (url === undefined)
		return refuse(
			'must be a complete URL',
			`Enter a URL for '${label}' that starts with https:// or http:// and that anyone can open, such as https://example.com/image.png.`,
		);
	if (isPublic(new URL(url).hostname)) return { value: url };
	return refuse(
		'is a URL that only your own network can open',
		'The service downloads it over the internet. Enter a URL that anyone can open, such as https://example.com/image.png.',
	);
});

const severalAddresses = /\s(?:https?:)?\/\//i;

/** Keeps a URL as it is written. Encodes only what a URL cannot carry: blanks, Cyrillic letters, lone percent signs. */
function asItTravels(written: string): string | undefined {
	const address = wellFormed(written).replace(/%(?![0-9a-f]{2})/gi, '%25');
	if (!/^https?:\/\/[^\s]/i.test(address) || !URL.canParse(address)) return undefined;
	return /^[!-~]+$/.test(address) ? address : new URL(address).href;
}

/** Names that only a local network knows. A name without a dot is one of them. */
const localName = /^[^.:]*$|(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/;

const ipV4 = /^\d+(?:\.\d+){3}$/;

/** IPv4 addresses of this machine and of private networks. */
const privateIpV4 =
	/^(?:0|10|127)\.|^192\.168\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\./;

/** Whether everybody on the internet can reach a host, as far as its name says. @param hostname as `URL` returns it */
function isPublic(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.$/, '');
	return ipV4.test(host) ? !privateIpV4.test(host) : !localName.test(host);
}

export const phone: Kind = (value, label) => {
	const checked = text(value, label);
	if (!('value' in checked)) return checked;
	const number = phoneNumberIn(checked.value as string);
	return number ? { value: number } : noPhone(value, label, `Enter '${label}' with the country code`);
};

/** A phone number, or a person's ID in a messenger. Digits alone may be either, so they are sent as they are. */
export const phoneOrId: Kind = (value, label) => {
	const checked = trimmedName(value, label);
	if (!('value' in checked)) return checked;
	const id = withoutZeroDecimals(cleaned(checked.value as string));
	if (/^-?\d+$/.test(id)) return { value: id };
	if (!/^[\d\s().,+-]+$|^tel:/i.test(id) && !isShortened(id) && !isWhatsAppId(id)) return checked;
	const number = phoneNumberIn(id);
	return number
		? { value: number }
		: noPhone(
				value,
				label,
				`Enter the ID that the person has in the messenger, or the phone number with the country code`,
			);
};

/** A number as spreadsheets shorten it, such as 7.91612E+10. */
const isShortened = (text: string) => /^\D*\d+(?:[.,]\d+e\+?|e\+)\d+\W*$/i.test(text);

function noPhone(value: unknown, label: string, advice: string): Checked {
	const shortened = isShortened(String(value))
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
export const logical: Kind = meant((value, label) => {
	const known = words.get(typeof value === 'string' ? cleaned(value).toLowerCase() : value);
	return known === undefined
		? problem(`'${label}' must be true or false`, `Enter true or false for '${label}'.`, value)
		: { value: known };
});

export const zeroOrOne: Kind = (value, label) => {
	const checked = logical(value, label);
	return 'value' in checked ? { value: checked.value ? 1 : 0 } : checked;
};

/** A number, as people and programs write it. */
export const decimal: Kind = meant((value, label) => {
	const written = typeof value === 'string' ? cleaned(value).replace(/(?<=\d) (?=\d{3}(?!\d))/g, '') : value;
	// As a number, it would lose digits.
	if (typeof written === 'string' && /^-?\d+$/.test(written) && isRounded(Number(written)))
		return { value: written };
	const number = mayBeThousands.test(String(written)) ? undefined : numberIn(written);
	return number === undefined
		? problem(
				`'${label}' must be a number`,
				'Enter only digits, with a decimal point if the number has decimals, such as 1990.5. A comma before three digits can mean thousands or decimals.',
				value,
			)
		: { value: number };
});

const mayBeThousands = /^[+-]?[1-9]\d{0,2},\d{3}$/;

/** A text, number or boolean, as it is. */
export const plainValue: Kind = meant((value, label) =>
	typeof value === 'boolean' || Number.isFinite(value)
		? { value: value as number | boolean }
		: asTrimmed(value, label),
);

/** A value that only the service can check. */
export const anyValue: Kind = (value, label) =>
	typeof value === 'object' && !('toJSON' in value!)
		? { value: value as IDataObject }
		: plainValue(value, label);

export const messenger: Kind = oneOf(messengers);

export const contactMessenger: Kind = oneOf(contactMessengers);

export const fieldType: Kind = oneOf(fieldTypes);
