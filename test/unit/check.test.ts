import fc from 'fast-check';

import { check, type GivenValues } from '../../nodes/ChatbotService/request/check';
import type { Problem } from '../../nodes/ChatbotService/request/failure';
import { placeParameters } from '../../nodes/ChatbotService/request/target';
import { endpoints } from '../description/table';
import { loadContract, type Contract } from './contract';
import { byTitle, given, nested, samples, type Sample } from './samples';
import { faultsOf } from './sentences';

const sampleOf = (title: string) => samples.find((each) => each.title === title)!;

/** Wire names and values that a check let through. */
function accepted(sample: Sample, values: GivenValues): Record<string, unknown> {
	const checked = check(sample.operation, values);
	if ('problems' in checked) throw new Error(checked.problems.map(({ message }) => message).join('; '));
	return Object.fromEntries(checked.parameters.map(({ name, value }) => [name, value]));
}

function refused(sample: Sample, values: GivenValues): Problem[] {
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
				const sent = accepted(sample, given(sample, { [field.wire]: empty }));
				expect(Object.keys(sent)).toEqual(
					sample.fields.map(({ wire }) => wire).filter((wire) => wire !== field.wire),
				);
			}
		},
	);

	test.each(fieldsThat((_, { required }) => required))('%s: %s must not be empty', (_, __, sample, field) => {
		for (const [, empty] of empties) {
			const problems = refused(sample, given(sample, { [field.wire]: empty }));
			expect(messages(problems)).toEqual([`'${field.label}' is empty`]);
			expect(faultsOf({ message: problems[0]!.message, description: problems[0]!.advice })).toEqual([]);
		}
	});

	test('values of fields that do not apply stay out, whatever they are', () => {
		const sample = sampleOf('message/send to a contact');
		const sent = accepted(
			sample,
			given(sample, { messenger: 'icq', bot_id: 'вася', contact_external_id: {} }),
		);
		expect(Object.keys(sent)).toEqual(['contact_id', 'text', 'image', 'file']);
	});

	test.each<[string, string, string[]]>([
		['message/send to a contact', 'externalId', ['Messenger', 'Bot ID', 'Phone Number or Messenger ID']],
		['message/send to an external ID', 'contact', ['Contact ID']],
	])('%s, but to %s: what that needs is missed', (title, recipient, labels) => {
		const sample = sampleOf(title);
		expect(messages(refused(sample, given(sample, {}, { recipient })))).toEqual(
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
		const problems = refused(sample, given(sample, {}, { [control]: value }));
		expect(problems.filter(({ message }) => message.startsWith(`'${label}' `))).toHaveLength(1);
	});

	test('a parameter that decides what is sent may hold anything where it does not apply', () => {
		const sample = sampleOf('message/send to an external ID');
		expect(accepted(sample, given(sample, {}, { contactMessenger: 'icq' }))).toHaveProperty('messenger');
	});

	test('what may be chosen is said', () => {
		const sample = sampleOf('message/send to a contact');
		expect(messages(refused(sample, given(sample, {}, { recipient: 'кому-то' })))).toContain(
			"'Send To' must be one of contact, externalId",
		);
	});

	test('every fault of an item is told at once', () => {
		const sample = sampleOf('message/sendToWhatsApp');
		expect(messages(refused(sample, given(sample, { bot_id: 'вася', phone: 'дом', text: '' })))).toEqual([
			"'Bot ID' must be a whole number",
			"'Phone Number' must be a phone number",
			"'Text' is empty",
		]);
	});
});

