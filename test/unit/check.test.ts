import fc from 'fast-check';

import type { Problem } from '../../nodes/ChatbotService/client/failure';
import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { placeParameters } from '../../nodes/ChatbotService/client/placement';
import { expectedBy, type Field } from '../../nodes/ChatbotService/resources/operation';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import {
	emptyField,
	nothingToSend,
	unprotected,
	unreadableProblem,
	wrongChoice,
} from '../../nodes/ChatbotService/run/values/problems';
import { Reader, type Values } from '../../nodes/ChatbotService/run/values/reading';
import { loadContract } from '../../sandbox/emulator';
import { wordsOf } from '../operations/words';
import { pasted } from '../pasted/values';
import { codePoint } from './codePoints';
import { FakeN8n } from './fakeN8n';
import { hostile, veryHostile } from './hostile';
import {
	byTitle,
	given,
	inMoscow,
	sampleOf,
	samples,
	unreadable,
	unreadableError,
	type Sample,
} from './samples';

type Changes = Record<string, unknown>;
type Checked = ReturnType<Check['of']>;

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
	checkOf(title, sampleOf(title).storedWith(changes)).of(given(sampleOf(title), changes));

function takenOf(checked: Checked): CheckedValues {
	if ('problems' in checked) throw new Error(checked.problems.map(({ message }) => message).join('; '));
	return checked;
}

function problemsOf(checked: Checked): Problem[] {
	if (!('problems' in checked)) throw new Error(`it took ${JSON.stringify(checked.parameters)}`);
	return checked.problems;
}

/** Each check has its own functions. */
const withoutFunctions = (checked: Checked) => ({ ...checked, selection: undefined });

/** The checked values of a sample; throws if any value is wrong. */
const taken = (title: string, changes?: Changes) => takenOf(check(title, changes));

const namesIn = ({ parameters }: CheckedValues) => parameters.map(({ name }) => name);

/** The problems of a sample; throws if no value is wrong. */
const wrong = (title: string, changes: Changes) => problemsOf(check(title, changes));

const fieldAt = (title: string, path: string): Field => wordsOf(title.split(' ')[0]!).fieldAt(path);

/* What is said about the field at a path. */

function empty(title: string, path: string) {
	const { displayName, whenEmpty } = fieldAt(title, path);
	return emptyField(displayName, whenEmpty);
}

const unreadableAt = (title: string, path: string) =>
	unreadableProblem(fieldAt(title, path).displayName, unreadableError);

function refusedAt(title: string, path: string, value: unknown): Problem {
	const { kind, ...field } = fieldAt(title, path);
	if (!kind) return wrongChoice(field, value)[0]!;
	return (kind(value, field.displayName) as { problems: Problem[] }).problems[0]!;
}

const empties = [undefined, null, '', ' \n '];

/** Every field that is sent, by its sample and its label. */
const sentFields = samples.flatMap(({ title, fields }) =>
	fields.map((field) => [title, field.label, field] as const),
);

/** Those whose value is not put together from others. */
const simple = sentFields.filter(([title, , { path }]) => !fieldAt(title, path).compose);

