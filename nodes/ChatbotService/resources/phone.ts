import { cleaned, withoutZeroDecimals } from '../client/values';

/*
 * Phone numbers as spreadsheets, address books and people write them. One person has one spelling, so that the service and
 * 'Send Once Per' recognise them: a plus and digits where the country code is certain. It is certain
 *
 * - behind a plus, and behind 00, the international prefix;
 * - in 11 digits that begin with 7 and an area code of Russia or Kazakhstan, which people often write without the plus;
 * - in 11 digits that begin with 8, the trunk prefix of both, where nothing else could be meant: 83, 87 and 89 begin no country's
 *   code, and an 8 apart from the next digits is no part of one. 84951234567 may be in Vietnam, 8 (029) 123-45-67 is in Belarus.
 *
 * Everything else travels as it is written: a guessed country code would reach somebody else.
 */

/** The one spelling of a phone number; undefined where the text is none. */
export function phoneNumberIn(text: string): string | undefined {
	const written = withoutZeroDecimals(
		cleaned(text.replace(/^\W*tel:(?:\/\/)?/i, '')).replace(/[\s.,;]+$/, ''),
	)
		// The trunk prefix that is left out after a country code.
		.replace(/^(\+\d{1,3}\s*)\(0\)/, '$1');
	const digits = written.replace(/\D/g, '');
	if (!isWrittenAsPhone.test(written) || digits.length < 7 || digits.length > 15) return undefined;
	if (isDate.test(written) || isDecimal.test(written)) return undefined;
	if (/^\(?\+/.test(written)) return digits.startsWith('0') ? undefined : `+${digits}`;
	const number = inRussia(written, digits) ?? afterPrefix(digits);
	// Without a country code, points are as likely those of an amount, a version or an address on the internet.
	if (written.includes('.') && (!number || isAddress.test(written))) return undefined;
	return number ?? written;
}

/** Digits in groups; points only between groups of two digits and more. */
const isWrittenAsPhone = /^\(?\+?[\s(]*\d(?:[\d\s()-]|\.(?=\d\d))*$/;

const day = '(?:0?[1-9]|[12]\\d|3[01])';
const year = '(?:19|20)\\d\\d';
const isDate = new RegExp(`^(?:${year}([.-])${day}\\1${day}|${day}([.-])${day}\\2${year})(?!\\d)`);

/** No country's code has four digits. */
const isDecimal = /^(?:\d+|\+\d{4,})\.\d+$/;

/** Of the internet. */
const isAddress = /^\d{1,3}(?:\.\d{1,3}){3}$/;

function inRussia(written: string, digits: string): string | undefined {
	if (/^7[346-9]\d{9}$/.test(digits)) return `+${digits}`;
	const isApart = /^\(?8[\s().-]/.test(written);
	const hasTrunkPrefix = isApart ? /^8[346-9]\d{9}$/ : /^8[379]\d{9}$/;
	return hasTrunkPrefix.test(digits) ? `+7${digits.slice(1)}` : undefined;
}

const afterPrefix = (digits: string): string | undefined =>
	/^00[1-9]\d{8,}$/.test(digits) ? `+${digits.slice(2)}` : undefined;
