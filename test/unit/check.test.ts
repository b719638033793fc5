import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { checkAs } from '../../nodes/ChatbotService/resources/kind';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import {
	emptyField,
	nothingToSend,
	unreadableProblem,
	wrongChoice,
} from '../../nodes/ChatbotService/run/values/problems';
import { wordsOf } from '../operations/words';
import { hostile, veryHostile } from './hostile';
import { byTitle, given, inMoscow, sampleOf, samples, unreadable, unreadableError } from './samples';

/* Whether the values of an item are what the API accepts, and what follows from them for its request. */

type Changes = Record<string, unknown>;
type Checked = ReturnType<Check['valuesOf']>;

const toContact = 'message/send to a contact';
const toExternalId = 'message/send to an external ID';
const toNumber = 'message/sendToWhatsApp';
const create = 'listSchema/create with defined fields';
const deleteVariable = 'contactVariable/delete by name';

/** A check of the operation of a sample. @param raw parameters as the workflow stores them */
const checkOf = (title: string, raw = sampleOf(title).storedWith({})) =>
	new Check(sampleOf(title).operation, raw, inMoscow);

/** The result for a sample with some of its values changed. */
const check = (title: string, changes: Changes = {}) =>
	checkOf(title, sampleOf(title).storedWith(changes)).valuesOf(given(sampleOf(title), changes));

function takenOf(checked: Checked): CheckedValues {
	if ('problems' in checked) throw new Error(checked.problems.map(({ message }) => message).join('; '));
	return checked;
}

/** The checked values of a sample; throws if any value is wrong. */
const taken = (title: string, changes?: Changes) => takenOf(check(title, changes));

const namesIn = ({ parameters }: CheckedValues) => parameters.map(({ name }) => name);

/** The problems of a sample; empty if no value is wrong. */
function wrong(title: string, changes: Changes): Problem[] {
	const checked = check(title, changes);
	return 'problems' in checked ? checked.problems : [];
}

/* What is said about the field at a path. */

const fieldAt = (title: string, path: string): Field => wordsOf(title.split(' ')[0]!).fieldAt(path);

function empty(title: string, path: string) {
	const { displayName, whenEmpty } = fieldAt(title, path);
	return emptyField(displayName, whenEmpty);
}

const unreadableAt = (title: string, path: string) =>
	unreadableProblem(fieldAt(title, path).displayName, unreadableError);

function refusedAt(title: string, path: string, value: unknown): Problem {
	const { kind, ...field } = fieldAt(title, path);
	if (!kind) return wrongChoice(field, value)[0]!;
	return (checkAs(kind, value, field.displayName) as { problems: Problem[] }).problems[0]!;
}

const empties = [undefined, null, '', ' \n '];

/** Every field that is sent, by its sample and its label. */
const sentFields = samples.flatMap(({ title, fields }) =>
	fields.map((field) => [title, field.label, field] as const),
);

/** Those whose value is not put together from others. */
const simple = sentFields.filter(([title, , { path }]) => !fieldAt(title, path).compose);

describe('complete values', () => {
	// The direction of the sample needs a field to order by.
	test.each(sentFields.filter(([, label, { required }]) => !required && label !== 'Order By'))(
		'in %s, %s may be empty, and is not sent then',
		(title, _, { path, wire }) => {
			const others = namesIn(taken(title)).filter((name) => name !== wire);
			// An empty filter would find something else.
			for (const each of path.startsWith('filters.') ? [undefined] : empties)
				expect(namesIn(taken(title, { [path]: each }))).toEqual(others);
		},
	);

	test.each(sentFields.filter(([, , { required }]) => required))(
		'in %s, %s must not be empty',
		(title, _, { path }) => {
			for (const each of empties) expect(wrong(title, { [path]: each })).toEqual([empty(title, path)]);
		},
	);
});

/** The choices that decide which other parameters apply. */
const decisions: Array<[title: string, path: string]> = [
	[toContact, 'recipient'],
	[toContact, 'content'],
	[deleteVariable, 'deleteBy'],
	[create, 'fieldsInput'],
	['message/sendAndWait to a contact', 'responseType'],
];

test.each(decisions)('%s must have one of the options of %s', (title, path) => {
	for (const value of ['кому-то', '', undefined, { a: 1 }, ['text', 'video']])
		expect(wrong(title, { [path]: value })).toEqual(wrongChoice(fieldAt(title, path), value));
});

test.each<[string, Changes, Problem[]]>([
	[
		'wrong choices that decide what applies, and nothing else',
		{ recipient: 'кому-то', content: unreadable, contactId: 'вася', imageUrl: 'кот.png' },
		[refusedAt(toContact, 'recipient', 'кому-то'), unreadableAt(toContact, 'content')],
	],
	[
		'all else that is wrong or cannot be evaluated',
		{ contactId: unreadable, fileUrl: unreadable, contactMessenger: ['{{ $json.m }}'], imageUrl: 'кот.png' },
		[
			unreadableAt(toContact, 'contactId'),
			refusedAt(toContact, 'imageUrl', 'кот.png'),
			unreadableAt(toContact, 'fileUrl'),
			refusedAt(toContact, 'contactMessenger', '{{ $json.m }}'),
		],
	],
	['that no contents are chosen', { content: [] }, [empty(toContact, 'content')]],
	[
		'that a content cannot be evaluated, but not that all are empty',
		{ text: unreadable, imageUrl: '', fileUrl: '' },
		[unreadableAt(toContact, 'text')],
	],
])('of an item is reported %s', (_, changes, expected) => {
	expect(wrong(toContact, changes)).toEqual(expected);
});