/** Samples of one operation, which differ in the parameters that decide what applies. */
const operations = [...new Set(samples.map(({ operation }) => operation))].map(
	(operation): [string, Sample[]] => {
		const same = samples.filter((sample) => sample.operation === operation);
		return [same[0]!.title.split(' ')[0]!, same];
	},
);

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

	const picked = samples.flatMap(({ title, operation, values }) =>
		operation.fields
			.filter(({ type, name }) => type === 'resourceLocator' && values[name] !== undefined)
			.map(({ name }): [string, string] => [title, name]),
	);

	test.each(picked)('in %s, a value of %s is the same whether it was picked or typed', (title, path) => {
		const sample = sampleOf(title);
		const picked = { __rl: true, mode: 'list', value: sample.values[path] };
		const raw = { ...sample.storedWith({}), [path]: picked };
		const checking = checkOf(title, raw);
		const reader = new Reader(new FakeN8n(raw, [{}]), checking.locators);
		const values: Values = {
			...given(sample),
			at: (at) => (at === path ? reader.valuesOf(0) : given(sample)).at(at),
			isPickedAt: (at) => reader.valuesOf(0).isPickedAt(at),
		};
		expect(withoutFunctions(takenOf(checking.of(values)))).toEqual(withoutFunctions(taken(title)));
	});

	test('fields in a collection are sent only if they are shown', () => {
		const sample = sampleOf('listSchema/addField');
		const fields = sample.operation.fields.map((field): Field => {
			if (field.type !== 'collection') return field;
			const [first, ...others] = field.options as Field[];
			const options = [{ ...first!, displayOptions: { show: { fieldName: ['Город'] } } }, ...others];
			return { ...field, options };
		});
		const checking = new Check({ ...sample.operation, fields }, {}, inMoscow);
		const sent = (fieldName: string) => namesIn(takenOf(checking.of(given(sample, { fieldName }))));
		const all = namesIn(taken(sample.title));
		expect(all).toContain('field.is_encryptable');
		expect(sent('Город')).toEqual(all);
		expect(sent('Улица')).toEqual(all.filter((name) => name !== 'field.is_encryptable'));
	});
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
		{ recipient: 'кому-то', content: ['video'], contactId: 'вася', imageUrl: 'кот.png' },
		[refusedAt(toContact, 'recipient', 'кому-то'), refusedAt(toContact, 'content', ['video'])],
	],
	[
		'a wrong choice on which nothing depends, and all else',
		{ contactMessenger: 'голубь', contactId: 'вася' },
		[refusedAt(toContact, 'contactId', 'вася'), refusedAt(toContact, 'contactMessenger', 'голубь')],
	],
	['that no contents are chosen', { content: [] }, [empty(toContact, 'content')]],
	[
		'choices that cannot be evaluated and decide what applies',
		{ recipient: unreadable, content: unreadable },
		[unreadableAt(toContact, 'recipient'), unreadableAt(toContact, 'content')],
	],
	[
		'what cannot be evaluated together with all else that is wrong',
		{ contactId: unreadable, fileUrl: unreadable, contactMessenger: unreadable, imageUrl: 'кот.png' },
		[
			unreadableAt(toContact, 'contactId'),
			refusedAt(toContact, 'imageUrl', 'кот.png'),
			unreadableAt(toContact, 'fileUrl'),
			unreadableAt(toContact, 'contactMessenger'),
		],
	],
	[
		'that a content cannot be evaluated, but not that all are empty',
		{ text: unreadable, imageUrl: '', fileUrl: '' },
		[unreadableAt(toContact, 'text')],
	],
])('of an item is reported %s', (_, changes, expected) => {
	expect(wrong(toContact, changes)).toEqual(expected);
});

const contents = { text: 'text', image: 'imageUrl', file: 'fileUrl' };
type Content = keyof typeof contents;

test.each<[Content[]]>([
	...([[['text']], [['image']], [['file']]] as Array<[Content[]]>),
	[['text', 'image']],
	[['text', 'file']],
	[['image', 'file']],
	[['text', 'image', 'file']],
])(
	'the contents of a message are those that are chosen, %j, of which at least one has a value',
	(content) => {
		const none = Object.fromEntries(Object.values(contents).map((path) => [path, ' ']));
		const sent = (changes: Changes) => namesIn(taken(toContact, { ...changes, content }));
		expect(sent({})).toEqual(['contact_id', ...content]);
		for (const filled of content) {
			const { [contents[filled]]: _, ...others } = none;
			expect(sent(others)).toEqual(['contact_id', filled]);
		}
		expect(wrong(toContact, { ...none, content })).toEqual([
			nothingToSend(Object.values(contents).map((path) => fieldAt(toContact, path))),
		]);
	},
);

