import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { quote } from '../../nodes/ChatbotService/client/quote';
import { isEmpty } from '../../nodes/ChatbotService/client/values';
import * as kindsOfValues from '../../nodes/ChatbotService/resources/kinds';
import { fieldDefinitions } from '../../nodes/ChatbotService/resources/listSchema/definitions';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import { pasted, type PastedInto } from '../pasted/values';
import { given, inMoscow, sampleOf } from './samples';
import { faultsOf } from './sentences';

/* Which values fields accept, and what they say about others. Generated spellings of one value are in spellings.test.ts. */

const kinds = { ...kindsOfValues, fieldDefinitions };

const whole = 'must be a whole number';
const noPhone = 'is not a valid phone number';
const chooseOne = "Choose one of them for 'Поле', or let its expression return one.";

/* The wording of the kinds. Other tests take it from there. */
test.each<[Exclude<keyof typeof kinds, 'oneOf' | 'someOf'>, unknown, message: string, advice: string]>([
	['contactId', 'вася', whole, 'Enter the numeric ID, for example 1048576, not a name or phone number.'],
	['botId', 'вася', whole, 'Enter the numeric ID, for example 2048, not the name of the bot.'],
	['variableId', 'вася', whole, 'Enter the numeric ID, for example 301, not the name of the variable.'],
	['limit', 0, whole, "Enter 1 or more, or switch 'Return All' on."],
	['messenger', 'икс', 'must be one of max, telegram, viber, vk, whatsapp', chooseOne],
	['contactMessenger', 'икс', 'must be one of unknown, max, telegram, viber, vk, whatsapp', chooseOne],
	['fieldType', 'икс', 'must be one of bot, contact, boolean, number, string', chooseOne],
	['logical', 7, 'must be true or false', "Enter true or false for 'Поле'."],
	['fieldDefinitions', '[а', 'must be valid JSON', "Check the quotes, commas and brackets of 'Поле'."],
	[
		'fieldDefinitions',
		5,
		'must be a list of field definitions',
		"Enter an array of objects with name, slug and type for 'Поле', an object of them keyed by slug, or the 'fields' of a list schema.",
	],
	[
		'text',
		{ имя: 'Анна' },
		'must be text',
		"Enter plain text for 'Поле'. If the field contains an expression, choose one field of the data, as in {{ $json.address.city }}.",
	],
	[
		'text',
		`Здравствуйте, ${String({ имя: 'Анна' })}!`,
		'contains an object instead of text',
		"An expression in 'Поле' returns an object. Choose one field of the object, as in {{ $json.address.city }}.",
	],
	[
		'trimmedText',
		'Здравствуйте, {{ $json.name }}!',
		'holds an expression that n8n has not evaluated: switch the field from Fixed to Expression',
		'If the field is an expression already, the text comes from its data: n8n does not evaluate expressions in data.',
	],
	[
		'name',
		'Запись на Invalid DateTime',
		'contains a date that cannot be read',
		"An expression in 'Поле' reads a date in an unexpected format. Name the format, as in {{ DateTime.fromFormat($json.date, 'dd.MM.yyyy') }}.",
	],
	[
		'trimmedName',
		'function trim() { [native code] }',
		'contains the source text of a function',
		"An expression in 'Поле' names a function without calling it. Add parentheses, as in {{ $json.name.trim() }}.",
	],
	[
		'contactId',
		2 ** 60,
		'holds a number that n8n has rounded',
		'JSON numbers of more than 15 digits lose digits, so this one may mean something else. Let the previous node give it as text.',
	],
	[
		'messenger',
		['telegram', 'vk'],
		'contains a list instead of one value',
		'Make one item of each value: put the node Split Out in front of this node.',
	],
	[
		'address',
		'http://192.168.1.5/a.png',
		'is a URL that only your own network can open',
		'The service downloads it over the internet. Enter a URL that anyone can open, such as https://example.com/image.png.',
	],
	[
		'address',
		'http://a http://b',
		'must be one URL, without line breaks or tabs',
		"Enter only one URL for 'Поле'.",
	],
	[
		'address',
		'кот',
		'must be a complete URL',
		"Enter a URL for 'Поле' that starts with https:// or http:// and that anyone can open, such as https://example.com/image.png.",
	],
	[
		'phone',
		'7,91612E+10',
		noPhone,
		"Enter 'Поле' with the country code, such as +79161234567. A spreadsheet has shortened the number: format its column as text there.",
	],
	[
		'phoneOrId',
		'1.2',
		noPhone,
		'Enter the ID that the person has in the messenger, or the phone number with the country code, such as +79161234567.',
	],
	[
		'unixTime',
		'01.04.2026',
		'must be a date and time',
		"Choose a date and time, or let its expression return one, as in {{ $now.minus(7, 'days') }}. If your data has a Unix time, use {{ DateTime.fromSeconds($json.time) }}.",
	],
])('%s refuses %j: what is wrong, what to do, and what was received', (kind, value, message, advice) => {
	expect(kinds[kind](value, 'Поле')).toEqual({
		problems: [{ message: `'Поле' ${message}`, advice: `${advice} Received: ${quote(value)}.` }],
	});
});

