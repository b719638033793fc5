import fc from 'fast-check';

import type { Problem, Sought } from '../../nodes/ChatbotService/client/failure';
import { placeParameters } from '../../nodes/ChatbotService/client/placement';
import type { Operation } from '../../nodes/ChatbotService/resources/operation';
import { Check, unreadableProblem, withoutStore, wordsOf } from '../../nodes/ChatbotService/run/check';
import { Unreadable, type Values } from '../../nodes/ChatbotService/run/reading';
import { endpoints } from '../description/table';
import { loadContract, type Contract } from './contract';
import { hostile, veryHostile } from './hostile';
import { byTitle, given, samples, valuesOf, type Sample } from './samples';
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

const messages = (problems: Problem[]) => problems.map(({ message }) => message);
const empties: Array<[string, unknown]> = [
	['missing', undefined],
	['null', null],
	['an empty text', ''],
	['blanks', ' \n '],
];
const fieldsThat = (fits: (sample: Sample, field: Sample['fields'][number]) => boolean) =>
	samples.flatMap((sample) =>
		sample.fields
			.filter((field) => fits(sample, field))
			.map((field): [string, string, Sample, Sample['fields'][number]] => [
				sample.title,
				field.label,
				sample,
				field,
			]),
	);

/** Samples of one operation, which differ in the parameters that decide what applies. */
const operations = [...new Set(samples.map(({ operation }) => operation))].map(
	(operation): [string, Sample[]] => {
		const same = samples.filter((sample) => sample.operation === operation);
		return [same[0]!.title.split(' ')[0]!, same];
	},
);

test('no operation is missing here', () => {
	expect([...new Set(samples.map(({ endpoint }) => endpoint))].sort()).toEqual(endpoints);
});

describe('complete values', () => {
	test.each(byTitle)('%s: each with its name, its place and its type', (_, sample) => {
		const checked = check(sample.operation, given(sample));
		expect(checked).toMatchObject({
			parameters: sample.fields.map(({ wire, sent }) => ({ name: wire, place: sample.place, value: sent })),
			limit: undefined,
		});
	});

	test.each(fieldsThat((_, { required }) => !required))(
		'%s: %s may be empty and then stays out',
		(_, __, sample, field) => {
			for (const [, empty] of empties) {
				const sent = accepted(sample, given(sample, { [field.path]: empty }));
				expect(Object.keys(sent)).toEqual(
					sample.fields.map(({ wire }) => wire).filter((wire) => wire !== field.wire),
				);
			}
		},
	);

	test.each(fieldsThat((_, { required }) => required))('%s: %s must not be empty', (_, __, sample, field) => {
		for (const [, empty] of empties) {
			const problems = refused(sample, given(sample, { [field.path]: empty }));
			expect(problems).toEqual([
				{
					message: `'${field.label}' is empty`,
					advice: `Enter a value for '${field.label}'. If an expression fills it in, look at what it gives for this item.`,
				},
			]);
			expect(faultsOf({ message: problems[0]!.message, description: problems[0]!.advice })).toEqual([]);
		}
	});

	test('values of fields that do not apply stay out, whatever they are', () => {
		const sample = sampleOf('message/send to a contact');
		const sent = accepted(sample, given(sample, { messenger: 'icq', botId: 'вася', externalId: {} }));
		expect(Object.keys(sent)).toEqual(['contact_id', 'text', 'image', 'file']);
	});

	test.each<[string, string, string[]]>([
		['message/send to a contact', 'externalId', ['Messenger', 'Bot ID', 'Phone Number or Messenger ID']],
		['message/send to an external ID', 'contact', ['Contact ID']],
	])('%s, but to %s: what that needs is missed', (title, recipient, labels) => {
		const sample = sampleOf(title);
		expect(messages(refused(sample, given(sample, { recipient })))).toEqual(
			labels.map((label) => `'${label}' is empty`),
		);
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
	])('%s: %s that is %j is refused, for it decides what is sent', (title, control, value, label) => {
		const sample = sampleOf(title);
		const problems = refused(sample, given(sample, { [control]: value }));
		expect(problems).toHaveLength(1);
		expect(problems[0]!.message).toMatch(new RegExp(`^'${label}' `));
		const found = typeof value === 'object' ? JSON.stringify(value) : String(value);
		expect(problems[0]!.advice).toBe(
			`Choose one of them for '${label}', or let its expression give one. Received: "${found}".`,
		);
	});

	test('a parameter that decides what is sent may hold anything where it does not apply', () => {
		const sample = sampleOf('message/send to an external ID');
		expect(accepted(sample, given(sample, { contactMessenger: 'icq' }))).toHaveProperty('messenger');
	});

	test('what may be chosen is said', () => {
		const sample = sampleOf('message/send to a contact');
		expect(messages(refused(sample, given(sample, { recipient: 'кому-то' })))).toEqual([
			"'Send To' must be one of contact, externalId",
		]);
	});

	test('of a wrong choice no more is said: nobody knows what else the item needs', () => {
		const sample = sampleOf('message/send to a contact');
		const wrong = {
			recipient: 'кому-то',
			content: ['video'],
			contactId: 'вася',
			text: '',
			imageUrl: 'кот.png',
		};
		expect(messages(refused(sample, given(sample, wrong)))).toEqual([
			"'Send To' must be one of contact, externalId",
			"'Content' must be one of text, image, file",
		]);
		const other = sampleOf('contactVariable/delete by name');
		expect(messages(refused(other, given(other, { deleteBy: 'номер', contactId: '' })))).toEqual([
			"'Delete By' must be one of name, id",
		]);
	});

	test('a wrong choice on which nothing depends is told beside all else', () => {
		const sample = sampleOf('message/send to a contact');
		const wrong = { contactMessenger: 'icq', contactId: 'вася' };
		expect(messages(refused(sample, given(sample, wrong)))).toEqual([
			"'Contact ID' must be a whole number",
			"'Contact's Messenger' must be one of unknown, max, telegram, viber, vk, whatsapp",
		]);
	});

	test('every fault of an item is told at once', () => {
		const sample = sampleOf('message/sendToWhatsApp');
		expect(messages(refused(sample, given(sample, { botId: 'вася', phone: 'дом', text: '' })))).toEqual([
			"'Bot ID' must be a whole number",
			"'Phone Number' must be a phone number",
			"'Text' is empty",
		]);
	});
});