test.each(byTitle.filter(([, { answer }]) => answer === 'many'))(
	'Limit counts for %s unless Return All is on',
	(title) => {
		expect(taken(title, { returnAll: false, limit: 7 }).limit).toBe(7);
		expect(taken(title, { returnAll: true, limit: 7 }).limit).toBeUndefined();
		expect(taken(title, { returnAll: 'true', limit: 'семь' }).limit).toBeUndefined();
		expect(taken(title, { returnAll: true, limit: unreadable }).limit).toBeUndefined();
		expect(wrong(title, { returnAll: false, limit: 'семь' })).toEqual([refusedAt(title, 'limit', 'семь')]);
		expect(wrong(title, { returnAll: false, limit: unreadable })).toEqual([unreadableAt(title, 'limit')]);
		expect(wrong(title, { returnAll: 'семь' })).toEqual([refusedAt(title, 'returnAll', 'семь')]);
	},
);

describe('the limits of a request', () => {
	const messengers = ['whatsapp', 'telegram', 'viber', 'max', 'vk'];

	test.each<[string, Changes, Limits]>([
		...messengers.flatMap((messenger): Array<[string, Changes, Limits]> => [
			[toExternalId, { messenger }, messageLimits(messenger)],
			[toContact, { contactMessenger: messenger }, messageLimits(messenger)],
		]),
		...[undefined, '', 'unknown'].map((contactMessenger): [string, Changes, Limits] => [
			toContact,
			{ contactMessenger },
			messageLimits(undefined),
		]),
		[toNumber, {}, whatsAppNumberLimits],
	])('of %s with %j are those of its messenger', (title, changes, limits) => {
		expect(taken(title, changes).limits).toEqual(limits);
	});

	test.each(byTitle.filter(([title]) => !title.startsWith('message/')))('of %s are none', (title) => {
		expect(taken(title).limits).toEqual({});
	});
});

describe('the labels of a request', () => {
	test('list fields with a value as expected, item by item, and name everything that the service may miss', () => {
		const checking = checkOf(create);
		const labelsOf = (changes: Changes) => takenOf(checking.of(given(sampleOf(create), changes))).labels;
		const bot = expectedBy(fieldAt(create, 'botId'));
		for (const botId of empties) {
			expect(labelsOf({}).expected).toEqual(bot);
			expect(labelsOf({ botId })).toEqual({
				all: labelsOf({}).all,
				expected: [],
				empty: new Set(['bot_id']),
			});
		}
		expect(labelsOf({ showInMenu: undefined, fields: '' }).expected).toEqual(bot);
	});
});

describe('the target and the identity of a request', () => {
	const values = {
		...{ contactId: ' 5.0 ', schemaId: ' 5dee ', messenger: 'VK', externalId: '8 (916) 000-00-00' },
		...{ phone: '8 916 000 00 00', variableName: ' Город ', variableId: '7', fieldSlug: 'phone' },
	};

	test.each<[string, string | undefined, string]>([
		['tag/attach', 'contact_id 5', 'contact_id 5'],
		['tag/detach', 'contact_id 5', 'contact_id 5'],
		['tag/getManyByBot', undefined, ''],
		['tag/getManyByContact', undefined, 'contact_id 5'],
		['contactVariable/getAll', undefined, 'contact_id 5'],
		['contactVariable/upsert', 'contact_id 5', 'contact_id 5'],
		['contactVariable/delete by name', 'contact_id 5', 'contact_id 5 name  Город '],
		['contactVariable/delete by ID', 'contact_id 5', 'contact_id 5 id 7'],
		[toContact, 'contact_id 5', 'contact_id 5'],
		[
			toExternalId,
			'messenger vk contact_external_id 79160000000',
			'messenger vk contact_external_id 79160000000',
		],
		[toNumber, 'phone 79160000000', 'phone 79160000000'],
		['listSchema/addField', 'schema_id 5dee', 'schema_id 5dee'],
		['listSchema/delete', 'schema_id 5dee', 'schema_id 5dee'],
		['listSchema/deleteField', 'schema_id 5dee', 'schema_id 5dee slug phone'],
		['listSchema/get', undefined, 'schema_id 5dee'],
		['listSchema/getAll', undefined, ''],
		[create, undefined, ''],
		['listSchema/create with fields as JSON', undefined, ''],
	])(
		'of %s: only changes have a target (%s), and deletions are identified by all they name: %s',
		(...row) => {
			const [title, target, identity] = row;
			expect(taken(title, values)).toMatchObject({ target, identity });
			expect(checkOf(title).identityOf(given(sampleOf(title), values))).toBe(identity);
		},
	);

	test.each<[string, Changes, string | undefined]>([
		['known though all else is wrong', { contactId: 5, text: '', imageUrl: 5 }, 'contact_id 5'],
		['unknown if a value is missing', { contactId: '' }, undefined],
		['unknown if a value is wrong', { contactId: 'вася' }, undefined],
		['unknown if a value cannot be evaluated', { contactId: unreadable }, undefined],
		['unknown if a decision is wrong', { recipient: 'кому-то' }, undefined],
		['unknown if a decision cannot be evaluated', { recipient: unreadable }, undefined],
	])('before the other values are read, the identity is %s', (_, changes, expected) => {
		expect(checkOf(toContact).identityOf(given(sampleOf(toContact), changes))).toBe(expected);
	});
});

