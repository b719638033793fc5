import { cleaned, withoutZeroDecimals } from '../shared/values';

/*
 * Phone numbers as spreadsheets, address books and people write them. Each number gets one spelling, so that the service and
 * 'Send Once Per' recognize it: a plus and digits if the country code is certain. It is certain
 *
 * - after a plus, and after the international prefix 00;
 * - in an ID of WhatsApp, such as 79161234567@c.us, as programs for WhatsApp give it;
 * - in 11 digits that begin with 7, or with 8, their trunk prefix, and an area code of Russia or Kazakhstan: people there write their
 *   numbers without the plus. So 84951234567 is in Moscow, and in Vietnam only with a plus.
 *
 * Any other number is sent as it is written, such as 8 (029) 123-45-67 in Belarus and 85212345678 in Hong Kong: a guessed country code
 * would reach another person.
 */

/** @returns the digits of a number, with 7 for the trunk prefix 8. Numbers with the same digits are the same person. */
export function digitsOf(number: string): string {
	const digits = number.replace(/\D/g, '');
	return number.includes('+') ? digits : digits.replace(/^8(?=[346-9]\d{9}$)/, '7');
}

/** Returns the number in one spelling; undefined if the text is not a phone number. */
export function phoneNumberIn(text: string): string | undefined {
	const written = withoutZeroDecimals(
		cleaned(text.replace(/^\W*tel:(?:\/\/)?/i, ''))
			.replace(whatsAppId, '+$1')
			.replace(/[\s.,;]+$/, ''),
	)
		// A trunk prefix after the country code, which is not dialed.
		.replace(/(\+\d{1,3}\s*)\(0\)/, '$1');
	const digits = digitsOf(written);
	if (!isWrittenAsPhone.test(written) || digits.length < 7 || digits.length > 15) return undefined;
	if (isDate.test(written) || isDecimal.test(written)) return undefined;
	if (written.includes('+')) return digits.startsWith('0') ? undefined : `+${digits}`;
	const number = isInRussia.test(digits) ? `+${digits}` : afterPrefix(digits);
	// Without a country code, a text with points may be an amount, a version or an IP address.
	if (written.includes('.') && (!number || isAddress.test(written))) return undefined;
	return number ?? written;
}

/** A person's ID in WhatsApp. A device of the person may follow the number. */
const whatsAppId = /^\+?(\d+)(?::\d+)?@(?:c\.us|s\.whatsapp\.net)$/i;

export const isWhatsAppId = (text: string): boolean => whatsAppId.test(text);

/** Digits in groups. Points stand only before two or more digits. */
const isWrittenAsPhone = /^\(?\+?[\s(]*\d(?:[\d\s()-]|\.(?=\d\d))*$/;

const day = '(?:0?[1-9]|[12]\\d|3[01])';
const year = '(?:19|20)\\d\\d';
const isDate = new RegExp(`^(?:${year}([.-])${day}\\1${day}|${day}([.-])${day}\\2${year})(?!\\d)`);

/** No country code has four digits. */
const isDecimal = /^(?:\d+|\+\d{4,})\.\d+$/;

/** An IPv4 address. */
const isAddress = /^\d{1,3}(?:\.\d{1,3}){3}$/;

const isInRussia = /^7[346-9]\d{9}$/;

const afterPrefix = (digits: string): string | undefined =>
	/^00[1-9]\d{8,}/.test(digits) ? `+${digits.slice(2)}` : undefined;
