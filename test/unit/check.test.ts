import fc from 'fast-check';

import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { placeParameters } from '../../nodes/ChatbotService/client/placement';
import type { Field, Operation } from '../../nodes/ChatbotService/resources/operation';
import { messageLimits, whatsAppNumberLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { Check } from '../../nodes/ChatbotService/run/values/check';
import { unreadableProblem, withoutStore, wordsOf } from '../../nodes/ChatbotService/run/values/problems';
import type { Values } from '../../nodes/ChatbotService/run/values/reading';
import { loadContract } from '../../sandbox/emulator';
import { pasted } from '../pasted/values';
import { hostile, veryHostile } from './hostile';
import { byTitle, given, samples, type Sample } from './samples';
import { faultsOf } from './sentences';

const sampleOf = (title: string) => samples.find((each) => each.title === title)!;

const check = (operation: Operation, values: Values) => new Check(operation, {}).of(values);

/** Wire names and values that a check let through. */
function accepted(sample: Sample, values: Values): Record<string, unknown> {
	const checked = check(sample.operation, values);
	if ('problems' in checked) throw new Error(checked.problems.map(({ message }) => message).join('; '));
	return Object.fromEntries(checked.parameters.map(({ name, value }) => [name, value]));
}

function refused(sample: Sample, values: Values): Problem[] {
	const checked = check(sample.operation, values);
	if (!('problems' in checked)) throw new Error(`it took ${JSON.stringify(checked.parameters)}`);
	return checked.problems;
}

/** That this is all that is wrong, in words that n8n does not replace and that keep its guidelines. */
function expectOnly(problems: Problem[], expected: Problem) {
	expect(problems).toEqual([expected]);
	expect(faultsOf({ message: expected.message, description: expected.advice })).toEqual([]);
}

const messages = (problems: Problem[]) => problems.map(({ message }) => message);

/** What is told of a sample with wrong values. */
const told = (title: string, changes: Record<string, unknown>) =>
	messages(refused(sampleOf(title), given(sampleOf(title), changes)));

const empties = [undefined, null, '', ' \n '];
const fieldsThat = (fits: (sample: Sample, field: Sample['fields'][number]) => boolean) =>
	samples.flatMap((sample) =>
		sample.fields
			.filter((field) => fits(sample, field))
			.map((field) => [sample.title, field.label, sample, field] as const),
	);

/** Samples of one operation, which differ in the parameters that decide what applies. */
const operations = [...new Set(samples.map(({ operation }) => operation))].map(
	(operation): [string, Sample[]] => {
		const same = samples.filter((sample) => sample.operation === operation);
		return [same[0]!.title.split(' ')[0]!, same];
	},
);

describe('complete values', () => {
	test.each(byTitle)('the values of %s have their names, their place and their types', (_, sample) => {
		const checked = check(sample.operation, given(sample));
		expect(checked).toMatchObject({
			parameters: sample.fields.map(({ wire, sent }) => ({ name: wire, place: sample.place, value: sent })),
			limit: sample.values.limit,
		});
	});

	test.each(fieldsThat((_, { required }) => !required))(
		'in %s, %s may be empty, and is not sent then',
		(_, __, sample, field) => {
			for (const empty of empties) {
				const sent = accepted(sample, given(sample, { [field.path]: empty }));
				expect(Object.keys(sent)).toEqual(
					sample.fields.map(({ wire }) => wire).filter((wire) => wire !== field.wire),
				);
			}
		},
	);

	test.each(fieldsThat((_, { required }) => required))(
		'in %s, %s must not be empty',
		(_, __, sample, field) => {
			for (const empty of empties) {
				expectOnly(refused(sample, given(sample, { [field.path]: empty })), {
					message: `'${field.label}' is empty`,
					advice: `Enter a value for '${field.label}'. If the field contains an expression, check its result for this item.`,
				});
			}
		},
	);

	test('values of fields that do not apply are not sent, whatever they are', () => {
		const sample = sampleOf('message/send to a contact');
		const sent = accepted(sample, given(sample, { messenger: 'icq', botId: 'вася', externalId: {} }));
		expect(Object.keys(sent)).toEqual(['contact_id', 'text', 'image', 'file']);
	});

	describe('in a collection', () => {
		const sample = sampleOf('listSchema/addField');
		const collection = sample.operation.fields.find(({ type }) => type === 'collection')!;
		const options = collection.options as Field[];
		const own = sample.fields.filter(({ path }) => !path.includes('.')).map(({ wire }) => wire);
		const inside = sample.fields.filter(({ path }) => path.includes('.')).map(({ wire }) => wire);
		const forTypes = (...types: string[]) => ({ displayOptions: { show: { fieldType: types } } });

		/** What is sent of fields of each type, in a node whose collection is changed. */
		function sentWith(changed: Field, types: string[]): string[][] {
			const fields = sample.operation.fields.map((field) => (field === collection ? changed : field));
			const checking = new Check({ ...sample.operation, fields }, {});
			return types.map((fieldType) => {
				const checked = checking.of(given(sample, { fieldType }));
				if ('problems' in checked) throw new Error(messages(checked.problems).join('; '));
				return checked.parameters.map(({ name }) => name);
			});
		}

		const all = [...own, ...inside];
		const allButFirst = [...own, ...inside.slice(1)];

		test.each<[string, string[] | undefined, string[] | undefined, Record<string, string[]>]>([
			['the collection is', ['string', 'number'], undefined, { string: all, contact: own, number: all }],
			['they are', undefined, ['bot'], { number: allButFirst, bot: all }],
			[
				'both they and the collection are',
				['string', 'number'],
				['string', 'bot'],
				{ number: allButFirst, string: all, bot: own },
			],
		])('are sent only for items for which %s shown', (_, ofCollection, ofFirst, expected) => {
			const [first, ...others] = options;
			const changed = {
				...collection,
				...(ofCollection && forTypes(...ofCollection)),
				options: [{ ...first!, ...(ofFirst && forTypes(...ofFirst)) }, ...others],
			};
			expect(sentWith(changed, Object.keys(expected))).toEqual(Object.values(expected));
		});
	});

	test.each<[string, string, unknown, string]>([
		['message/send to a contact', 'recipient', 'кому-то', 'Send To'],
		['message/send to a contact', 'recipient', undefined, 'Send To'],
		['message/send to a contact', 'recipient', null, 'Send To'],
		['message/send to a contact', 'recipient', ['contact', 'externalId'], 'Send To'],
		['message/send to a contact', 'contactMessenger', 'icq', "Contact's Messenger"],
		['contactVariable/delete by name', 'deleteBy', 'номер', 'Delete By'],
		['contactVariable/delete by name', 'deleteBy', '', 'Delete By'],
		['listSchema/create with defined fields', 'fieldsInput', 'yaml', 'Fields Input'],
	])('in %s, %s must not be %j, as it decides what is sent', (title, control, value, label) => {
		const sample = sampleOf(title);
		const problems = refused(sample, given(sample, { [control]: value }));
		expect(problems).toHaveLength(1);
		expect(problems[0]!.message).toMatch(new RegExp(`^'${label}' `));
		const found = typeof value === 'object' ? JSON.stringify(value) : String(value);
		expect(problems[0]!.advice).toBe(
			`Choose one of them for '${label}', or let its expression return one. Received: "${found}".`,
		);
	});

	test('a parameter that decides what is sent may hold anything where it does not apply', () => {
		const sample = sampleOf('message/send to an external ID');
		expect(accepted(sample, given(sample, { contactMessenger: 'icq' }))).toHaveProperty('messenger');
	});

	test('where a choice is wrong that decides what applies, nothing else is told', () => {
		const wrong = { recipient: 'кому-то', content: ['video'], contactId: 'вася', imageUrl: 'кот.png' };
		expect(told('message/send to a contact', wrong)).toEqual([
			"'Send To' must be one of contact, externalId",
			"'Content' must be one of text, image, file",
		]);
		const other = { deleteBy: 'номер', contactId: '' };
		expect(told('contactVariable/delete by name', other)).toEqual(["'Delete By' must be one of name, id"]);
	});

	test('where a choice is wrong on which nothing depends, all else is told too', () => {
		const wrong = { contactMessenger: 'icq', contactId: 'вася' };
		expect(told('message/send to a contact', wrong)).toEqual([
			"'Contact ID' must be a whole number",
			"'Contact's Messenger' must be one of unknown, max, telegram, viber, vk, whatsapp",
		]);
	});
});

describe('the contents of a message', () => {
	const sample = sampleOf('message/send to a contact');
	const pathOf: Record<string, string> = { text: 'text', image: 'imageUrl', file: 'fileUrl' };
	const subsets = [
		...[['text'], ['image'], ['file'], ['text', 'image'], ['text', 'file'], ['image', 'file']],
		Object.keys(pathOf),
	];

	test.each(subsets.map((content): [string[]] => [content]))(
		'are those that are chosen, %j, of which at least one must have a value',
		(content) => {
			const sentWith = (changes: object) =>
				Object.keys(accepted(sample, given(sample, { ...changes, content })));
			expect(sentWith({})).toEqual(['contact_id', ...content]);
			for (const filled of content) {
				const others = content.filter((each) => each !== filled).map((each) => [pathOf[each], ' ']);
				expect(sentWith(Object.fromEntries(others))).toEqual(['contact_id', filled]);
			}
			const empty = { text: '', imageUrl: null, fileUrl: undefined, content };
			expectOnly(refused(sample, given(sample, empty)), {
				message: "There is nothing to send: 'Text', 'Image URL', 'File URL' are all empty",
				advice: 'Enter at least one of them for this item.',
			});
		},
	);

	test.each<[string, unknown, string]>([
		['none chosen', [], "'Content' is empty"],
		['nothing said', undefined, "'Content' must be one of text, image, file"],
		['an unknown one', ['video'], "'Content' must be one of text, image, file"],
		['an unknown one beside others', ['text', 'video'], "'Content' must be one of text, image, file"],
	])('must be chosen among those that exist: %s is refused', (_, content, message) => {
		expect(told('message/send to a contact', { content })).toEqual([message]);
	});
});

describe('Limit', () => {
	const many = samples.filter(({ answer }) => answer === 'many');

	test.each(many.map((each): [string, Sample] => [each.title, each]))(
		'counts for %s unless Return All is on',
		(_, sample) => {
			const limitOf = (controls: Record<string, unknown>) => {
				const checked = check(sample.operation, given(sample, controls));
				return 'problems' in checked ? messages(checked.problems) : checked.limit;
			};
			expect(limitOf({ returnAll: false, limit: 7 })).toBe(7);
			expect(limitOf({ returnAll: true, limit: 7 })).toBeUndefined();
			expect(limitOf({ returnAll: 'true', limit: 'семь' })).toBeUndefined();
			expect(limitOf({ returnAll: false, limit: 'семь' })).toEqual([expect.stringContaining("'Limit'")]);
		},
	);

	test('is not asked for by other operations', () => {
		for (const sample of samples.filter((each) => !many.includes(each))) {
			expect(check(sample.operation, given(sample, { returnAll: false, limit: 0 }))).toMatchObject({
				limit: undefined,
			});
		}
	});
});

/** What a check tells of a request besides what is sent. */
function facts(title: string, changes: Record<string, unknown> = {}) {
	const sample = sampleOf(title);
	const checked = check(sample.operation, given(sample, changes));
	if ('problems' in checked) throw new Error(messages(checked.problems).join('; '));
	return checked;
}

describe('the limits of a request', () => {
	const toContact = 'message/send to a contact';
	const toExternalId = 'message/send to an external ID';

	test.each(['whatsapp', 'telegram', 'viber', 'max', 'vk'])(
		'are those of %s for a message there, also to a contact who is said to be there',
		(messenger) => {
			const limits = messageLimits(messenger);
			expect(facts(toExternalId, { messenger }).limits).toBe(limits);
			expect(facts(toContact, { contactMessenger: messenger }).limits).toBe(limits);
		},
	);

	test.each([undefined, '', 'unknown'])(
		'are those of any messenger but WhatsApp for a contact whose messenger is %j',
		(contactMessenger) => {
			expect(facts(toContact, { contactMessenger }).limits).toBe(messageLimits(undefined));
		},
	);

	test('are those of its own for a message to a WhatsApp number', () => {
		expect(facts('message/sendToWhatsApp').limits).toBe(whatsAppNumberLimits);
	});

	test.each(byTitle.filter(([title]) => !title.startsWith('message/')))('are none for %s', (title) => {
		expect(facts(title).limits).toEqual({});
		expect(facts(title).limits).toBe(facts(title).limits);
	});
});

describe('the labels of a request', () => {
	test('name each parameter as the editor does', () => {
		for (const [title, { fields }] of byTitle) {
			expect([...facts(title).labels.all]).toEqual(fields.map(({ wire, label }) => [wire, label]));
		}
	});

	const bot = { label: 'Bot ID', whatItIs: 'bot with this ID' };
	const contact = { label: 'Contact ID', whatItIs: 'contact with this ID' };

	test.each(byTitle)('name as expected by %s what its fields name', (title, { fields }) => {
		const expected = fields.flatMap(({ label, whatItIs }) => (whatItIs ? [{ label, whatItIs }] : []));
		expect(facts(title).labels.expected).toEqual(expected);
	});

	const create = 'listSchema/create with defined fields';

	test.each(empties)('do not name as expected what was left empty: %j', (empty) => {
		expect(facts(create, { botId: empty }).labels.expected).toEqual([]);
	});

	test('name the same as expected where fields that name nothing are empty', () => {
		expect(facts(create, { showInMenu: undefined, fields: '' }).labels.expected).toEqual([bot]);
		expect(facts('contactVariable/upsert', { deletable: '' }).labels.expected).toEqual([contact]);
	});

	test('name a parameter that was left empty, for the service may miss it', () => {
		expect(facts(create, { botId: '' }).labels.all).toEqual(facts(create).labels.all);
	});

	test('are put together once for items of which the same applies', () => {
		const sample = sampleOf('message/send to a contact');
		const checking = new Check(sample.operation, {});
		const labelsOf = (changes: Record<string, unknown>) => {
			const checked = checking.of(given(sample, changes));
			return 'labels' in checked && checked.labels;
		};
		const labels = labelsOf({ contactId: 5 });
		expect(labelsOf({ contactId: 6, text: 'Другие слова' })).toBe(labels);
		expect(labelsOf({ content: ['text'] })).not.toBe(labels);
	});

	test('name as expected for the next item what was empty for one', () => {
		const sample = sampleOf(create);
		const checking = new Check(sample.operation, {});
		const expectedWith = (botId: unknown) => {
			const checked = checking.of(given(sample, { botId }));
			return 'labels' in checked && checked.labels.expected;
		};
		expect([2048, '', 2048, undefined].map(expectedWith)).toEqual([[bot], [], [bot], []]);
	});
});

describe('the target of a request', () => {
	const changing = byTitle.filter(([title]) => !/\/get|create/.test(title));

	test.each(changing)('is the same for %s however its values are written', (title, sample) => {
		const { target } = facts(title);
		expect(target).toEqual(expect.any(String));
		const rewritten = sample.fields.map(({ path, sent }) => [path, sent]);
		expect(facts(title, Object.fromEntries(rewritten)).target).toBe(target);
	});

	test.each<[string, string, unknown]>([
		['message/send to a contact', 'contactId', 5],
		['message/send to an external ID', 'externalId', '5'],
		['message/send to an external ID', 'messenger', 'max'],
		['message/sendToWhatsApp', 'phone', '+79160000000'],
		['tag/attach', 'contactId', 5],
		['contactVariable/upsert', 'contactId', 5],
		['listSchema/addField', 'schemaId', '5'],
	])('differs for %s with another %s', (title, path, value) => {
		expect(facts(title, { [path]: value }).target).not.toBe(facts(title).target);
	});

	test('differs for a contact, a person in a messenger and a list of the same ID', () => {
		const targets = [
			facts('tag/attach', { contactId: 5 }).target,
			facts('message/send to an external ID', { externalId: '5' }).target,
			facts('listSchema/delete', { schemaId: '5' }).target,
		];
		expect(new Set(targets).size).toBe(3);
	});

	test('is the same for all that is done to one contact', () => {
		const titles = ['tag/attach', 'tag/detach', 'contactVariable/upsert', 'message/send to a contact'];
		expect(new Set(titles.map((title) => facts(title).target)).size).toBe(1);
	});

	test.each(byTitle.filter(([title]) => /\/get|create/.test(title)))(
		'is none for %s, which changes nothing that is there already',
		(title) => {
			expect(facts(title).target).toBeUndefined();
		},
	);
});

describe('the identity of a request', () => {
	const toContact = 'message/send to a contact';
	const identityOf = (title: string, changes: Record<string, unknown> = {}) => {
		const sample = sampleOf(title);
		return new Check(sample.operation, {}).identityOf(given(sample, changes));
	};

	test.each(byTitle)('is known before anything else of %s is read', (title) => {
		expect(identityOf(title)).toBe(facts(title).identity);
	});

	test('is that of the recipient, whatever else the message says', () => {
		expect(identityOf(toContact, { text: '', imageUrl: 5 })).toBe(identityOf(toContact));
		expect(identityOf(toContact, { contactId: 5 })).not.toBe(identityOf(toContact));
	});

	test('is that of all that a deletion names', () => {
		const title = 'contactVariable/delete by name';
		expect(identityOf(title, { variableName: 'Другая' })).not.toBe(identityOf(title));
	});

	test.each<[string, Record<string, unknown>]>([
		['missing', { contactId: '' }],
		['wrong', { contactId: 'вася' }],
		['a decision that is wrong', { recipient: 'кому-то' }],
	])('is unknown where a value is %s', (_, changes) => {
		expect(identityOf(toContact, changes)).toBeUndefined();
	});

	test.each(['contactId', 'recipient'])('is unknown where %s cannot be read', (path) => {
		const sample = sampleOf(toContact);
		const values = unreadable(sample, { [path]: new Error('Нет узла') });
		expect(new Check(sample.operation, {}).identityOf(values)).toBeUndefined();
	});
});

describe('Send Once Per', () => {
	const toContact = 'message/send to a contact';
	const toExternalId = 'message/send to an external ID';
	const toNumber = 'message/sendToWhatsApp';
	const titles = [toContact, toExternalId, toNumber];
	const path = 'options.sendOncePer';
	const label = 'Send Once Per';

	/** Checks a message with the option; what stands in the node is said only by whether it is there. */
	const checkOnce = (title: string, value: unknown, changes: Record<string, unknown> = {}) => {
		const sample = sampleOf(title);
		const raw = { options: { sendOncePer: '={{ $json.акция }}' } };
		return new Check(sample.operation, raw).of(given(sample, { [path]: value, ...changes }));
	};
	const onceOf = (...asked: Parameters<typeof checkOnce>) => {
		const checked = checkOnce(...asked);
		if ('problems' in checked) throw new Error(messages(checked.problems).join('; '));
		return checked.dedupKey;
	};
	const problemsOf = (...asked: Parameters<typeof checkOnce>) => {
		const checked = checkOnce(...asked);
		if (!('problems' in checked)) throw new Error(`it took ${checked.dedupKey}`);
		return checked.problems;
	};

	describe.each(titles)('%s', (title) => {
		test.each<[string, Record<string, unknown>]>([
			['no options', {}],
			['empty options', { options: {} }],
			['another option', { options: { timeout: 5 } }],
		])('is not asked for where the user has not added the option: %s', (_, raw) => {
			const sample = sampleOf(title);
			const check = new Check(sample.operation, raw);
			expect(check.sendOncePer).toBeUndefined();
			expect(check.paths).not.toContain(path);
			for (const value of [undefined, null, 'осень', { id: 5 }]) {
				expect(check.of(given(sample, { [path]: value }))).toMatchObject({ dedupKey: undefined });
			}
		});

		test('is asked for where the user has added the option, even empty', () => {
			const { operation } = sampleOf(title);
			for (const sendOncePer of ['', 'осень', '={{ $json.акция }}']) {
				const check = new Check(operation, { options: { sendOncePer } });
				expect(check.sendOncePer).toBe(operation.sendOncePer);
				expect(check.paths.filter((each) => each === path)).toEqual([path]);
			}
		});

		test.each(['', '  ', '\n\t'])(
			'has no key for the empty text %j, which is what the user means',
			(value) => {
				expect(onceOf(title, value)).toBeUndefined();
			},
		);

		test.each([undefined, null])('is refused where the expression yields %p', (value) => {
			expectOnly(problemsOf(title, value), {
				message: `'${label}' has no value`,
				advice: `The expression of '${label}' returns nothing for this item, so the node would send the message without protection. Correct the expression. If you want no protection for this item, let the expression return an empty text.`,
			});
		});

		test('is refused where it is no text', () => {
			expect(messages(problemsOf(title, { id: 5 }))).toEqual([`'${label}' must be text`]);
		});

		test('gives a key that does not tell its value', () => {
			expect(onceOf(title, 'осенняя распродажа')).toMatch(/^[\w-]{32}$/);
		});

		test('is not sent', () => {
			const parametersOf = (value: unknown) =>
				(checkOnce(title, value) as { parameters: unknown[] }).parameters;
			expect(parametersOf('осень')).toEqual(parametersOf(''));
		});

		test('gives the same key for the same value, whatever the message says', () => {
			const once = onceOf(title, 'осень');
			expect(onceOf(title, 'осень')).toBe(once);
			expect(onceOf(title, ' осень\n')).toBe(once);
			expect(onceOf(title, 'осень', { text: 'Другие слова' })).toBe(once);
		});

		test('gives the same key for a number or a boolean as for its text', () => {
			expect(onceOf(title, 1048576)).toBe(onceOf(title, '1048576'));
			expect(onceOf(title, 0)).toBe(onceOf(title, '0'));
			expect(onceOf(title, true)).toBe(onceOf(title, 'true'));
			expect(onceOf(title, false)).toBe(onceOf(title, 'false'));
		});

		test('gives another key for each other value', () => {
			const values = ['осень', 'Осень', 'осень 2', '5', '05', '5.0', 'true', '+7916', '7916'];
			expect(new Set(values.map((value) => onceOf(title, value))).size).toBe(values.length);
		});

		test('is refused together with all else that is wrong with the item', () => {
			expect(messages(problemsOf(title, null, { text: { a: 1 } }))).toEqual([
				"'Text' must be text",
				`'${label}' has no value`,
			]);
		});

		test('is refused by its label where its expression cannot be evaluated', () => {
			const sample = sampleOf(title);
			const values: Values = (asked) => {
				if (asked === path) throw new Error('Нет узла');
				return given(sample)(asked);
			};
			const checked = new Check(sample.operation, { options: { sendOncePer: '={{ 5 }}' } }).of(values);
			expect(checked).toEqual({ problems: [unreadableProblem(label, new Error('Нет узла'))] });
		});

		test.each(hostile)('is taken, or refused by its label, where its value is hostile: %s', (_, make) => {
			const checked = checkOnce(title, make());
			if ('problems' in checked) expect(messages(checked.problems)[0]).toContain(`'${label}'`);
			else expect(checked.dedupKey).toEqual(expect.any(String));
		});
	});

	test('gives another key for each recipient', () => {
		expect(onceOf(toContact, 'осень', { contactId: 5 })).not.toBe(
			onceOf(toContact, 'осень', { contactId: 6 }),
		);
	});

	test('does not take the end of one value for the beginning of another', () => {
		const target = (id: string) => `messenger vk contact_external_id ${id}`;
		const [once, other] = [
			onceOf(toExternalId, 'осень', { messenger: 'vk', externalId: `анна ${target('иван')}` }),
			onceOf(toExternalId, `осень ${target('анна')}`, { messenger: 'vk', externalId: 'иван' }),
		];
		expect(once).not.toBe(other);
	});

	test('gives the same key for the same value and recipient alone (generated)', () => {
		const pairs = fc.tuple(fc.string({ minLength: 1 }), fc.string({ minLength: 1 }));
		fc.assert(
			fc.property(pairs, pairs, ([value, id], [otherValue, otherId]) => {
				const texts = [value, id, otherValue, otherId];
				fc.pre(texts.every((text) => text.trim() !== '' && !/^[+\s\d().-]*$/.test(text)));
				const isSame = value.trim() === otherValue.trim() && id.trim() === otherId.trim();
				const [once, other] = [
					onceOf(toExternalId, value, { externalId: id }),
					onceOf(toExternalId, otherValue, { externalId: otherId }),
				];
				expect(once === other).toBe(isSame);
			}),
		);
	});

	test.each(byTitle.filter(([title]) => !title.startsWith('message/')))(
		'is not asked for by %s',
		(_, sample) => {
			const check = new Check(sample.operation, { options: { sendOncePer: 'осень' } });
			expect(check.sendOncePer).toBeUndefined();
			expect(check.of(given(sample))).toMatchObject({ dedupKey: undefined });
		},
	);

	test.each<[string, string]>([
		['', ''],
		['Workflow is not saved', ' n8n says: "Workflow is not saved".'],
	])('is refused by its label where n8n has no store, with what n8n says: %j', (words, said) => {
		const { message, advice } = withoutStore(label, words);
		expect(message).toContain(`'${label}'`);
		expect(advice).toMatch(/^Save the workflow/);
		expect(advice.endsWith(`leave '${label}' empty.${said}`)).toBe(true);
		expect(faultsOf({ message, description: advice })).toEqual([]);
	});

	test('is refused where n8n has no store, whatever n8n has thrown', () => {
		expect(wordsOf(new Error('Нет хранилища'))).toBe('Нет хранилища');
		expect(wordsOf({ message: '', description: 'Нет хранилища' })).toBe('Нет хранилища');
		expect([null, undefined, 5, {}].map(wordsOf)).toEqual(['', '', '', '']);
		for (const [, make] of veryHostile) expect(wordsOf(make())).toBe('');
	});
});

describe('the values that a check asks for', () => {
	test.each(operations)('are those at the paths of all that %s can have, once each', (_, same) => {
		const { paths } = new Check(same[0]!.operation, {});
		const known = same.flatMap((sample) => Object.keys(sample.values));
		expect([...paths].sort()).toEqual([...new Set(known)].sort());
	});

	test.each(operations)('are told apart for %s: which are picked from a list or typed', (_, [sample]) => {
		const { paths, locators } = new Check(sample!.operation, {});
		const picked = ['tagName', 'variableName', 'variableId', 'schemaId', 'fieldSlug'];
		expect([...locators].sort()).toEqual(paths.filter((path) => picked.includes(path)).sort());
	});

	test.each<[string, string[]]>([
		['tag/attach', ['botId']],
		['tag/getManyByBot', ['limit']],
		['contactVariable/delete by name', ['variableId']],
		['contactVariable/delete by ID', ['variableName']],
		['message/send to a contact', ['messenger', 'botId', 'externalId']],
		['message/send to an external ID', ['contactId', 'contactMessenger']],
		['listSchema/create with defined fields', ['fieldsJson']],
		['listSchema/create with fields as JSON', ['fields']],
	])('are only those that apply for %s, not %j', (title, idle) => {
		const asked = new Set<string>();
		const sample = sampleOf(title);
		const values = given(sample, { returnAll: true });
		accepted(sample, (path) => {
			asked.add(path);
			return values(path);
		});
		const { paths } = new Check(sample.operation, {});
		expect([...asked].sort()).toEqual(paths.filter((path) => !idle.includes(path)).sort());
	});

	test('are those that apply to each item, whatever applied to the one before', () => {
		const contact = sampleOf('message/send to a contact');
		const person = sampleOf('message/send to an external ID');
		const { operation } = contact;
		const items = [
			given(contact),
			given(person),
			given(contact, { content: ['image'] }),
			given(contact),
			given(contact, { content: 'text' }),
			given(person, { recipient: 'кому-то' }),
			given(person, { messenger: 'whatsapp' }),
			given(contact),
		];
		const checking = new Check(operation, {});
		expect(items.map((values) => checking.of(values))).toEqual(
			items.map((values) => check(operation, values)),
		);
	});
});

/** Values of which some cannot be evaluated, for the reason that is given. */
function unreadable(sample: Sample, causes: Record<string, unknown>, changes = {}): Values {
	const values = given(sample, changes);
	return (path) => {
		if (path in causes) throw causes[path];
		return values(path);
	};
}

describe('a value that cannot be evaluated', () => {
	const cause = new Error("Referenced node doesn't exist");

	test.each(fieldsThat(() => true))(
		"in %s is refused by its label, %s, with n8n's words",
		(_, label, sample, field) => {
			expectOnly(refused(sample, unreadable(sample, { [field.path]: cause })), {
				message: `'${label}' cannot be evaluated`,
				advice: `Correct the expression of '${label}'. n8n says: "Referenced node doesn't exist".`,
			});
		},
	);

	test('is told together with all else that is wrong with the item', () => {
		const sample = sampleOf('message/send to a contact');
		const values = unreadable(
			sample,
			{ contactId: cause, fileUrl: cause, contactMessenger: cause },
			{ imageUrl: 'кот.png' },
		);
		expect(messages(refused(sample, values))).toEqual([
			"'Contact ID' cannot be evaluated",
			"'Image URL' must be a complete URL",
			"'File URL' cannot be evaluated",
			"'Contact's Messenger' cannot be evaluated",
		]);
	});

	test('does not count as empty: the contents are not said to be all empty', () => {
		const sample = sampleOf('message/send to a contact');
		const values = unreadable(sample, { text: cause }, { imageUrl: '', fileUrl: '' });
		expect(messages(refused(sample, values))).toEqual(["'Text' cannot be evaluated"]);
	});

	test.each<[string, string, string]>([
		['message/send to a contact', 'recipient', 'Send To'],
		['message/send to a contact', 'content', 'Content'],
		['contactVariable/delete by name', 'deleteBy', 'Delete By'],
		['listSchema/create with defined fields', 'fieldsInput', 'Fields Input'],
		['tag/getManyByBot', 'returnAll', 'Return All'],
	])('is all that is told of %s where it is %s, which decides what else applies', (title, path, label) => {
		const sample = sampleOf(title);
		// All else is wrong too.
		const wrong = Object.fromEntries(sample.fields.map((field) => [field.path, {}]));
		expect(messages(refused(sample, unreadable(sample, { [path]: cause }, wrong)))).toEqual([
			`'${label}' cannot be evaluated`,
		]);
	});

	test('is told of every parameter that decides what applies', () => {
		const sample = sampleOf('message/send to a contact');
		expect(messages(refused(sample, unreadable(sample, { recipient: cause, content: cause })))).toEqual([
			"'Send To' cannot be evaluated",
			"'Content' cannot be evaluated",
		]);
	});

	test('is told of Limit where it counts', () => {
		const sample = sampleOf('tag/getManyByBot');
		const limit = unreadable(sample, { limit: cause }, { returnAll: false });
		expect(messages(refused(sample, limit))).toEqual(["'Limit' cannot be evaluated"]);
		const all = unreadable(sample, { limit: cause }, { returnAll: true });
		expect(check(sample.operation, all)).toMatchObject({ limit: undefined });
	});

	test('does no harm where it does not apply', () => {
		const sample = sampleOf('message/send to a contact');
		const idle = { messenger: cause, botId: cause, externalId: cause, imageUrl: cause, fileUrl: cause };
		expect(accepted(sample, unreadable(sample, idle, { content: ['text'] }))).toEqual(
			accepted(sample, given(sample, { content: ['text'] })),
		);
		const attach = sampleOf('tag/attach');
		expect(accepted(attach, unreadable(attach, { botId: cause }))).toEqual(accepted(attach, given(attach)));
	});

	test('does no harm to the items after it', () => {
		const sample = sampleOf('message/send to a contact');
		const checking = new Check(sample.operation, {});
		expect(checking.of(unreadable(sample, { content: cause, recipient: cause }))).toHaveProperty('problems');
		expect(checking.of(given(sample))).toEqual(check(sample.operation, given(sample)));
		expect(checking.of(unreadable(sample, { recipient: cause }))).toHaveProperty('problems');
	});

	test.each<[string, unknown, string]>([
		['a message', new Error('Нет узла'), ' n8n says: "Нет узла".'],
		[
			'a message and a description',
			Object.assign(new Error('Нет узла'), { description: 'Узел "Лист" удалён' }),
			' n8n says: "Нет узла Узел "Лист" удалён".',
		],
		['the same twice', { message: 'Нет узла', description: 'Нет узла' }, ' n8n says: "Нет узла".'],
		['a description alone', { message: '', description: 'Нет узла' }, ' n8n says: "Нет узла".'],
		['no words', new Error(''), ''],
		['words that are none', { message: 5, description: ['Нет'] }, ''],
		['a description that is none', { message: 'Нет узла', description: null }, ' n8n says: "Нет узла".'],
		['a text', 'Нет узла', ''],
		['a number', 5, ''],
		['null', null, ''],
		['nothing', undefined, ''],
	])('is told with what n8n says of it: %s', (_, said, words) => {
		const expected = {
			message: "'Text' cannot be evaluated",
			advice: `Correct the expression of 'Text'.${words}`,
		};
		expect(unreadableProblem('Text', said)).toEqual(expected);
	});

	test('is told with what n8n says in the advice alone, and not at full length', () => {
		const { message, advice } = unreadableProblem('Text', new Error('ENOENT '.repeat(500)));
		expect(message).toBe("'Text' cannot be evaluated");
		expect(advice.length).toBeLessThan(700);
	});
});

describe('a value that throws when it is read', () => {
	test.each(fieldsThat(() => true))(
		'in %s is taken, or refused by its label: %s',
		(_, label, sample, field) => {
			for (const [name, make] of hostile) {
				const checked = check(sample.operation, given(sample, { [field.path]: make() }));
				if (!('problems' in checked)) continue;
				expect([name, checked.problems.length]).not.toEqual([name, 0]);
				for (const { message } of checked.problems) {
					expect([name, message.slice(0, label.length + 1)]).toEqual([name, `'${label}`]);
				}
			}
		},
	);

	test.each(veryHostile)('is refused by its label where it throws %s', (_, make) => {
		expect(told('message/sendToWhatsApp', { text: make() })).toEqual(["'Text' cannot be evaluated"]);
	});

	test.each<[string, string, string]>([
		['message/send to a contact', 'contactMessenger', "Contact's Messenger"],
		['tag/getManyByBot', 'limit', 'Limit'],
		['message/send to a contact', 'recipient', 'Send To'],
		['message/send to a contact', 'content', 'Content'],
		['contactVariable/delete by name', 'deleteBy', 'Delete By'],
		['listSchema/create with defined fields', 'fieldsInput', 'Fields Input'],
	])('in %s is refused as %s under the label %s', (title, path, label) => {
		for (const [name, make] of hostile) {
			const said = told(title, { returnAll: false, [path]: make() });
			expect([name, said.filter((each) => each.startsWith(`'${label}' `)).length]).toEqual([name, 1]);
		}
	});

	test('is taken or refused by its label as Return All', () => {
		const sample = sampleOf('tag/getManyByBot');
		for (const [name, make] of hostile) {
			const checked = check(sample.operation, given(sample, { returnAll: make(), limit: 7 }));
			const isTaken = !('problems' in checked) && checked.limit === 7;
			const said = 'problems' in checked ? messages(checked.problems) : [];
			expect([name, isTaken || said.length]).toEqual([name, isTaken || 1]);
			for (const message of said) expect(message).toMatch(/^'Return All' /);
		}
	});
});

describe('generated values', () => {
	const contract = loadContract();

	/** JSON that lies in wait for a careless reader, besides any other. */
	const json = fc.oneof(
		{ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown> },
		fc.constantFrom<unknown>({ toJSON: 5 }, { toString: 5, valueOf: 5 }, { length: 1 }, [[]], [null], {}),
		fc.constantFrom<unknown>('', '0', 'null', '{}', '[]', -0, 1e21),
		fc.string({ unit: 'binary' }),
	);
	/** Values that are mostly right, so that whole items are right often enough to be looked at. */
	const mostly = (right: fc.Arbitrary<unknown>, ...wrong: unknown[]) =>
		fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
	const words = mostly(
		fc.oneof(
			fc.string({ unit: 'grapheme', minLength: 1 }),
			fc.constantFrom<unknown>('Клиент', ' Город ', 5, true, 'Привет \ud83d'),
		),
		' ',
		NaN,
	);
	/** Fields that take the same values as a pasted one. */
	const alike: Record<string, string> = {
		fields: 'fieldsJson',
		'fieldOptions.required': 'showInMenu',
		'fieldOptions.hidden': 'showInMenu',
		'fieldOptions.encrypted': 'showInMenu',
	};
	/** Values that people paste into a field; words for all others. */
	const plausible = (path: string) => {
		const into = pasted.find(({ field }) => field === (alike[path] ?? path));
		if (!into) return words;
		const [taken, refused] = [into.taken, into.refused].map((rows) => rows.map(([value]) => value));
		return mostly(fc.constantFrom(...taken!), ...refused!);
	};
	const cannotBeEvaluated = Symbol('cannot be evaluated');
	const valueOf = (path: string) =>
		fc.oneof(
			{ weight: 20, arbitrary: plausible(path) },
			{ weight: 1, arbitrary: json },
			{ weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, cannotBeEvaluated) },
		);
	const controls = fc.record({
		// In a workflow that a program wrote, even these can be expressions.
		recipient: mostly(fc.constantFrom('contact', 'externalId'), undefined, '', 'кому-то', ['contact']),
		contactMessenger: mostly(
			fc.constantFrom('unknown', 'telegram'),
			'icq',
			{ toString: 5 },
			cannotBeEvaluated,
		),
		content: mostly(fc.subarray(['text', 'image', 'file']), undefined, 'text', ['video'], cannotBeEvaluated),
		deleteBy: mostly(fc.constantFrom('name', 'id'), undefined, null, 'номер'),
		fieldsInput: mostly(fc.constantFrom('define', 'json'), undefined, 'yaml'),
		returnAll: fc.boolean(),
		limit: mostly(fc.integer({ min: 1, max: 500 }), 0, 'семь', {}),
	});

	test.each(operations)(
		'of %s are sent as the contract says or refused by their labels, and nothing is thrown',
		(_, [sample, ...others]) => {
			const fieldsOf = [sample!, ...others].flatMap((each) => each.fields);
			const paths = [...new Set(fieldsOf.map(({ path }) => path))];
			const choices = ['Send To', "Contact's Messenger", 'Content', 'Delete By', 'Fields Input', 'Limit'];
			const labels = [...fieldsOf.map(({ label }) => label), ...choices];
			const values = fc.record(Object.fromEntries(paths.map((path) => [path, valueOf(path)])));
			// One for all, as a run has it: what it keeps of an item must not tell on the next.
			const checking = new Check(sample!.operation, {});
			let taken = 0;
			fc.assert(
				fc.property(
					values,
					controls,
					fc.integer({ min: 0, max: 4000 }),
					(generated, control, tokenLength) => {
						const all: Record<string, unknown> = { ...control, ...generated };
						const read: Values = (path) => {
							if (all[path] === cannotBeEvaluated) throw new Error('Нет узла');
							return all[path];
						};
						const checked = checking.of(read);
						expect(checked).toEqual(check(sample!.operation, read));
						if ('problems' in checked) {
							expect(checked.problems).not.toEqual([]);
							for (const { message, advice } of checked.problems) {
								expect(labels.filter((label) => message.includes(`'${label}`))).not.toEqual([]);
								expect(advice).toMatch(/\.$/s);
							}
							return;
						}
						taken++;
						const { longInBody = false } = sample!.operation;
						const path = `/api/v1/${sample!.endpoint}`;
						const parts = placeParameters(checked.parameters, { path, tokenLength, longInBody });
						expect(contract.checkParameters(sample!.endpoint, parts)).toEqual([]);
					},
				),
				{ numRuns: 100 },
			);
			// Else the property would say little about what is taken.
			expect(taken).toBeGreaterThan(10);
		},
	);
});