describe('Send Once Per', () => {
	const path = 'options.sendOncePer';

	/** Checks a message with the option. The check reads the stored parameters only to see whether the option is added. */
	const checkOnce = (title: string, value: unknown, changes: Changes = {}) =>
		checkOf(title, { options: { sendOncePer: '={{ $json.акция }}' } }).of(
			given(sampleOf(title), { [path]: value, ...changes }),
		);
	const keyOf = (...asked: Parameters<typeof checkOnce>) => takenOf(checkOnce(...asked)).dedupKey;

	describe.each([toContact, toExternalId, toNumber])('%s', (title) => {
		const { displayName: label } = fieldAt(title, path);

		test.each([{}, { options: {} }, { options: { timeout: 5 } }])(
			'is not read if the user has not added the option: %j',
			(raw) => {
				for (const value of [undefined, 'осень', { id: 5 }, unreadable])
					expect(
						takenOf(checkOf(title, raw).of(given(sampleOf(title), { [path]: value }))).dedupKey,
					).toBeUndefined();
			},
		);

		test('has no key for an empty text, which is what the user means', () => {
			for (const value of ['', '  ', '\n\t']) expect(keyOf(title, value)).toBeUndefined();
		});

		test.each<[unknown, Problem]>([
			[undefined, unprotected(label)],
			[null, unprotected(label)],
			[{ id: 5 }, refusedAt(title, path, { id: 5 })],
			[unreadable, unreadableAt(title, path)],
		])('is refused, together with everything else that is wrong, if it is %p', (value, expected) => {
			const problems = problemsOf(checkOnce(title, value, { text: { a: 1 } }));
			expect(problems).toEqual([refusedAt(title, 'text', { a: 1 }), expected]);
		});

		test('results in a key that does not reveal the value, and is not sent', () => {
			const { dedupKey, parameters } = takenOf(checkOnce(title, 'осень'));
			expect(dedupKey).toMatch(/^[\w-]{32}$/);
			expect(parameters).toEqual(taken(title).parameters);
		});
	});

	test('results in one key per value, however it is written and whatever the message says', () => {
		const sameValues = [
			['осень', ' осень\n'],
			['1048576', 1048576],
			['0', 0],
			['true', true],
			['false', false],
			...['Осень', 'осень 2', '5', '05', '5.0', '+7916', '7916'].map((value) => [value]),
		];
		const keys = sameValues.map((values) => {
			const texts = ['Здравствуйте!', 'Другие слова'];
			const found = values.flatMap((value) => texts.map((text) => keyOf(toContact, value, { text })));
			expect(new Set(found).size).toBe(1);
			return found[0];
		});
		expect(new Set(keys).size).toBe(sameValues.length);
	});

	test('results in a different key for each recipient', () => {
		expect(keyOf(toContact, 'осень', { contactId: 5 })).not.toBe(keyOf(toContact, 'осень', { contactId: 6 }));
	});

	test('does not confuse the end of one value with the beginning of another', () => {
		const target = (id: string) => `messenger vk contact_external_id ${id}`;
		expect(taken(toExternalId, { messenger: 'vk', externalId: 'анна' }).target).toBe(target('анна'));
		expect(keyOf(toExternalId, 'осень', { messenger: 'vk', externalId: `анна ${target('иван')}` })).not.toBe(
			keyOf(toExternalId, `осень ${target('анна')}`, { messenger: 'vk', externalId: 'иван' }),
		);
	});
});

