import { cleaned, withoutZeroDecimals } from '../shared/values';
import { problem, readIn, type Checked, type Kind } from './kind';
import { isWhatsAppId, phoneNumberIn } from './phone';
import { identifier, text, trimmedName } from './texts';

/* By what people are addressed: phone numbers, emails, IDs and usernames in messengers. */

/** A number of Russia without its country code: ten digits, which could be a number of another country too. */
const lacksCountry = (number: string) => /^9\d{9}$/.test(number.replace(/[^+\d]/g, ''));

/** A number as spreadsheets shorten it, such as 7.91612E+10. */
const isShortened = (text: string) => /^\D*\d+(?:[.,]\d+e\+?|e\+)\d+\W*$/i.test(text);

const phoneIn = (found: string, value: unknown, label: string, what = ''): Checked => {
	const number = phoneNumberIn(found);
	if (number && !lacksCountry(number)) return { value: number };
	const shortened = isShortened(found)
		? ' A spreadsheet has shortened the number: format its column as text there.'
		: '';
	const advice = number
		? 'Put +7 before it, or + and the code of the country'
		: `Enter ${what}${what ? 'the phone number' : `'${label}'`} with the country code`;
	return problem(
		`'${label}' is not a valid phone number`,
		`${advice}, such as +79161234567.${shortened}`,
		value,
	);
};

export const phone: Kind = readIn(text, phoneIn);

/** A phone number, or a person's ID in a messenger. Digits alone may be either, so they are sent as they are. */
export const phoneOrId: Kind = readIn(trimmedName, (found, value, label) => {
	const id = withoutPage(withoutZeroDecimals(cleaned(found)));
	if (/^-?\d+$/.test(id)) return { value: id };
	if (!/^[\d\s().,+-]+$|^tel:/i.test(id) && !isShortened(id) && !isWhatsAppId(id)) return { value: found };
	return phoneIn(id, value, label, 'the ID that the person has in the messenger, or ');
});

/** The same for a messenger whose IDs do not look like a number. */
export const phoneOrOtherId: Kind = readIn(phoneOrId, (found, value, label) =>
	lacksCountry(found) ? phoneIn(found, value, label) : { value: found },
);

const email = /^[^\s@,;<>()"]+@[^\s@,;<>()"]+$/;

/** An email address, also with the name or in the link that mail programs and models write. */
export const emailAddress: Kind = readIn(trimmedName, (found, value, label) => {
	// No address is longer.
	const whole = found.length > 500 ? '' : found;
	const inside = /[<(](?:mailto:)?([^<>()]*)[>)]\W*$/i.exec(whole)?.[1] ?? whole;
	const address = cleaned(inside)
		.replace(/^mailto:([^?]*).*/i, '$1')
		.replace(/[;,.]+$/, '');
	return email.test(address)
		? { value: address }
		: problem(`'${label}' is not an email address`, 'Enter one address, such as anna@example.com.', value);
});

/** A username of Telegram, without the sign or the address that people write before it. */
export const usernameIn = (text: unknown) =>
	String(text ?? '').replace(
		/^(?:(?:https?:\/\/)?(?:www\.)?(?:t|telegram)\.me\/|tg:\/\/resolve\?domain=)?@*|[/?#&].*$/gi,
		'',
	);

export const isUsername = (text: string) => /^[a-z]\w{3,31}$/i.test(text);

/** A username of Telegram; none if only the sign or the address before it is there. */
export const username: Kind = readIn(trimmedName, (found, value, label) => {
	const name = usernameIn(found).trim();
	return !name || isUsername(name)
		? { value: name || undefined }
		: problem(
				`'${label}' is not a username in Telegram`,
				'Enter 4 to 32 Latin letters, digits and underscores, such as anna_smirnova.',
				value,
			);
});

const pageInVk = /^(?:(?:https?:\/\/)?(?:www\.|m\.)?vk\.(?:com|ru)\/)?id(\d+)(?:[/?#].*)?$/i;

const withoutPage = (id: string) => id.replace(pageInVk, '$1');

/** Digits, or letters and digits as Viber uses them. */
const isId = (id: string) => /^-?[1-9]\d*$|^(?=.*[a-z])(?=.*[\d=])[a-z\d+/_-]{8,}={0,2}$/i.test(id);

/** The ID that a messenger gives a person. A phone number with a certain country is none. @param isForm whether a text can be such an ID */
export const messengerId = (advice: string, isForm: (id: string) => boolean = isId): Kind =>
	readIn(identifier, (found, value, label) => {
		const id = withoutPage(found).replace(/(?<=\d) (?=\d)/g, '');
		return isForm(id) && !phoneNumberIn(id)?.startsWith('+')
			? { value: id }
			: problem(`'${label}' is not an ID in this messenger`, advice, value);
	});

/** Such an ID, or a username of Telegram. */
export const messengerIdOrUsername = (advice: string): Kind =>
	messengerId(advice, (id) => isId(id) || isUsername(usernameIn(id).trim()));