describe('the contents of a message', () => {
	const sample = sampleOf('message/send to a contact');
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
		expect(Object.keys(accepted(sample, given(sample, {}, { content })))).toEqual(['contact_id', ...content]);
	});

	test.each(subsets.map((content): [string[]] => [content]))(
		'%j: one of them with a value is enough',
		(content) => {
			for (const filled of content) {
				const others = Object.fromEntries(
					content.filter((each) => each !== filled).map((each) => [each, ' ']),
				);
				expect(Object.keys(accepted(sample, given(sample, others, { content })))).toEqual([
					'contact_id',
					filled,
				]);
			}
		},
	);

	test.each(subsets.map((content): [string[]] => [content]))('%j: all empty is refused', (content) => {
		const problems = refused(sample, given(sample, { text: '', image: null, file: undefined }, { content }));
		expect(messages(problems)).toEqual([
			"There is nothing to send: 'Text', 'Image URL', 'File URL' are all empty",
		]);
		expect(faultsOf({ message: problems[0]!.message, description: problems[0]!.advice })).toEqual([]);
	});

	test.each<[string, unknown, string]>([
		['none chosen', [], "'Content' is empty"],
		['nothing said', undefined, "'Content' must be one of text, image, file"],
		['an unknown one', ['video'], "'Content' must be one of text, image, file"],
		['an unknown one beside others', ['text', 'video'], "'Content' must be one of text, image, file"],
	])('%s is refused, though there are values', (_, content, message) => {
		const problems = refused(sample, given(sample, {}, { content }));
		expect(messages(problems)).toEqual([message]);
	});

	test('one that is wrong is told even where another is right', () => {
		const problems = refused(sample, given(sample, { image: 'кот.png' }));
		expect(messages(problems)).toEqual([expect.stringMatching(/^'Image URL' must be an address/)]);
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
				const checked = check(sample.operation, given(sample, {}, controls));
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
			expect(check(sample.operation, given(sample, {}, { returnAll: false, limit: 0 }))).toMatchObject({
				limit: undefined,
			});
		}
	});
});

/** What a check tells of a request besides what is sent. */
function facts(title: string, changes: Record<string, unknown> = {}, controls: Record<string, unknown> = {}) {
	const sample = sampleOf(title);
	const checked = check(sample.operation, given(sample, changes, controls));
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
			const { paceLimits } = facts(toExternalId, { messenger });
			expect(Object.values(paceLimits)).toEqual(limits);
			expect(facts(toContact, {}, { contactMessenger: messenger }).paceLimits).toEqual(paceLimits);
		},
	);

	test('is shared by those in one messenger only', () => {
		const names = ['whatsapp', 'telegram', 'viber', 'max'].flatMap((messenger) =>
			Object.keys(facts(toExternalId, { messenger }).paceLimits),
		);
		expect(new Set(names).size).toBe(4);
	});

	test.each([undefined, '', 'unknown'])(
		'to a contact of whom nothing is said, %j, is that of any but WhatsApp',
		(said) => {
			const { paceLimits } = facts(toContact, {}, { contactMessenger: said });
			const of = (messenger: string) => Object.keys(facts(toExternalId, { messenger }).paceLimits)[0]!;
			expect(Object.keys(paceLimits).sort()).toEqual(['telegram', 'viber', 'max'].map(of).sort());
			for (const limit of Object.values(paceLimits)) expect(limit).toEqual({ ...tenIn10s, assumed: true });
		},
	);

	test('to a phone number is one in a second', () => {
		const limits = Object.values(facts('message/sendToWhatsApp').paceLimits);
		expect(limits).toEqual([{ count: 1, windowMs: 1000 }]);
	});

	test.each(byTitle.filter(([title]) => !title.startsWith('message/')))('%s has none of its own', (title) => {
		expect(facts(title).paceLimits).toEqual({});
	});
});

test('what the service calls a parameter is known by its label', () => {
	for (const [title, { fields }] of byTitle) {
		expect([...facts(title).labels]).toEqual(fields.map(({ wire, label }) => [wire, label]));
	}
});