test.each<[string, string[], Changes]>([
	['tag/attach', ['botId'], {}],
	['tag/getManyByBot', ['limit'], { returnAll: true }],
	[deleteVariable, ['variableId'], {}],
	['contactVariable/delete by ID', ['variableName'], {}],
	[toContact, ['messenger', 'botId', 'externalId'], {}],
	[toContact, ['messenger', 'botId', 'externalId', 'imageUrl', 'fileUrl'], { content: ['text'] }],
	[toExternalId, ['contactId', 'contactMessenger'], {}],
	[create, ['fieldsJson'], {}],
	['listSchema/create with fields as JSON', ['fields'], {}],
])('%s is not disturbed by what it does not need: %j', (title, idle, changes) => {
	const broken = Object.fromEntries(idle.map((path) => [path, unreadable]));
	expect(taken(title, { ...changes, ...broken })).toEqual(taken(title, changes));
});

describe('a value that cannot be evaluated', () => {
	test.each(simple)('in %s is refused by its label, %s', (title, _, { path }) => {
		expect(wrong(title, { [path]: unreadable })).toEqual([unreadableAt(title, path)]);
	});

	test.each([...decisions, ['tag/getManyByBot', 'returnAll'] as [string, string]])(
		'in %s is the only problem if it is %s, which decides which other fields apply',
		(title, path) => {
			const allElseWrong = Object.fromEntries(sampleOf(title).fields.map((field) => [field.path, {}]));
			expect(wrong(title, { ...allElseWrong, [path]: unreadable })).toEqual([unreadableAt(title, path)]);
		},
	);
});

test.each([
	...simple.map(([title, , { path }]): [string, string] => [title, path]),
	...decisions,
	[toContact, 'contactMessenger'] as [string, string],
	['tag/getManyByBot', 'returnAll'] as [string, string],
	['tag/getManyByBot', 'limit'] as [string, string],
])('a value that throws when it is read, in %s, is taken, or refused by its label: %s', (title, path) => {
	const { displayName: label } = fieldAt(title, path);
	const isOtherwise = ([, make]: (typeof hostile)[number]) => {
		const checked = check(title, { returnAll: false, [path]: make() });
		if (!('problems' in checked)) return false;
		return !checked.problems.length || checked.problems.some(({ message }) => !message.includes(`'${label}`));
	};
	const others = [...hostile, ...veryHostile].filter(isOtherwise);
	expect(others.map(([name]) => name)).toEqual([]);
});