describe('the contents of a message', () => {
	const sample = sampleOf('message/send to a contact');
	const pathOf: Record<string, string> = { text: 'text', image: 'imageUrl', file: 'fileUrl' };
	const subsets = [
		['text'],
		['image'],
		['file'],
		['text', 'image'],
		['text', 'file'],
		['image', 'file'],
		['text', 'image', 'file'],
	];

	test.each(subsets.map((content): [string[]] => [content]))('%j: these and no others', (content) => {
		expect(Object.keys(accepted(sample, given(sample, { content })))).toEqual(['contact_id', ...content]);
	});

	test.each(subsets.map((content): [string[]] => [content]))(
		'%j: one of them with a value is enough',
		(content) => {
			for (const filled of content) {
				const others = Object.fromEntries(
					content.filter((each) => each !== filled).map((each) => [pathOf[each], ' ']),
				);
				expect(Object.keys(accepted(sample, given(sample, { ...others, content })))).toEqual([
					'contact_id',
					filled,
				]);
			}
		},
	);

	test.each(subsets.map((content): [string[]] => [content]))('%j: all empty is refused', (content) => {
		const problems = refused(
			sample,
			given(sample, { text: '', imageUrl: null, fileUrl: undefined, content }),
		);
		expect(problems).toEqual([
			{
				message: "There is nothing to send: 'Text', 'Image URL', 'File URL' are all empty",
				advice: 'Enter at least one of them for this item.',
			},
		]);
		expect(faultsOf({ message: problems[0]!.message, description: problems[0]!.advice })).toEqual([]);
	});

	test.each<[string, unknown, string]>([
		['none chosen', [], "'Content' is empty"],
		['nothing said', undefined, "'Content' must be one of text, image, file"],
		['an unknown one', ['video'], "'Content' must be one of text, image, file"],
		['an unknown one beside others', ['text', 'video'], "'Content' must be one of text, image, file"],
	])('%s is refused, though there are values', (_, content, message) => {
		const problems = refused(sample, given(sample, { content }));
		expect(messages(problems)).toEqual([message]);
	});

	test('one that is wrong is told even where another is right', () => {
		const problems = refused(sample, given(sample, { imageUrl: 'кот.png' }));
		expect(messages(problems)).toEqual(["'Image URL' must be a whole address"]);
	});
});

