import type { IDataObject } from 'n8n-workflow';

import { quote } from '../shared/quote';
import { cleaned, isEmpty, isRounded, numberIn, singleValue, withoutZeroDecimals } from '../shared/values';
import { contactMessengers, type Choice } from './choices';
import {
	checkAs,
	problem,
	takingLists,
	whyMisread,
	type Checked,
	type Circumstances,
	type Kind,
} from './kind';
import { trimmedText, wellFormed } from './texts';

export { identifier, key, name, names, text, trimmedName, trimmedText, wholeNames } from './texts';
export {
	emailAddress,
	messengerId,
	messengerIdOrUsername,
	phone,
	phoneOrId,
	phoneOrOtherId,
	username,
} from './people';
export { dateAndTime, endUnixTime, timeOfDay, timeZone, unixTime } from './time';

/*
 * Valid values of parameters. Because expressions can return anything, each kind accepts the forms that users' data contains, for
 * example an ID as text, and converts them to the type that is sent. Texts and names are in texts.ts, addresses of people in people.ts,
 * dates in time.ts, and what nobody means to send, in any field, in kind.ts. A value that is read or refused by mistake becomes a line
 * of a table in test/pasted/.
 */

/** A whole number from 1. @param most the greatest one, if there is one */
export const wholeNumber =
	(advice: string, most?: number): Kind =>
	(value, label) => {
		const digits = typeof value === 'string' ? withoutZeroDecimals(cleaned(value)) : '';
		const number = /^\d+$/.test(digits) ? Number(digits) : (value as number);
		return Number.isSafeInteger(number) && number > 0 && number <= (most ?? number)
			? { value: number }
			: problem(`'${label}' must be a whole number${most ? ` from 1 to ${most}` : ''}`, advice, value);
	};

export const contactId = wholeNumber(
	'Enter the numeric ID, for example 1048576, not a name or phone number.',
);

/** The name of a choice as people compare it. */
const nameOf = (text: string) =>
	cleaned(text)
		.toLowerCase()
		.replace(/[\s_-]/g, '');

export const oneOf = (choices: Choice[]): Kind => {
	// Only when it is needed, because n8n loads the node whenever it starts.
	let known: Map<string, string> | undefined;
	const valueBy = (name: string) =>
		(known ??= new Map(
			choices.flatMap(({ value, aliases = [] }) => [value, ...aliases].map((each) => [nameOf(each), value])),
		)).get(nameOf(name));
	const values = choices.map(({ value }) => value);
	return (value, label) => {
		const chosen = typeof value === 'string' ? valueBy(value) : undefined;
		return chosen
			? { value: chosen }
			: problem(
					`'${label}' must be one of ${values.join(', ')}`,
					`Choose one of them for '${label}', or let its expression return one.`,
					value,
				);
	};
};

/** A URL from which the service downloads a file. */
export const address: Kind = (value, label) => {
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
};

const severalAddresses = /\s(?:https?:)?\/\//i;

/** Keeps a URL as it is written. Encodes only what a URL cannot carry: blanks, Cyrillic letters, lone percent signs. */
function asItTravels(written: string): string | undefined {
	const address = wellFormed(written).replace(/%(?![0-9a-f]{2})/gi, '%25');
	if (!/^https?:\/\/[^\s]/i.test(address) || !URL.canParse(address)) return undefined;
	return /^[!-~]+$/.test(address) ? address : new URL(address).href;
}

/** Names that only a local network knows. A name without a dot is one of them. */
const localName = /^[^.:]*$|(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|home\.arpa)$/;

/** IP addresses of this machine and of private networks. `URL` writes those of IPv6 in brackets, an IPv4 address in them in hex. */
const privateIp =
	/^(?:0|10|127)\.|^192\.168\.|^169\.254\.|^172\.(?:1[6-9]|2\d|3[01])\.|^100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^\[(?:::|f[cd]|fe[89ab])/;

const ip = /^\[|^\d+(?:\.\d+){3}$/;

/** Whether everybody on the internet can reach a host, as far as its name says. @param hostname as `URL` returns it */
function isPublic(hostname: string): boolean {
	const host = hostname.toLowerCase().replace(/\.$/, '');
	return ip.test(host) ? !privateIp.test(host) : !localName.test(host);
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

/** A number, as people and programs write it. */
export const decimal: Kind = (value, label) => {
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
};

const mayBeThousands = /^[+-]?[1-9]\d{0,2},\d{3}$/;

/** A text, number or boolean, as it is. */
export const plainValue: Kind = (value, label) =>
	typeof value === 'boolean' || Number.isFinite(value)
		? { value: value as number | boolean }
		: trimmedText(value, label);

const isStructure = (value: unknown): value is object =>
	typeof value === 'object' && value !== null && !('toJSON' in value);

/** What nobody means within an object or a list; undefined if there is nothing of it. */
function whyNotWithin(value: object, label: string, circumstances?: Circumstances): Checked | undefined {
	for (const [name, each] of Object.entries(value)) {
		if (isEmpty(each)) continue;
		const at = `${label}.${name}`;
		const checked = isStructure(each)
			? whyNotWithin(each, at, circumstances)
			: checkAs(plainValue, each, at, circumstances);
		if (checked && 'problems' in checked) return checked;
	}
	return undefined;
}

/** A value that only the service can check, such as an object. */
export const anyValue = takingLists((value, label, circumstances) =>
	isStructure(value)
		? // Names can be misread too. Throws for what JSON cannot carry.
			(whyNotWithin(value, label, circumstances) ??
			whyMisread(JSON.stringify(value), label) ?? { value: value as IDataObject })
		: checkAs(plainValue, value, label, circumstances),
);

const knownMessenger = oneOf(contactMessengers);

/** How people write WhatsApp, in a text of small letters. */
export const likeWhatsApp = /wh?ats|vats?ap|waba|^wa(?![a-z])|в[ао]т?[сц]+ап/i;

/** The messenger of a contact, which only sets the pace: one that the node does not know stays as it is, unless it is like WhatsApp. */
export const contactMessenger = takingLists((value, label, circumstances) => {
	const given = singleValue(value);
	if (isEmpty(given)) return { value: undefined };
	const known = checkAs(knownMessenger, given, label, circumstances);
	const text = checkAs(trimmedText, given, label, circumstances);
	if ('value' in known || ('problems' in text && typeof given === 'string')) return known;
	const name = 'value' in text ? String(text.value) : quote(given).slice(1, -1);
	return { value: likeWhatsApp.test(name) ? 'whatsapp' : name };
});