const contents = { text: 'text', image: 'imageUrl', file: 'fileUrl' };

test.each<[Array<keyof typeof contents>]>([[['text']], [['image', 'file']]])(
	'the contents of a message are those that are chosen, %j, of which at least one has a value',
	(content) => {
		expect(namesIn(taken(toContact, { content }))).toEqual(['contact_id', ...content]);
		const none = { content, text: ' ', imageUrl: ' ', fileUrl: ' ' };
		for (const filled of content) {
			const { [contents[filled]]: value } = sampleOf(toContact).values;
			expect(namesIn(taken(toContact, { ...none, [contents[filled]]: value }))).toEqual([
				'contact_id',
				filled,
			]);
		}
		const fields = Object.values(contents).map((path) => fieldAt(toContact, path));
		expect(wrong(toContact, none)).toEqual([nothingToSend(fields)]);
	},
);

test.each(byTitle.filter(([, { values }]) => 'limit' in values))(
	'Limit counts for %s unless Return All is on',
	(title) => {
		expect(taken(title, { returnAll: false, limit: 7 }).limit).toBe(7);
		for (const limit of [7, 'семь', unreadable])
			expect(taken(title, { returnAll: 'true', limit }).limit).toBeUndefined();
		expect(wrong(title, { returnAll: false, limit: 'семь' })).toEqual([refusedAt(title, 'limit', 'семь')]);
		expect(wrong(title, { returnAll: 'семь' })).toEqual([refusedAt(title, 'returnAll', 'семь')]);
	},
);

test.each<[string, Changes, Limits]>([
	[toExternalId, { messenger: 'viber' }, messageLimits('viber')],
	[toContact, { contactMessenger: 'whatsapp' }, messageLimits('whatsapp')],
	[toContact, { contactMessenger: '' }, messageLimits(undefined)],
	[toNumber, {}, whatsAppNumberLimits],
	['tag/attach', {}, {}],
])('the limits of %s with %j are those of its messenger', (title, changes, limits) => {
	expect(taken(title, changes).limits).toEqual(limits);
});

describe('Send Once Per', () => {
	const path = 'options.sendOncePer';

	/** Checks a message with the option. The stored parameters say only that the option is added. */
	const checkOnce = (title: string, value: unknown, changes: Changes = {}) =>
		checkOf(title, { options: { sendOncePer: '={{ $json.акция }}' } }).valuesOf(
			given(sampleOf(title), { [path]: value, ...changes }),
		);
	const keyOf = (...asked: Parameters<typeof checkOnce>) => takenOf(checkOnce(...asked)).dedupKey;

	test.each<[unknown, Problem]>([
		[{ id: 5 }, refusedAt(toContact, path, { id: 5 })],
		[unreadable, unreadableAt(toContact, path)],
	])('is refused, together with everything else that is wrong, if it is %p', (value, expected) => {
		const problems = [refusedAt(toContact, 'text', { a: 1 }), expected];
		expect(checkOnce(toContact, value, { text: { a: 1 } })).toEqual({ problems });
	});

	test('knows the same ID in two messengers as two recipients', () => {
		const [vk, telegram] = ['vk', 'telegram'].map((messenger) =>
			keyOf(toExternalId, 'осень', { messenger, externalId: '284119035' }),
		);
		expect(vk).not.toBe(telegram);
	});

	test('does not confuse the end of one value with the beginning of another', () => {
		const target = (id: string) => `messenger vk contact_external_id ${id}`;
		expect(keyOf(toExternalId, 'осень', { messenger: 'vk', externalId: `анна ${target('иван')}` })).not.toBe(
			keyOf(toExternalId, `осень ${target('анна')}`, { messenger: 'vk', externalId: 'иван' }),
		);
	});
});

test.each<[string, string[], Changes]>([
	[deleteVariable, ['variableId'], {}],
	[toContact, ['messenger', 'botId', 'externalId', 'imageUrl', 'fileUrl'], { content: ['text'] }],
	[toExternalId, ['contactId', 'contactMessenger'], {}],
	[create, ['fieldsJson'], {}],
])('%s is not disturbed by what it does not need: %j', (title, idle, changes) => {
	const broken = Object.fromEntries(idle.map((path) => [path, unreadable]));
	expect(taken(title, { ...changes, ...broken })).toEqual(taken(title, changes));
});

test('errors about an item name the fields that it has, whatever the items before it had', () => {
	const checks = new Map(samples.map(({ operation, title }) => [operation, checkOf(title)]));
	for (const sample of samples) {
		const { labels } = takenOf(checks.get(sample.operation)!.valuesOf(given(sample, {})));
		expect([sample.title, labels]).toEqual([sample.title, taken(sample.title).labels]);
	}
});

test.each(simple)('in %s, what cannot be evaluated is refused by its label, %s', (title, _, { path }) => {
	expect(wrong(title, { [path]: unreadable })).toEqual([unreadableAt(title, path)]);
});

test.each([...simple.map(([title, , { path }]): [string, string] => [title, path]), ...decisions])(
	'a value that throws when it is read, in %s, is taken, or refused by its label: %s',
	(title, path) => {
		const { displayName: label } = fieldAt(title, path);
		for (const [name, make] of [...hostile, ...veryHostile]) {
			const checked = check(title, { [path]: make() });
			const problems = 'problems' in checked ? checked.problems : undefined;
			const isNamed = problems?.some(({ message }) => message.includes(`'${label}`)) ?? true;
			expect([name, isNamed]).toEqual([name, true]);
		}
	},
);