describe('whom or what a request changes', () => {
	const changing = byTitle.filter(([title]) => !/\/get|create/.test(title));

	test.each(changing)('%s: the same for the same, however it is written', (title, sample) => {
		const { target } = facts(title);
		expect(target).toEqual(expect.any(String));
		const rewritten = sample.fields.map(({ wire, sent }) => [wire, sent]);
		expect(facts(title, Object.fromEntries(rewritten)).target).toBe(target);
	});

	test.each<[string, string, unknown]>([
		['message/send to a contact', 'contact_id', 5],
		['message/send to an external ID', 'contact_external_id', '5'],
		['message/send to an external ID', 'messenger', 'viber'],
		['message/sendToWhatsApp', 'phone', '+79160000000'],
		['tag/attach', 'contact_id', 5],
		['contactVariable/upsert', 'contact_id', 5],
		['listSchema/addField', 'schema_id', '5'],
	])('%s: another with another %s', (title, wire, value) => {
		expect(facts(title, { [wire]: value }).target).not.toBe(facts(title).target);
	});

	test('is the same person however the phone number is written', () => {
		const to = (phone: unknown) => facts('message/sendToWhatsApp', { phone }).target;
		expect(to('+7 (916) 123-45-67')).toBe(to(79161234567));
		const inMessenger = (id: string) =>
			facts('message/send to an external ID', { contact_external_id: id }).target;
		expect(inMessenger('u7Qm1dXk==')).not.toBe(inMessenger('u7Qm1dXz=='));
		expect(inMessenger('анна_1')).not.toBe(inMessenger('анна_2'));
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
		bot_id: number,
		contact_id: number,
		id: number,
		name: words,
		value: words,
		text: words,
		deletable: logical,
		messenger: mostly(fc.constantFrom('whatsapp', 'telegram', 'viber', 'vk', 'max', ' MAX '), 'icq'),
		contact_external_id: fc.oneof(words, number),
		image: url,
		file: url,
		phone: mostly(phone, 'дом', 5),
		schema_id: words,
		slug: words,
		is_menu: logical,
		fields,
		'field.name': words,
		'field.slug': words,
		'field.type': type,
		'field.is_required': logical,
		'field.is_hidden': logical,
		'field.is_encryptable': logical,
	};
	const valueOf = (wire: string) =>
		fc.oneof(
			{ weight: 20, arbitrary: plausible[wire]! },
			{ weight: 1, arbitrary: json },
			{ weight: 1, arbitrary: fc.constant(undefined) },
		);
	const controls = fc.record({
		// In a workflow that a program wrote, even these can be expressions.
		recipient: mostly(fc.constantFrom('contact', 'externalId'), undefined, '', 'кому-то', [
			'contact',
			'externalId',
		]),
		contactMessenger: mostly(fc.constantFrom('unknown', 'whatsapp', 'telegram'), 'icq', {
			toString: 5,
			valueOf: 5,
		}),
		content: mostly(fc.subarray(['text', 'image', 'file']), undefined, 'text', ['video'], {}),
		deleteBy: mostly(fc.constantFrom('name', 'id'), undefined, null, 'номер'),
		fieldsInput: mostly(fc.constantFrom('define', 'json'), undefined, 'yaml'),
		returnAll: fc.boolean(),
		limit: mostly(fc.integer({ min: 1, max: 500 }), 0, 'семь', {}),
	});

	/** Samples of one operation, which differ in the parameters that decide what applies. */
	const operations = [...new Set(samples.map(({ operation }) => operation))].map(
		(operation): [string, Sample[]] => {
			const same = samples.filter((sample) => sample.operation === operation);
			return [same[0]!.title.split(' ')[0]!, same];
		},
	);

	test.each(operations)(
		'%s: what is taken keeps the contract, what is refused names its field, and nothing is thrown',
		(_, [sample, ...others]) => {
			const fieldsOf = [sample!, ...others].flatMap((each) => each.fields);
			const wires = [...new Set(fieldsOf.map(({ wire }) => wire))];
			const choices = ['Send To', "Contact's Messenger", 'Content', 'Delete By', 'Fields Input', 'Limit'];
			const labels = [...fieldsOf.map(({ label }) => label), ...choices];
			const values = fc.record(Object.fromEntries(wires.map((wire) => [wire, valueOf(wire)])));
			let taken = 0;
			fc.assert(
				fc.property(
					values,
					controls,
					fc.integer({ min: 0, max: 4000 }),
					(generated, control, tokenLength) => {
						const checked = check(sample!.operation, {
							values: nested(generated),
							control: (parameter) => control[parameter as keyof typeof control],
						});
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
						const parts = placeParameters(checked, `/api/v1/${sample!.endpoint}`, tokenLength, longInBody);
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
					const checked = check(sample.operation, given(sample, { [field.wire]: value }));
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
