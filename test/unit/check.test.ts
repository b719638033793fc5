import fc from 'fast-check';

import type { Problem } from '../../nodes/ChatbotService/client/failure';
import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import { placeParameters } from '../../nodes/ChatbotService/client/placement';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import { unreadableProblem, withoutStore, wordsOf } from '../../nodes/ChatbotService/run/values/problems';
import { loadContract } from '../../sandbox/emulator';
import { pasted } from '../pasted/values';
import { hostile, veryHostile } from './hostile';
import { byTitle, given, sampleOf, samples, unreadable, unreadableError, type Sample } from './samples';
import { faultsOf } from './sentences';

type Changes = Record<string, unknown>;
type Checked = ReturnType<Check['of']>;

const toContact = 'message/send to a contact';
const toExternalId = 'message/send to an external ID';
const toNumber = 'message/sendToWhatsApp';
const create = 'listSchema/create with defined fields';
const deleteVariable = 'contactVariable/delete by name';

/** A check of the operation of a sample. @param raw parameters as the workflow stores them */
const checkOf = (title: string, raw: Record<string, unknown> = {}) =>
	new Check(sampleOf(title).operation, raw);

/** The result for a sample with some of its values changed. */
const check = (title: string, changes: Changes = {}) => checkOf(title).of(given(sampleOf(title), changes));

const messages = (problems: Problem[]) => problems.map(({ message }) => message);

function takenOf(checked: Checked): CheckedValues {
	if ('problems' in checked) throw new Error(messages(checked.problems).join('; '));
	return checked;
}

function problemsOf(checked: Checked): Problem[] {
	if (!('problems' in checked)) throw new Error(`it took ${JSON.stringify(checked.parameters)}`);
	return checked.problems;
}

/** The checked values of a sample; throws if any value is wrong. */
const taken = (title: string, changes?: Changes) => takenOf(check(title, changes));

const namesIn = ({ parameters }: CheckedValues) => parameters.map(({ name }) => name);

/** The messages for a sample; throws if no value is wrong. */
const told = (title: string, changes: Changes) => messages(problemsOf(check(title, changes)));

/** Expects only this problem, in words that n8n does not replace and that its guidelines allow. */
function expectOnly(checked: Checked, expected: Problem) {
	expect(problemsOf(checked)).toEqual([expected]);
	expect(faultsOf({ message: expected.message, description: expected.advice })).toEqual([]);
}

const empties = [undefined, null, '', ' \n '];

/** Every field that is sent, by its sample and its label. */
const sentFields = samples.flatMap(({ title, fields }) =>
	fields.map((field) => [title, field.label, field] as const),
);

/** Samples of one operation, which differ in the parameters that decide what applies. */
const operations = [...new Set(samples.map(({ operation }) => operation))].map(
	(operation): [string, Sample[]] => {
		const same = samples.filter((sample) => sample.operation === operation);
		return [same[0]!.title.split(' ')[0]!, same];
	},
);

describe('complete values', () => {
	test.each(byTitle)('the values of %s have their names, their place and their types', (title, sample) => {
		const { fields, place, values } = sample;
		expect(check(title)).toMatchObject({
			parameters: fields.map(({ wire, sent }) => ({ name: wire, place, value: sent })),
			limit: values.limit,
		});
	});

	test.each(sentFields.filter(([, , { required }]) => !required))(
		'in %s, %s may be empty, and is not sent then',
		(title, _, { path, wire }) => {
			const others = namesIn(taken(title)).filter((name) => name !== wire);
			for (const empty of empties) expect(namesIn(taken(title, { [path]: empty }))).toEqual(others);
		},
	);

	test.each(sentFields.filter(([, , { required }]) => required))(
		'in %s, %s must not be empty',
		(title, label, { path }) => {
			for (const empty of empties) {
				expectOnly(check(title, { [path]: empty }), {
					message: `'${label}' is empty`,
					advice: `Enter a value for '${label}'. If the field contains an expression, check its result for this item.`,
				});
			}
		},
	);

	test('fields in a collection are sent only if both the fields and the collection are shown', () => {
		const sample = sampleOf('listSchema/addField');
		const shownFor = (show: Record<string, string[]>) => ({ displayOptions: { show } });
		const fields = sample.operation.fields.map((field): Field => {
			if (field.type !== 'collection') return field;
			const [first, ...others] = field.options as Field[];
			const options = [{ ...first!, ...shownFor({ fieldName: ['Город'] }) }, ...others];
			return { ...field, ...shownFor({ fieldType: ['string'] }), options };
		});
		const checking = new Check({ ...sample.operation, fields }, {});
		const sent = (fieldType: string, fieldName: string) =>
			namesIn(takenOf(checking.of(given(sample, { fieldType, fieldName }))));
		const all = namesIn(taken(sample.title));
		const own = ['schema_id', 'field.name', 'field.slug', 'field.type'];
		expect(all).toEqual([...own, 'field.is_encryptable', 'field.is_hidden', 'field.is_required']);
		expect(sent('string', 'Город')).toEqual(all);
		expect(sent('string', 'Улица')).toEqual(all.filter((name) => name !== 'field.is_encryptable'));
		expect(sent('number', 'Город')).toEqual(own);
		expect(sent('number', 'Улица')).toEqual(own);
	});
});