describe('generated values', () => {
	const contract = loadContract();

	/** Values that are mostly right, so that enough items are right as a whole. */
	const mostly = (right: fc.Arbitrary<unknown>, wrong: unknown[]) =>
		fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });

	/** Any JSON, and more often JSON that is easy to misread. */
	const json = fc.oneof(
		{ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown> },
		fc.constantFrom<unknown>({ toJSON: 5 }, { toString: 5, valueOf: 5 }, { length: 1 }, [[]], [null], {}),
		fc.constantFrom<unknown>('', '0', 'null', '{}', '[]', -0, 1e21),
		fc.string({ unit: codePoint }),
	);

	const words = fc.oneof(
		fc.string({ unit: 'grapheme', minLength: 1 }),
		fc.constantFrom<unknown>('Клиент', ' Город ', 5, true, 'Привет \ud83d'),
	);

	/** In a workflow that a program created, these can be expressions too. */
	const chosen: Record<string, fc.Arbitrary<unknown>> = {
		recipient: mostly(fc.constantFrom('contact', 'externalId'), ['', 'кому-то', ['contact']]),
		content: mostly(fc.subarray(['text', 'image', 'file']), ['text', ['video']]),
		deleteBy: mostly(fc.constantFrom('name', 'id'), [null, 'номер']),
		fieldsInput: mostly(fc.constantFrom('define', 'json'), ['yaml']),
		include: mostly(fc.subarray(['tags', 'variables']), ['все']),
		'filters.createdAfter': mostly(fc.constantFrom('2024-05-01', new Date(0)), ['вчера', 1714510800]),
		'filters.createdBefore': mostly(fc.constant('2024-06-01T00:00:00+03:00'), ['01.06.2024']),
		'itemOptions.orderByDirection': mostly(fc.constantFrom('asc', 'desc'), ['вверх']),
		responseType: mostly(fc.constantFrom('approval', 'freeText'), ['customForm']),
	};

	/** Their values are stored in the workflow. */
	const madeOfOthers = ['columns', 'fieldFilters'];

	/** Fields that take the same values as a pasted one. */
	const alike: Record<string, string> = {
		fields: 'fieldsJson',
		'additionalFields.phone': 'phone',
		'fieldOptions.required': 'showInMenu',
		'fieldOptions.hidden': 'showInMenu',
		'fieldOptions.encrypted': 'showInMenu',
	};

	/** Values that people choose or paste; words for all other fields. */
	function plausible(path: string): fc.Arbitrary<unknown> {
		const into = pasted.find(({ field }) => field === (alike[path] ?? path));
		if (!into) return chosen[path] ?? mostly(words, [' ', NaN]);
		const [right, wrong] = [into.taken, into.refused].map((rows) => rows.map(([value]) => value));
		return mostly(fc.constantFrom(...right!), wrong!);
	}

	const valueOf = (path: string) =>
		fc.oneof(
			{ weight: 20, arbitrary: plausible(path) },
			{ weight: 1, arbitrary: json },
			{ weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, unreadable) },
		);

	test.each(operations)(
		'of %s are sent as the contract says or refused by their labels, and nothing is thrown',
		(_, [sample, ...others]) => {
			const { operation, endpoint } = sample!;
			const { place, longInBody = false } = operation;
			const labels = [sample!, ...others].flatMap((each) => each.labels);
			// One check for all items, as in a run: what it keeps of an item must not affect the next item.
			const checking = new Check(operation, sample!.storedWith({}), inMoscow);
			const paths = [sample!, ...others]
				.flatMap((each) => Object.keys(each.values))
				.filter((path) => !madeOfOthers.includes(path));
			const values = fc.record(Object.fromEntries(paths.map((path) => [path, valueOf(path)])));
			let takenCount = 0;
			fc.assert(
				fc.property(values, fc.integer({ min: 0, max: 4000 }), (generated, tokenLength) => {
					const checked = checking.of(given(sample!, generated));
					const again = new Check(operation, sample!.storedWith({}), inMoscow).of(given(sample!, generated));
					expect(withoutFunctions(checked)).toEqual(withoutFunctions(again));
					if ('problems' in checked) {
						expect(checked.problems).not.toEqual([]);
						const isNamed = ({ message }: Problem) => labels.some((label) => message.includes(`'${label}`));
						const isWhole = ({ advice }: Problem) => advice.endsWith('.');
						expect(checked.problems.filter((each) => !isNamed(each) || !isWhole(each))).toEqual([]);
						return;
					}
					takenCount++;
					const path = `/api/v1/${endpoint}`;
					const parts = placeParameters(checked.parameters, { place, path, tokenLength, longInBody });
					expect(contract.checkParameters(endpoint, parts)).toEqual([]);
				}),
				{ numRuns: 120 },
			);
			// Otherwise the property would say little about accepted values.
			expect(takenCount).toBeGreaterThan(6);
		},
	);
});