const city = { name: 'Город', slug: 'city', type: 'string' };
const attributes = 'name, slug, type, is_required, is_hidden, is_encryptable';

test.each<[unknown, message: string, advice: string]>([
	[
		['город'],
		", field 1' must be a field definition",
		`Enter an object with ${attributes}. Received: "город".`,
	],
	[
		[city, city],
		", field 2' repeats a slug",
		'Give each field a different slug. The slug "city" is used twice.',
	],
	[
		{ town: city },
		", field 1' has a slug that differs from its key",
		'Make them the same. The key is "town", the slug "city".',
	],
	[
		[{ ...city, color: 'red' }],
		", field 1' has an attribute that the service does not know",
		`The attributes are ${attributes}. Received: "color".`,
	],
	[[{ ...city, name: ' ' }], ", field 1: name' is empty", 'Give every field a name, a slug and a type.'],
])('definitions of fields are refused that are %j', (value, message, advice) => {
	expect(fieldDefinitions(value, 'Поле')).toEqual({ problems: [{ message: `'Поле${message}`, advice }] });
});

test('definitions of fields are refused with every fault of every field, and keep the slug __proto__', () => {
	const { problems } = fieldDefinitions([{}, { ...city, name: '', is_required: 7 }], 'Поле') as {
		problems: Problem[];
	};
	expect(problems.map(({ message }) => /field \d+: \w+/.exec(message)?.[0])).toEqual([
		...['field 1: name', 'field 1: slug', 'field 1: type'],
		...['field 2: is_required', 'field 2: name'],
	]);
	const odd = { ...city, slug: '__proto__' };
	expect(fieldDefinitions([odd], 'Поле')).toEqual({ value: Object.fromEntries([['__proto__', odd]]) });
});

test('empty are the values that people see as empty', () => {
	for (const value of [undefined, null, '', '\n\t', '\u00a0', '\ufeff', '\u200b \u00ad'])
		expect([value, isEmpty(value)]).toEqual([value, true]);
	for (const value of [0, false, NaN, [], {}, '0', ' а '])
		expect([value, isEmpty(value)]).toEqual([value, false]);
});

/* How fields read real-world values. */
describe.each(pasted.map((into) => [into.label, into.variant, into] as const))('%s of %s', (_, __, into) => {
	const { field, label, taken, refused, variant } = into;
	const sample = sampleOf(variant);
	const checkedWith = (value: unknown) =>
		new Check(sample.operation, {}, inMoscow).of(given(sample, { limit: 7, [field]: value }));
	const title = (value: unknown) => (typeof value === 'string' ? JSON.stringify(value) : String(value));

	test.each(taken.map(([value, travels]) => [title(value), value, travels]))('%s is read', (...row) => {
		const [, value, travels] = row;
		const checked = checkedWith(value);
		if ('problems' in checked) throw new Error(checked.problems.map(({ advice }) => advice).join(' '));
		expect(saidBy(into, checked)).toEqual(
			field === 'contactMessenger' ? messageLimits(travels as string) : travels,
		);
	});

	test.each(refused.map(([value, withoutLabel]) => [title(value), value, withoutLabel]))(
		'%s is refused, and the error names the field and the received value',
		(_title, value, withoutLabel) => {
			const checked = checkedWith(value);
			if (!('problems' in checked)) throw new Error(`it took ${JSON.stringify(saidBy(into, checked))}`);
			const [{ message, advice }, ...others] = checked.problems as [Problem];
			expect([message, others]).toEqual([`'${label}${withoutLabel}`, []]);
			expect(faultsOf({ message, description: advice.replace(/"[^]*"/, '"…"') })).toEqual([]);
			// For a list, the error shows the wrong part.
			if (!isEmpty([value].flat()[0]) && field !== 'fieldsJson')
				expect(advice).toContain(`Received: ${quote(value)}.`);
		},
	);
});

/** The part of a request that a field determines. */
function saidBy({ field, variant }: PastedInto, { parameters, limit, limits }: CheckedValues): unknown {
	const wire = sampleOf(variant).fields.find(({ path }) => path === field)?.wire;
	if (wire) return parameters.find(({ name }) => name === wire)?.value;
	return field === 'contactMessenger' ? limits : limit;
}