/** The choices that decide which other parameters apply. */
const decisions: Array<[label: string, title: string, path: string, options: string]> = [
	['Send To', toContact, 'recipient', 'contact, externalId'],
	['Content', toContact, 'content', 'text, image, file'],
	['Delete By', deleteVariable, 'deleteBy', 'name, id'],
	['Fields Input', create, 'fieldsInput', 'define, json'],
	['Response Type', 'message/sendAndWait to a contact', 'responseType', 'approval, freeText'],
];

describe.each(decisions)('%s of %s, which decides what applies,', (label, title, path, options) => {
	test.each(['кому-то', '', undefined, null, { a: 1 }, ['text', 'video']])(
		'must be among its options: %j is refused',
		(value) => {
			const found = typeof value === 'object' ? JSON.stringify(value) : String(value);
			expect(problemsOf(check(title, { [path]: value }))).toEqual([
				{
					message: `'${label}' must be one of ${options}`,
					advice: `Choose one of them for '${label}', or let its expression return one. Received: "${found}".`,
				},
			]);
		},
	);
});

test.each<[string, string, Changes, string[]]>([
	[
		'wrong choices that decide what applies, and nothing else',
		toContact,
		{ recipient: 'кому-то', content: ['video'], contactId: 'вася', imageUrl: 'кот.png' },
		["'Send To' must be one of contact, externalId", "'Content' must be one of text, image, file"],
	],
	[
		'a wrong choice on which nothing depends, and all else',
		toContact,
		{ contactMessenger: 'icq', contactId: 'вася' },
		[
			"'Contact ID' must be a whole number",
			"'Contact's Messenger' must be one of unknown, max, telegram, viber, vk, whatsapp",
		],
	],
	[
		'that only one option may be chosen',
		toContact,
		{ recipient: ['contact', 'externalId'] },
		["'Send To' must be one of contact, externalId"],
	],
	['that no contents are chosen', toContact, { content: [] }, ["'Content' is empty"]],
	[
		'choices that cannot be evaluated and decide what applies',
		toContact,
		{ recipient: unreadable, content: unreadable },
		["'Send To' cannot be evaluated", "'Content' cannot be evaluated"],
	],
	[
		'what cannot be evaluated together with all else that is wrong',
		toContact,
		{ contactId: unreadable, fileUrl: unreadable, contactMessenger: unreadable, imageUrl: 'кот.png' },
		[
			"'Contact ID' cannot be evaluated",
			"'Image URL' must be a complete URL",
			"'File URL' cannot be evaluated",
			"'Contact's Messenger' cannot be evaluated",
		],
	],
	[
		'that a content cannot be evaluated, but not that all are empty',
		toContact,
		{ text: unreadable, imageUrl: '', fileUrl: '' },
		["'Text' cannot be evaluated"],
	],
	[
		'that Limit cannot be evaluated if it counts',
		'tag/getManyByBot',
		{ limit: unreadable, returnAll: false },
		["'Limit' cannot be evaluated"],
	],
])('of an item is reported %s', (_, title, changes, expected) => {
	expect(told(title, changes)).toEqual(expected);
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
		const empty = Object.fromEntries(Object.values(contents).map((path) => [path, ' ']));
		const sent = (changes: Changes) => namesIn(taken(toContact, { ...changes, content }));
		expect(sent({})).toEqual(['contact_id', ...content]);
		for (const filled of content) {
			const { [contents[filled]]: _, ...others } = empty;
			expect(sent(others)).toEqual(['contact_id', filled]);
		}
		expectOnly(check(toContact, { ...empty, content }), {
			message: "There is nothing to send: 'Text', 'Image URL', 'File URL' are all empty",
			advice: 'Enter at least one of them for this item.',
		});
	},
);