describe('how many results', () => {
	const many = samples.filter(({ title }) =>
		/^(tag\/getMany|contactVariable\/getAll|listSchema\/getAll)/.test(title),
	);

	test.each(many.map((each): [string, Sample] => [each.title, each]))(
		'%s: Limit counts unless all are wanted',
		(_, sample) => {
			const limitOf = (controls: Record<string, unknown>) => {
				const checked = check(sample.operation, given(sample, controls));
				return 'problems' in checked ? messages(checked.problems) : checked.limit;
			};
			expect(limitOf({ returnAll: false, limit: 7 })).toBe(7);
			expect(limitOf({ returnAll: false, limit: '7' })).toBe(7);
			expect(limitOf({ returnAll: 'false', limit: 7 })).toBe(7);
			expect(limitOf({ returnAll: true, limit: 7 })).toBeUndefined();
			expect(limitOf({ returnAll: 'true', limit: 'семь' })).toBeUndefined();
			for (const limit of [0, -1, 1.5, 'семь', '', null, undefined]) {
				expect(limitOf({ returnAll: false, limit })).toEqual([expect.stringContaining("'Limit'")]);
			}
		},
	);

	test('no other operation asks for a limit', () => {
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

describe('the pace of a message', () => {
	const toContact = 'message/send to a contact';
	const toExternalId = 'message/send to an external ID';
	const tenIn10s = { count: 10, windowMs: 10_000 };

	test.each<[string, object[]]>([
		['whatsapp', [{ count: 1, windowMs: 10_000 }]],
		['telegram', [tenIn10s]],
		['viber', [tenIn10s]],
		['max', [tenIn10s]],
		['vk', []],
	])(
		'in %s is that of the interface, the same for a contact who is said to be there',
		(messenger, limits) => {
			const { limits: ownLimits } = facts(toExternalId, { messenger });
			expect(Object.values(ownLimits)).toEqual(limits);
			expect(facts(toContact, { contactMessenger: messenger }).limits).toEqual(ownLimits);
		},
	);

	test('is shared by those in one messenger only', () => {
		const names = ['whatsapp', 'telegram', 'viber', 'max'].flatMap((messenger) =>
			Object.keys(facts(toExternalId, { messenger }).limits),
		);
		expect(new Set(names).size).toBe(4);
	});

	test.each([undefined, '', 'unknown'])(
		'to a contact of whom nothing is said, %j, is that of any but WhatsApp',
		(said) => {
			const { limits: ownLimits } = facts(toContact, { contactMessenger: said });
			const of = (messenger: string) => Object.keys(facts(toExternalId, { messenger }).limits)[0]!;
			expect(Object.keys(ownLimits).sort()).toEqual(['telegram', 'viber', 'max'].map(of).sort());
			for (const limit of Object.values(ownLimits)) expect(limit).toEqual({ ...tenIn10s, assumed: true });
		},
	);

	test('to a phone number is one in a second', () => {
		const limits = Object.values(facts('message/sendToWhatsApp').limits);
		expect(limits).toEqual([{ count: 1, windowMs: 1000 }]);
	});

	test.each(byTitle.filter(([title]) => !title.startsWith('message/')))('%s has none of its own', (title) => {
		expect(facts(title).limits).toEqual({});
	});
});

describe('labels', () => {
	test('tell by its label what the service calls a parameter', () => {
		for (const [title, { fields }] of byTitle) {
			expect([...facts(title).labels.all]).toEqual(fields.map(({ wire, label }) => [wire, label]));
		}
	});

	const tag = { label: 'Tag', thing: 'tag with this name' };
	const bot = { label: 'Bot ID', thing: 'bot with this ID' };
	const contact = { label: 'Contact ID', thing: 'contact with this ID' };
	const list = { label: 'List', thing: 'list with this ID' };
	const person = {
		label: 'Phone Number or Messenger ID',
		thing: 'contact with this phone number or messenger ID',
	};

	test.each<[string, Sought[]]>([
		['tag/getManyByBot', [bot]],
		['tag/getManyByContact', [contact]],
		['tag/attach', [contact, tag]],
		['tag/detach', [contact, tag]],
		['contactVariable/getAll', [contact]],
		// The variable may come about.
		['contactVariable/upsert', [contact]],
		['contactVariable/delete by name', [contact, { label: 'Variable', thing: 'variable with this name' }]],
		['contactVariable/delete by ID', [contact, { label: 'Variable', thing: 'variable with this ID' }]],
		['message/send to a contact', [contact]],
		['message/send to an external ID', [bot, person]],
		['message/sendToWhatsApp', [bot]],
		['listSchema/getAll', []],
		['listSchema/get', [list]],
		['listSchema/create with defined fields', [bot]],
		['listSchema/create with fields as JSON', [bot]],
		['listSchema/addField', [list]],
		['listSchema/deleteField', [list, { label: 'Field', thing: 'field with this slug' }]],
		['listSchema/delete', [list]],
	])('%s: what can be looked for in vain is %j', (title, sought) => {
		expect(facts(title).labels.sought).toEqual(sought);
	});

	const create = 'listSchema/create with defined fields';

	test.each(empties)('%s is nothing that can be looked for in vain', (_, empty) => {
		expect(facts(create, { botId: empty }).labels.sought).toEqual([]);
	});

	test('that are empty and name nothing leave what is looked for as it is', () => {
		const none = { showInMenu: undefined, fields: '' };
		expect(facts(create, none).labels.sought).toEqual([bot]);
		expect(facts('message/send to a contact', { imageUrl: '', fileUrl: '' }).labels.sought).toEqual([
			contact,
		]);
		expect(facts('message/sendToWhatsApp', { contactName: '' }).labels.sought).toEqual([bot]);
		expect(facts('contactVariable/upsert', { deletable: '' }).labels.sought).toEqual([contact]);
	});

	test('that are empty keep their names, for the service may miss them', () => {
		expect(facts(create, { botId: '' }).labels.all).toEqual(facts(create).labels.all);
	});

	test('that are empty for one item are looked for with the next', () => {
		const sample = sampleOf(create);
		const checking = new Check(sample.operation, {});
		const soughtWith = (botId: unknown) => {
			const checked = checking.of(given(sample, { botId }));
			return 'labels' in checked && checked.labels.sought;
		};
		expect([2048, '', 2048, undefined].map(soughtWith)).toEqual([[bot], [], [bot], []]);
	});
});

describe('whom or what a request changes', () => {
	const changing = byTitle.filter(([title]) => !/\/get|create/.test(title));

	test.each(changing)('%s: the same for the same, however it is written', (title, sample) => {
		const { target } = facts(title);
		expect(target).toEqual(expect.any(String));
		const rewritten = sample.fields.map(({ path, sent }) => [path, sent]);
		expect(facts(title, Object.fromEntries(rewritten)).target).toBe(target);
	});

	test.each<[string, string, unknown]>([
		['message/send to a contact', 'contactId', 5],
		['message/send to an external ID', 'externalId', '5'],
		['message/send to an external ID', 'messenger', 'viber'],
		['message/sendToWhatsApp', 'phone', '+79160000000'],
		['tag/attach', 'contactId', 5],
		['contactVariable/upsert', 'contactId', 5],
		['listSchema/addField', 'schemaId', '5'],
	])('%s: another with another %s', (title, path, value) => {
		expect(facts(title, { [path]: value }).target).not.toBe(facts(title).target);
	});

	test('is the same person however the phone number is written', () => {
		const to = (phone: unknown) => facts('message/sendToWhatsApp', { phone }).target;
		expect(to('+7 (916) 123-45-67')).toBe(to(79161234567));
		const inMessenger = (id: string) => facts('message/send to an external ID', { externalId: id }).target;
		expect(inMessenger('u7Qm1dXk==')).not.toBe(inMessenger('u7Qm1dXz=='));
		expect(inMessenger('анна_1')).not.toBe(inMessenger('анна_2'));
	});

	test('is never a list for what changes a contact', () => {
		const targets = [
			facts('tag/attach', { contactId: 5 }).target,
			facts('message/send to an external ID', { externalId: '5' }).target,
			facts('listSchema/delete', { schemaId: '5' }).target,
		];
		expect(new Set(targets).size).toBe(3);
	});

	test('is the contact for all that is done to one', () => {
		const titles = ['tag/attach', 'tag/detach', 'contactVariable/upsert', 'message/send to a contact'];
		expect(new Set(titles.map((title) => facts(title).target)).size).toBe(1);
	});

	test.each(byTitle.filter(([title]) => /\/get|create/.test(title)))(
		'%s: nothing that is there already',
		(title) => {
			expect(facts(title).target).toBeUndefined();
		},
	);
});

describe('what a message is sent once per', () => {
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
		return checked.once;
	};
	const problemsOf = (...asked: Parameters<typeof checkOnce>) => {
		const checked = checkOnce(...asked);
		if (!('problems' in checked)) throw new Error(`it took ${checked.once}`);
		return checked.problems;
	};

	describe.each(titles)('%s', (title) => {
		test.each<[string, Record<string, unknown>]>([
			['no options', {}],
			['empty options', { options: {} }],
			['another option', { options: { timeout: 5 } }],
		])('is nothing where the user has not added the option: %s', (_, raw) => {
			const sample = sampleOf(title);
			const check = new Check(sample.operation, raw);
			expect(check.once).toBeUndefined();
			expect(check.paths).not.toContain(path);
			for (const value of [undefined, null, 'осень', { id: 5 }]) {
				expect(check.of(given(sample, { [path]: value }))).toMatchObject({ once: undefined });
			}
		});

		test('is asked for where the user has added it, even empty', () => {
			const { operation } = sampleOf(title);
			for (const sendOncePer of ['', 'осень', '={{ $json.акция }}']) {
				const check = new Check(operation, { options: { sendOncePer } });
				expect(check.once).toBe(operation.once);
				expect(check.paths.filter((each) => each === path)).toEqual([path]);
			}
		});

		test.each(['', '  ', '\n\t'])(
			'is nothing for the empty text %j, which is what the user means',
			(value) => {
				expect(onceOf(title, value)).toBeUndefined();
			},
		);

		test.each([undefined, null])('is refused where the expression yields %p', (value) => {
			const [problem, ...others] = problemsOf(title, value);
			expect(others).toEqual([]);
			expect(problem).toEqual({
				message: `'${label}' has no value`,
				advice: `The expression of '${label}' gives nothing for this item, so it would be sent without protection. Correct the expression, or let it give an empty text where no protection is wanted.`,
			});
			expect(faultsOf({ message: problem!.message, description: problem!.advice })).toEqual([]);
		});

		test.each<[string, unknown, string]>([
			['an object', { id: 5 }, `'${label}' must be text`],
			['a list', [5], `'${label}' must be text`],
			['no number', NaN, `'${label}' must be text`],
			['an object in a text', `заказ ${String({})}`, `'${label}' holds an object where text was meant`],
		])('is refused where it is %s', (_, value, message) => {
			expect(messages(problemsOf(title, value))).toEqual([message]);
		});

		test('is known by a key that tells nothing of it', () => {
			expect(onceOf(title, 'осенняя распродажа')).toMatch(/^[\w-]{32}$/);
		});

		test('is not sent', () => {
			const parametersOf = (value: unknown) =>
				(checkOnce(title, value) as { parameters: unknown[] }).parameters;
			expect(parametersOf('осень')).toEqual(parametersOf(''));
		});

		test('is the same in every run and for the same value, whatever is written', () => {
			const once = onceOf(title, 'осень');
			expect(onceOf(title, 'осень')).toBe(once);
			expect(onceOf(title, ' осень\n')).toBe(once);
			expect(onceOf(title, 'осень', { text: 'Другие слова' })).toBe(once);
		});

		test('is the same for a number and a yes or no as for the text of it', () => {
			expect(onceOf(title, 1048576)).toBe(onceOf(title, '1048576'));
			expect(onceOf(title, 0)).toBe(onceOf(title, '0'));
			expect(onceOf(title, true)).toBe(onceOf(title, 'true'));
			expect(onceOf(title, false)).toBe(onceOf(title, 'false'));
		});

		test('is another for each other value', () => {
			const values = ['осень', 'Осень', 'осень 2', '5', '05', '5.0', 'true', '+7916', '7916'];
			expect(new Set(values.map((value) => onceOf(title, value))).size).toBe(values.length);
		});

		test('is told as a fault together with all others of the item', () => {
			expect(messages(problemsOf(title, null, { text: { a: 1 } }))).toEqual([
				"'Text' must be text",
				`'${label}' has no value`,
			]);
		});

		test('is named where its expression cannot be evaluated', () => {
			const sample = sampleOf(title);
			const values: Values = (asked) => {
				if (asked === path) throw new Unreadable(new Error('Нет узла'));
				return given(sample)(asked);
			};
			const checked = new Check(sample.operation, { options: { sendOncePer: '={{ 5 }}' } }).of(values);
			expect(checked).toEqual({ problems: [unreadableProblem(label, new Error('Нет узла'))] });
		});

		test.each(hostile)('is taken or refused by its name: %s', (_, make) => {
			const checked = checkOnce(title, make());
			if ('problems' in checked) expect(messages(checked.problems)[0]).toContain(`'${label}'`);
			else expect(checked.once).toEqual(expect.any(String));
		});
	});

	test('tells recipients apart, whichever way they are named', () => {
		const keys = [
			onceOf(toContact, 'осень', { contactId: 5 }),
			onceOf(toContact, 'осень', { contactId: 6 }),
			...['telegram', 'viber', 'whatsapp', 'vk', 'max'].map((messenger) =>
				onceOf(toExternalId, 'осень', { messenger, externalId: '5' }),
			),
			onceOf(toExternalId, 'осень', { messenger: 'vk', externalId: '6' }),
			onceOf(toNumber, 'осень', { phone: '79161234567' }),
			onceOf(toNumber, 'осень', { phone: '79161234568' }),
		];
		expect(new Set(keys).size).toBe(keys.length);
	});

	test.each<[string, string]>([
		['ivan_petrov', 'ivanpetrov'],
		['ivan.petrov', 'ivanpetrov'],
		['-100123', '100123'],
		['анна (1)', 'анна1'],
		['Ivan', 'ivan'],
		['+5a', '5a'],
		['u7Qm1dXk==', 'u7Qm1dXk='],
		['12345', '123456'],
		['+7 916 123-45-67 доб. 5', '+7 916 123-45-67 доб 5'],
	])('%s and %s are two recipients', (one, other) => {
		const to = (externalId: string) => onceOf(toExternalId, 'осень', { externalId });
		expect(to(one)).not.toBe(to(other));
	});

	test.each<[unknown, unknown]>([
		['+7 (916) 123-45-67', '79161234567'],
		['+79161234567', '7 916 123 45 67'],
		['7.916.123.45.67', '79161234567'],
		['(7916) 1234567', 79161234567],
		[' 79161234567 ', '79161234567'],
	])('%p and %p are one recipient', (one, other) => {
		const inMessenger = (externalId: unknown) => onceOf(toExternalId, 'осень', { externalId });
		expect(inMessenger(one)).toBe(inMessenger(other));
		const byNumber = (phone: unknown) => onceOf(toNumber, 'осень', { phone });
		expect(byNumber(one)).toBe(byNumber(other));
	});

	test('a contact is the same whether its ID is a number or a text', () => {
		expect(onceOf(toContact, 'осень', { contactId: ' 1048576 ' })).toBe(
			onceOf(toContact, 'осень', { contactId: 1048576 }),
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

	test('is the same for the same value and recipient alone (generated)', () => {
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

	test.each(byTitle.filter(([title]) => !title.startsWith('message/')))('%s: nothing', (_, sample) => {
		const check = new Check(sample.operation, { options: { sendOncePer: 'осень' } });
		expect(check.once).toBeUndefined();
		expect(check.of(given(sample))).toMatchObject({ once: undefined });
	});

	test.each<[string, string]>([
		['', ''],
		['Workflow is not saved', ' n8n says: "Workflow is not saved".'],
	])('where n8n has no store for it, the field is named, and what n8n says: %j', (words, said) => {
		const { message, advice } = withoutStore(label, words);
		expect(message).toContain(`'${label}'`);
		expect(advice).toMatch(/^Save the workflow/);
		expect(advice.endsWith(`leave '${label}' empty.${said}`)).toBe(true);
		expect(faultsOf({ message, description: advice })).toEqual([]);
	});

	test('where n8n has no store for it, whatever was thrown has words or none', () => {
		expect(wordsOf(new Error('Нет хранилища'))).toBe('Нет хранилища');
		expect([null, undefined, 5, {}].map(wordsOf)).toEqual(['', '', '', '']);
		for (const [, make] of veryHostile) expect(wordsOf(make())).toBe('');
	});
});

describe('what is asked for', () => {
	/** Parameters that an operation has beside those of its samples. */
	const others: Record<string, string[]> = {
		'tag/getManyByBot': ['limit'],
		'tag/getManyByContact': ['limit'],
		'tag/attach': ['botId'],
		'contactVariable/getAll': ['limit'],
		'message/send': ['contactMessenger'],
		'listSchema/getAll': ['limit'],
	};

	test.each(operations)('%s: the paths of all that can be, once each', (title, same) => {
		const { paths } = new Check(same[0]!.operation, {});
		const known = same.flatMap((sample) => Object.keys(valuesOf(sample)));
		expect([...paths].sort()).toEqual([...new Set([...known, ...(others[title] ?? [])])].sort());
	});

	test.each(operations)('%s: what is picked from a list or typed is told', (_, [sample]) => {
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
	])('%s: nothing of what does not apply', (title, idle) => {
		const asked = new Set<string>();
		const values = given(sampleOf(title));
		const sample = sampleOf(title);
		accepted(sample, (path) => {
			asked.add(path);
			return values(path);
		});
		const { paths } = new Check(sample.operation, {});
		expect([...asked].sort()).toEqual(paths.filter((path) => !idle.includes(path)).sort());
	});

	test('what applies is found anew where another item decides otherwise', () => {
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

	test('limits are the same object for all items, so that they can be told apart at no cost', () => {
		const limits = () => byTitle.map(([title]) => facts(title).limits);
		const [first, second] = [limits(), limits()];
		for (const [index, each] of first.entries()) expect(second[index]).toBe(each);
		const toContact = () => facts('message/send to a contact', { contactMessenger: 'whatsapp' }).limits;
		expect(toContact()).toBe(toContact());
	});
});

/** Values of which some cannot be evaluated, for the reason that is given. */
function unreadable(sample: Sample, causes: Record<string, unknown>, changes = {}): Values {
	const values = given(sample, changes);
	return (path) => {
		if (path in causes) throw new Unreadable(causes[path]);
		return values(path);
	};
}

describe('a value that cannot be evaluated', () => {
	const cause = new Error("Referenced node doesn't exist");

	test.each(fieldsThat(() => true))("%s: %s is named, n8n's words beside it", (_, label, sample, field) => {
		const problems = refused(sample, unreadable(sample, { [field.path]: cause }));
		expect(problems).toEqual([
			{
				message: `'${label}' cannot be evaluated`,
				advice: `Correct the expression of '${label}'. n8n says: "Referenced node doesn't exist".`,
			},
		]);
		expect(faultsOf({ message: problems[0]!.message, description: problems[0]!.advice })).toEqual([]);
	});

	test('is told together with all else that is wrong with the item', () => {
		const sample = sampleOf('message/send to a contact');
		const values = unreadable(
			sample,
			{ contactId: cause, fileUrl: cause, contactMessenger: cause },
			{ imageUrl: 'кот.png' },
		);
		expect(messages(refused(sample, values))).toEqual([
			"'Contact ID' cannot be evaluated",
			"'Image URL' must be a whole address",
			"'File URL' cannot be evaluated",
			"'Contact's Messenger' cannot be evaluated",
		]);
	});

	test('is none that is missing: nothing is said of contents that are all empty', () => {
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
	])('%s: without %s nobody knows what else applies', (title, path, label) => {
		const sample = sampleOf(title);
		// All else is wrong too.
		const wrong = Object.fromEntries(sample.fields.map((field) => [field.path, {}]));
		expect(messages(refused(sample, unreadable(sample, { [path]: cause }, wrong)))).toEqual([
			`'${label}' cannot be evaluated`,
		]);
	});

	test('is told of all that decide what applies', () => {
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
		expect(check(sample.operation, unreadable(sample, { limit: cause }))).toMatchObject({ limit: undefined });
	});

	test('does no harm where it does not apply', () => {
		const sample = sampleOf('message/send to a contact');
		const idle = { messenger: cause, botId: cause, externalId: cause, imageUrl: cause, fileUrl: cause };
		expect(accepted(sample, unreadable(sample, idle, { content: ['text'] }))).toEqual({
			contact_id: 1048576,
			text: 'Здравствуйте!',
		});
		const attach = sampleOf('tag/attach');
		expect(accepted(attach, unreadable(attach, { botId: cause }))).toHaveProperty('name', 'Клиент');
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
	])('of which n8n says %s', (_, said, words) => {
		const expected = {
			message: "'Text' cannot be evaluated",
			advice: `Correct the expression of 'Text'.${words}`,
		};
		expect(unreadableProblem('Text', new Unreadable(said))).toEqual(expected);
		// What a value does to whoever looks at it is said alike.
		expect(unreadableProblem('Text', said)).toEqual(expected);
	});

	test.each([[null], [undefined]])('of which all that is said is %p', (said) => {
		expect(unreadableProblem('Text', new Unreadable(said))).toEqual({
			message: "'Text' cannot be evaluated",
			advice: "Correct the expression of 'Text'.",
		});
	});

	test('is quoted in the advice alone, where n8n lets every word stand, and not at full length', () => {
		const { message, advice } = unreadableProblem('Text', new Unreadable(new Error('ENOENT '.repeat(500))));
		expect(message).toBe("'Text' cannot be evaluated");
		expect(advice.length).toBeLessThan(700);
	});
});

describe('a value that throws at whoever looks at it', () => {
	test.each(fieldsThat(() => true))('%s: %s is taken or refused by its name', (_, label, sample, field) => {
		for (const [name, make] of hostile) {
			const checked = check(sample.operation, given(sample, { [field.path]: make() }));
			if (!('problems' in checked)) continue;
			expect([name, checked.problems.length]).not.toEqual([name, 0]);
			for (const { message } of checked.problems) {
				expect([name, message.slice(0, label.length + 1)]).toEqual([name, `'${label}`]);
			}
		}
	});

	test.each(veryHostile)('and throws %s', (_, make) => {
		const sample = sampleOf('message/sendToWhatsApp');
		expect(messages(refused(sample, given(sample, { text: make() })))).toEqual([
			"'Text' cannot be evaluated",
		]);
	});

	test.each<[string, string, string]>([
		['message/send to a contact', 'contactMessenger', "Contact's Messenger"],
		['tag/getManyByBot', 'limit', 'Limit'],
	])('%s: %s likewise', (title, path, label) => {
		const sample = sampleOf(title);
		for (const [name, make] of hostile) {
			const values = given(sample, { returnAll: false, [path]: make() });
			const [first, ...more] = refused(sample, values);
			expect([name, first!.message.startsWith(`'${label}' `), more]).toEqual([name, true, []]);
		}
	});

	test.each<[string, string, string]>([
		['message/send to a contact', 'recipient', 'Send To'],
		['message/send to a contact', 'content', 'Content'],
		['contactVariable/delete by name', 'deleteBy', 'Delete By'],
		['listSchema/create with defined fields', 'fieldsInput', 'Fields Input'],
	])('%s: %s, which decides what applies, is refused by its name', (title, path, label) => {
		const sample = sampleOf(title);
		for (const [name, make] of hostile) {
			const problems = refused(sample, given(sample, { [path]: make() }));
			const told = messages(problems).filter((message) => message.startsWith(`'${label}' `));
			expect([name, told.length]).toEqual([name, 1]);
		}
	});

	test('does no harm as Return All, which is on or not', () => {
		const sample = sampleOf('tag/getManyByBot');
		for (const [name, make] of hostile) {
			const checked = check(sample.operation, given(sample, { returnAll: make(), limit: 7 }));
			const isTaken = !('problems' in checked) && checked.limit === 7;
			const isRefused = 'problems' in checked && /^'Return All' /.test(checked.problems[0]!.message);
			expect([name, isTaken || isRefused]).toEqual([name, true]);
		}
	});
});

describe('generated values', () => {
	let contract: Contract;
	beforeAll(async () => {
		contract = await loadContract();
	});

	/** JSON that lies in wait for a careless reader, besides any other. */
	const json = fc.oneof(
		{ weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<unknown> },
		fc.constantFrom<unknown>(
			{ toJSON: 5 },
			{ toString: 5, valueOf: 5 },
			{ length: 1 },
			[[]],
			[null],
			{},
			'',
			'0',
			'null',
			'{}',
			'[]',
			-0,
			1e21,
		),
		fc.string({ unit: 'binary' }),
	);
	/** Values that are mostly right, so that whole items are right often enough to be looked at. */
	const mostly = (right: fc.Arbitrary<unknown>, ...wrong: unknown[]) =>
		fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: fc.constantFrom(...wrong) });
	const id = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
	const number = mostly(fc.oneof(id, id.map(String)), 0, -1, 1.5, '1e3', 2 ** 53, 'вася');
	const filled = fc.string({ unit: 'grapheme', minLength: 1 });
	const words = mostly(
		fc.oneof(filled, fc.constantFrom<unknown>('Клиент', ' Город ', 5, true, 'Привет \ud83d')),
		' ',
		NaN,
	);
	const logical = mostly(fc.constantFrom<unknown>(true, false, 0, 1, 'true', 'FALSE', ' 1 '), 'нет', 2);
	const type = mostly(
		fc.constantFrom('string', 'number', 'boolean', 'bool', 'contact', 'bot', ' Bot '),
		'date',
	);
	const slug = mostly(
		fc.constantFrom('city', 'paid', '__proto__', 'field', 'fields', 'name', '2026'),
		'',
		5,
		null,
	);
	const definition = fc.record(
		{ name: words, slug, type, is_required: logical, is_hidden: logical, is_encryptable: logical },
		{ requiredKeys: ['name', 'slug', 'type'] },
	);
	const definitions = fc.uniqueArray(definition, { maxLength: 3, selector: (each) => each.slug });
	const map = definitions.map((list) =>
		Object.fromEntries(list.map(({ slug: key, ...rest }) => [key, rest])),
	);
	const fields = mostly(
		fc.oneof(
			definitions,
			map,
			definitions.map((field) => ({ field })),
			fc.oneof(definitions, map).map((value) => JSON.stringify(value)),
			map.map((value) => ({ id: '5dee', name: 'Заказы', fields: value })),
		),
		'{',
		[5],
		{ city: 'Город' },
	);
	const url = mostly(fc.webUrl({ withQueryParameters: true }), ' https://пример.рф/кот.png ', 'кот.png');
	const phone = fc.stringMatching(/^\+?7 ?\(?9\d{2}\)? ?\d{3}-?\d{2}-?\d{2}$/);
	const plausible: Record<string, fc.Arbitrary<unknown>> = {
		botId: number,
		contactId: number,
		variableId: number,
		tagName: words,
		variableName: words,
		listName: words,
		contactName: words,
		variableValue: words,
		text: words,
		deletable: logical,
		messenger: mostly(fc.constantFrom('whatsapp', 'telegram', 'viber', 'vk', 'max', ' MAX '), 'icq'),
		externalId: fc.oneof(words, number),
		imageUrl: url,
		fileUrl: url,
		phone: mostly(phone, 'дом', 5),
		schemaId: words,
		fieldSlug: words,
		showInMenu: logical,
		fields,
		fieldsJson: fields,
		fieldName: words,
		newFieldSlug: words,
		fieldType: type,
		'fieldOptions.required': logical,
		'fieldOptions.hidden': logical,
		'fieldOptions.encrypted': logical,
	};
	const cannotBeEvaluated = Symbol('cannot be evaluated');
	const valueOf = (path: string) =>
		fc.oneof(
			{ weight: 20, arbitrary: plausible[path]! },
			{ weight: 1, arbitrary: json },
			{ weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, cannotBeEvaluated) },
		);
	const controls = fc.record({
		// In a workflow that a program wrote, even these can be expressions.
		recipient: mostly(fc.constantFrom('contact', 'externalId'), undefined, '', 'кому-то', [
			'contact',
			'externalId',
		]),
		contactMessenger: mostly(
			fc.constantFrom('unknown', 'whatsapp', 'telegram'),
			'icq',
			{ toString: 5, valueOf: 5 },
			cannotBeEvaluated,
		),
		content: mostly(
			fc.subarray(['text', 'image', 'file']),
			undefined,
			'text',
			['video'],
			{},
			cannotBeEvaluated,
		),
		deleteBy: mostly(fc.constantFrom('name', 'id'), undefined, null, 'номер'),
		fieldsInput: mostly(fc.constantFrom('define', 'json'), undefined, 'yaml'),
		returnAll: fc.boolean(),
		limit: mostly(fc.integer({ min: 1, max: 500 }), 0, 'семь', {}),
	});

	test.each(operations)(
		'%s: what is taken keeps the contract, what is refused names its field, and nothing is thrown',
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
							if (all[path] === cannotBeEvaluated) throw new Unreadable(new Error('Нет узла'));
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
						const parts = placeParameters(
							checked.parameters,
							`/api/v1/${sample!.endpoint}`,
							tokenLength,
							longInBody,
						);
						expect(contract(sample!.endpoint, parts)).toEqual([]);
					},
				),
				{ numRuns: 100 },
			);
			// Else the property would say little about what is taken.
			expect(taken).toBeGreaterThan(10);
		},
	);

	test.each(fieldsThat(() => true))(
		'%s: any JSON for %s is taken or refused by that name',
		(_, label, sample, field) => {
			fc.assert(
				fc.property(json, (value) => {
					const checked = check(sample.operation, given(sample, { [field.path]: value }));
					if (!('problems' in checked)) return;
					for (const { message } of checked.problems)
						expect(message).toMatch(new RegExp(`^'${escaped(label)}[,:']`));
				}),
				{ numRuns: 40 },
			);
		},
	);

	const escaped = (label: string) => label.replace(/[()]/g, '\\$&');

	test.each<[string, string, { query?: object; body?: object }]>([
		['an integer that is a text', 'getBotTags', { query: { bot_id: '5' } }],
		['a parameter in the wrong place', 'getBotTags', { body: { bot_id: 5 } }],
		['a parameter nobody knows', 'getBotTags', { query: { bot_id: 5, page: 1 } }],
		['a value that is missing', 'setContactVariable', { query: { contact_id: 5, name: 'Город' } }],
		['neither name nor ID', 'deleteContactVariable', { query: { contact_id: 5 } }],
		[
			'a switch that is a boolean',
			'setContactVariable',
			{
				query: { contact_id: 5, name: 'Город', value: 'Уфа', deletable: true },
			},
		],
		['both places at once', 'sendMessage', { query: { contact_id: 5 }, body: { text: 'Привет' } }],
		['two recipients', 'sendMessage', { query: { contact_id: 5, bot_id: 5, text: 'Привет' } }],
		[
			'a key that is not the slug',
			'createListSchema',
			{
				body: { name: 'Заказы', fields: { a: { name: 'А', slug: 'b', type: 'string' } } },
			},
		],
		[
			'the type of an answer',
			'createListSchema',
			{
				body: { name: 'Заказы', fields: { a: { name: 'А', slug: 'a', type: 'bool' } } },
			},
		],
	])('the contract they are held against refuses %s', (_, endpoint, { query = {}, body = {} }) => {
		expect(contract(endpoint, { query, body } as never)).not.toEqual([]);
	});
});