test.each(byTitle.filter(([, { answer }]) => answer === 'many'))(
	'Limit counts for %s unless Return All is on',
	(title) => {
		expect(taken(title, { returnAll: false, limit: 7 }).limit).toBe(7);
		expect(taken(title, { returnAll: true, limit: 7 }).limit).toBeUndefined();
		expect(taken(title, { returnAll: 'true', limit: 'семь' }).limit).toBeUndefined();
		expect(taken(title, { returnAll: true, limit: unreadable }).limit).toBeUndefined();
		expect(told(title, { returnAll: false, limit: 'семь' })).toEqual([expect.stringContaining("'Limit'")]);
		expect(told(title, { returnAll: 'семь' })).toEqual([expect.stringContaining("'Return All'")]);
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
		expect(taken(title, changes).limits).toBe(limits);
	});

	test.each(byTitle.filter(([title]) => !title.startsWith('message/')))('of %s are none', (title) => {
		expect(taken(title).limits).toEqual({});
	});
});

describe('the labels of a request', () => {
	test.each(byTitle)(
		'of %s are those of the editor, and what its fields name is expected',
		(title, { fields }) => {
			const { all, expected } = taken(title).labels;
			expect([...all]).toEqual(fields.map(({ wire, label }) => [wire, label]));
			expect(expected).toEqual(
				fields.flatMap(({ label, whatItIs }) => (whatItIs ? [{ label, whatItIs }] : [])),
			);
		},
	);

	test('list fields with a value as expected, item by item, and name everything that the service may miss', () => {
		const checking = checkOf(create);
		const labelsOf = (changes: Changes) => takenOf(checking.of(given(sampleOf(create), changes))).labels;
		const bot = { label: 'Bot ID', whatItIs: 'bot with this ID' };
		for (const botId of empties) {
			expect(labelsOf({}).expected).toEqual([bot]);
			expect(labelsOf({ botId })).toEqual({ all: labelsOf({}).all, expected: [] });
		}
		expect(labelsOf({ showInMenu: undefined, fields: '' }).expected).toEqual([bot]);
	});

	test('are created once for items with the same applicable fields', () => {
		const checking = checkOf(toContact);
		const labelsOf = (changes: Changes) => takenOf(checking.of(given(sampleOf(toContact), changes))).labels;
		const labels = labelsOf({ contactId: 5 });
		expect(labelsOf({ contactId: 6, text: 'Другие слова' })).toBe(labels);
		expect(labelsOf({ content: ['text'] })).not.toBe(labels);
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
	const label = 'Send Once Per';

	/** Checks a message with the option. The check reads the stored parameters only to see whether the option is added. */
	const checkOnce = (title: string, value: unknown, changes: Changes = {}) =>
		checkOf(title, { options: { sendOncePer: '={{ $json.акция }}' } }).of(
			given(sampleOf(title), { [path]: value, ...changes }),
		);
	const keyOf = (...asked: Parameters<typeof checkOnce>) => takenOf(checkOnce(...asked)).dedupKey;

	describe.each([toContact, toExternalId, toNumber])('%s', (title) => {
		test.each<[string, Record<string, unknown>]>([
			['no options', {}],
			['empty options', { options: {} }],
			['another option', { options: { timeout: 5 } }],
		])('is not read if the user has not added the option: %s', (_, raw) => {
			const checking = checkOf(title, raw);
			expect(checking.sendOncePer).toBeUndefined();
			expect(checking.paths).not.toContain(path);
			for (const value of [undefined, 'осень', { id: 5 }])
				expect(takenOf(checking.of(given(sampleOf(title), { [path]: value }))).dedupKey).toBeUndefined();
		});

		test.each(['', 'осень', '={{ $json.акция }}'])(
			'is read if the user has added the option: %j',
			(sendOncePer) => {
				const checking = checkOf(title, { options: { sendOncePer } });
				expect(checking.sendOncePer).toBe(sampleOf(title).operation.sendOncePer);
				expect(checking.paths.filter((each) => each === path)).toEqual([path]);
			},
		);

		test.each(['', '  ', '\n\t'])(
			'has no key for the empty text %j, which is what the user means',
			(value) => {
				expect(keyOf(title, value)).toBeUndefined();
			},
		);

		test.each([undefined, null])('is refused if the expression returns %p', (value) => {
			expectOnly(checkOnce(title, value), {
				message: `'${label}' has no value`,
				advice: `The expression of '${label}' returns nothing for this item, so the node would send the message without protection. Correct the expression. If you want no protection for this item, let the expression return an empty text.`,
			});
		});

		test.each<[unknown, string[]]>([
			[{ id: 5 }, [`'${label}' must be text`]],
			[unreadable, [`'${label}' cannot be evaluated`]],
		])('is refused if it is %p', (value, expected) => {
			expect(messages(problemsOf(checkOnce(title, value)))).toEqual(expected);
		});

		test('is refused together with everything else that is wrong with the item', () => {
			const problems = problemsOf(checkOnce(title, null, { text: { a: 1 } }));
			expect(messages(problems)).toEqual(["'Text' must be text", `'${label}' has no value`]);
		});

		test.each(hostile)('is accepted, or refused by its label, if its value is hostile: %s', (_, make) => {
			const checked = checkOnce(title, make());
			if ('problems' in checked) expect(messages(checked.problems)[0]).toContain(`'${label}'`);
			else expect(checked.dedupKey).toEqual(expect.any(String));
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
				const found = values.flatMap((value) => texts.map((text) => keyOf(title, value, { text })));
				expect(new Set(found).size).toBe(1);
				// The key does not reveal the value.
				expect(found[0]).toMatch(/^[\w-]{32}$/);
				return found[0];
			});
			expect(new Set(keys).size).toBe(sameValues.length);
		});

		test('is not sent', () => {
			expect(takenOf(checkOnce(title, 'осень')).parameters).toEqual(taken(title).parameters);
		});
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

	test.each(byTitle.filter(([title]) => !title.startsWith('message/')))(
		'is not read by %s',
		(title, sample) => {
			const checking = checkOf(title, { options: { sendOncePer: 'осень' } });
			expect(checking.sendOncePer).toBeUndefined();
			expect(takenOf(checking.of(given(sample))).dedupKey).toBeUndefined();
		},
	);

	test.each<[string, string]>([
		['', ''],
		['Workflow is not saved', ' n8n says: "Workflow is not saved".'],
	])('is refused by its label if n8n has no store, with the error of n8n: %j', (words, said) => {
		const { message, advice } = withoutStore(label, words);
		expect(message).toContain(`'${label}'`);
		expect(advice).toMatch(/^Save the workflow/);
		expect(advice.endsWith(`leave '${label}' empty.${said}`)).toBe(true);
		expect(faultsOf({ message, description: advice })).toEqual([]);
	});
});

describe('the values that a check asks for', () => {
	test.each(operations)('are those at the paths of all fields of %s, once each', (_, same) => {
		// An option that is not added is not read.
		const { paths } = new Check(same[0]!.operation, { options: { includeInputFields: false } });
		const known = same.flatMap((sample) => Object.keys(sample.values));
		expect([...paths].sort()).toEqual([...new Set(known)].sort());
	});

	test.each(operations)('have the right resource locators for %s', (_, [sample]) => {
		const { paths, locators } = new Check(sample!.operation, {});
		const picked = ['tagName', 'variableName', 'variableId', 'schemaId', 'fieldSlug'];
		expect([...locators].sort()).toEqual(paths.filter((path) => picked.includes(path)).sort());
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
	])('are only those that apply for %s, not %j', (title, idle, changes) => {
		const asked = new Set<string>();
		const values = given(sampleOf(title), changes);
		const checking = checkOf(title);
		takenOf(
			checking.of((path) => {
				asked.add(path);
				return values(path);
			}),
		);
		expect([...asked].sort()).toEqual(checking.paths.filter((path) => !idle.includes(path)).sort());
	});
});

describe('a value that cannot be evaluated', () => {
	test.each(sentFields)("in %s is refused by its label, %s, with n8n's words", (title, label, { path }) => {
		expectOnly(check(title, { [path]: unreadable }), {
			message: `'${label}' cannot be evaluated`,
			advice: `Correct the expression of '${label}'. n8n says: "${unreadableError.message}".`,
		});
	});

	test.each<[string, string, string, string?]>([
		...decisions,
		['Return All', 'tag/getManyByBot', 'returnAll'],
	])(
		'is the only problem if it is %s of %s, which decides which other fields apply',
		(label, title, path) => {
			const allElseWrong = Object.fromEntries(sampleOf(title).fields.map((field) => [field.path, {}]));
			const found = told(title, { ...allElseWrong, [path]: unreadable });
			expect(found).toEqual([`'${label}' cannot be evaluated`]);
		},
	);

	test.each<[string, unknown, string]>([
		['a message', new Error('Нет узла'), 'Нет узла'],
		[
			'a message and a description',
			Object.assign(new Error('Нет узла'), { description: 'Узел "Лист" удалён' }),
			'Нет узла Узел "Лист" удалён',
		],
		['the same twice', { message: 'Нет узла', description: 'Нет узла' }, 'Нет узла'],
		['a description alone', { message: '', description: 'Нет узла' }, 'Нет узла'],
		['no words', new Error(''), ''],
		['words that are none', { message: 5, description: ['Нет'] }, ''],
		['a description that is none', { message: 'Нет узла', description: null }, 'Нет узла'],
		['a text', 'Нет узла', ''],
		['a number', 5, ''],
		['null', null, ''],
		['nothing', undefined, ''],
	])('is reported with the error of n8n: %s', (_, said, words) => {
		expect(wordsOf(said)).toBe(words);
		expect(unreadableProblem('Text', said)).toEqual({
			message: "'Text' cannot be evaluated",
			advice: `Correct the expression of 'Text'.${words && ` n8n says: "${words}".`}`,
		});
	});

	test('is reported with the error of n8n only in the advice, and shortened', () => {
		const { message, advice } = unreadableProblem('Text', new Error('ENOENT '.repeat(500)));
		expect(message).toBe("'Text' cannot be evaluated");
		expect(advice.length).toBeLessThan(700);
	});
});

describe('a value that throws when it is read', () => {
	test.each([...sentFields, ['tag/getManyByBot', 'Return All', { path: 'returnAll' }] as const])(
		'in %s is taken, or refused by its label: %s',
		(title, label, { path }) => {
			for (const [name, make] of hostile) {
				const checked = check(title, { returnAll: false, [path]: make() });
				if (!('problems' in checked)) continue;
				expect([name, checked.problems.length]).not.toEqual([name, 0]);
				for (const { message } of checked.problems) {
					expect([name, message.slice(0, label.length + 1)]).toEqual([name, `'${label}`]);
				}
			}
		},
	);

	test.each<[string, string, string, string?]>([
		...decisions,
		["Contact's Messenger", toContact, 'contactMessenger'],
		['Limit', 'tag/getManyByBot', 'limit'],
	])('is refused by its label as %s of %s', (label, title, path) => {
		for (const [name, make] of hostile) {
			const found = told(title, { returnAll: false, [path]: make() });
			expect([name, ...found]).toEqual([name, expect.stringMatching(`^'${label}' `)]);
		}
	});

	test.each(veryHostile)('is refused by its label if it throws %s', (_, make) => {
		expect(told(toNumber, { text: make() })).toEqual(["'Text' cannot be evaluated"]);
		expect(wordsOf(make())).toBe('');
	});
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
		fc.string({ unit: 'binary' }),
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
		responseType: mostly(fc.constantFrom('approval', 'freeText'), ['customForm']),
	};

	/** Fields that take the same values as a pasted one. */
	const alike: Record<string, string> = {
		fields: 'fieldsJson',
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
			const { operation, endpoint, title } = sample!;
			const { longInBody = false } = operation;
			const labels = [sample!, ...others].flatMap((each) => each.labels);
			// One check for all items, as in a run: what it keeps of an item must not affect the next item.
			const checking = new Check(operation, {});
			const values = fc.record(Object.fromEntries(checking.paths.map((path) => [path, valueOf(path)])));
			let takenCount = 0;
			fc.assert(
				fc.property(values, fc.integer({ min: 0, max: 4000 }), (generated, tokenLength) => {
					const checked = checking.of(given(sample!, generated));
					expect(checked).toEqual(check(title, generated));
					if ('problems' in checked) {
						expect(checked.problems).not.toEqual([]);
						for (const { message, advice } of checked.problems) {
							expect(labels.filter((label) => message.includes(`'${label}`))).not.toEqual([]);
							expect(advice).toMatch(/\.$/s);
						}
						return;
					}
					takenCount++;
					const path = `/api/v1/${endpoint}`;
					const parts = placeParameters(checked.parameters, { path, tokenLength, longInBody });
					expect(contract.checkParameters(endpoint, parts)).toEqual([]);
				}),
				{ numRuns: 100 },
			);
			// Otherwise the property would say little about accepted values.
			expect(takenCount).toBeGreaterThan(10);
		},
	);
});
