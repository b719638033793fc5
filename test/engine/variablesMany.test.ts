import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { wordsOf } from '../operations/words';
import { modes } from './everyOperation';
import { callInBothWays, credentialFor, useEmulator } from './harness';
import { asJson, asRows, askedOf, upsertMany, variablesOf, writerOf, type Row } from './variablesMany';

/* Contact Variable, Create or Update Many: one request after the other, and nothing leaves of an item that is wrong. */

const service = useEmulator();
const write = writerOf(service);
const { telegram, whatsapp, viber } = SEEDED.contacts;

const form = { Уровень: 'B2', Город: 'Тверь', 'Удобное время': 'после 18:00' };
const inForm = Object.entries(form);
const codeOf = (name: string) => `{{ $json.form['${name}'] }}`;

/** The item and its variables. */
const of = (id: number, variables: IDataObject = form) => ({ id, form: variables });
const asked = (id: number, variables: IDataObject = form) =>
	Object.entries(variables).map(([name, value]) => [id, name, String(value)]);

describe('each variable is set by a request of its own, in their order', () => {
	test.each<[string, INodeParameters]>([
		['rows', asRows(...inForm)],
		['rows with expressions', asRows(...inForm.map(([name]): Row => [name, `=${codeOf(name)}`]))],
		[
			'names that expressions return',
			asRows(...inForm.map(([name, value]): Row => [`={{ '${name}' }}`, value])),
		],
		['an object of the item', asJson('={{ $json.form }}')],
		['an object as text', asJson(JSON.stringify(form))],
		['the text of an object in the item', asJson('={{ $json.text }}')],
		[
			'the text of an object with expressions in it',
			asJson(`={${inForm.map(([name]) => `"${name}": "${codeOf(name)}"`).join()}}`),
		],
	])('by %s', async (_, variables) => {
		const items = [{ ...of(telegram), text: JSON.stringify(form) }];
		const { error, outputs } = await write(items, { parameters: upsertMany(variables) });
		expect(error).toBeUndefined();
		expect(outputs).toEqual([[{ json: { success: true }, pairedItem: { item: 0 } }]]);
		expect(askedOf(service)).toEqual(asked(telegram));
		expect(variablesOf(service, telegram)).toMatchObject(form);
	});

	test.each<[string, INodeParameters, IDataObject]>([
		[
			'fills in the values',
			asRows(['Город', "={{ $fromAI('city') }}"], ['Уровень', 'B2']),
			{ city: 'Тверь' },
		],
		[
			'passes an object',
			asJson("={{ $fromAI('all', '', 'json') }}"),
			{ all: { Город: 'Тверь', Уровень: 'B2' } },
		],
		['passes a text', asJson("={{ $fromAI('all') }}"), { all: '{"Город": "Тверь", "Уровень": "B2"}' }],
	])('by an AI agent that %s', async (_, variables, call) => {
		const parameters = { ...upsertMany(variables), contactId: String(telegram) };
		const done = [{ success: true }];
		expect(await callInBothWays({ parameters, credential: credentialFor(service) }, call)).toEqual([
			done,
			done,
		]);
		const both = asked(telegram, { Город: 'Тверь', Уровень: 'B2' });
		expect(askedOf(service)).toEqual([...both, ...both]);
	});

	test.each<[string, string]>([
		['={{ $json }}', 'Город'],
		["={{ Object.assign({ formMode: '' }, $json) }}", 'formMode,Город'],
		["={{ Object.assign({ id: '' }, $json) }}", 'id,Город'],
	])('without the columns of n8n that %s does not mention', async (code, sent) => {
		const ofN8n = {
			row_number: 2,
			formMode: 'production',
			formQueryParameters: { utm: 'осень' },
			toolCallId: 'call_1',
			submittedAt: '2026-11-25',
			createdAt: '2026-11-25',
		};
		const parameters = { ...upsertMany(asJson(code)), contactId: String(telegram) };
		const { error } = await write([{ id: 7, Город: 'Тверь', ...ofN8n } as never], { parameters });
		expect(error).toBeUndefined();
		expect(
			askedOf(service)
				.map(([, name]) => name)
				.join(),
		).toBe(sent);
	});

	test('and each one leaves after the answer to the one before', async () => {
		service.faults.add({ kind: 'delay', ms: 40 });
		await write([of(telegram)]);
		const { requests } = service;
		expect(requests).toHaveLength(3);
		for (const [index, { arrivedAt }] of requests.slice(1).entries())
			expect(arrivedAt).toBeGreaterThan(requests[index]!.answeredAt!);
	});

	test('at the pace of the account, which all items share', async () => {
		const credential = credentialFor(service, { requestsPerSecond: 4 });
		const { json } = await write([of(telegram), of(whatsapp), of(viber)], { credential });
		expect(json).toEqual(Array(3).fill({ success: true }));
		const times = service.requests.map(({ arrivedAt }) => arrivedAt);
		expect(times).toHaveLength(9);
		for (const [index, time] of times.slice(4).entries()) expect(time - times[index]!).toBeGreaterThan(950);
	});

	test('200 of them, too', async () => {
		const many = Object.fromEntries(Array.from({ length: 200 }, (_, number) => [`Вопрос ${number}`, number]));
		const { json } = await write([of(telegram, many)]);
		expect(json).toEqual([{ success: true }]);
		expect(askedOf(service)).toEqual(asked(telegram, many));
	});

	test('also with thousands of letters in the name and the value', async () => {
		const long = { ['Имя'.repeat(1333)]: 'Ответ '.repeat(666).trim() };
		const { error } = await write([of(telegram, { Город: 'Тверь', ...long })]);
		expect(error).toBeUndefined();
		expect(variablesOf(service, telegram)).toMatchObject({ Город: 'Тверь', ...long });
	});

	test('of a service that requires to know whether it removes them later', async () => {
		service.dialect.newVariable = 'deletable';
		expect((await write([of(telegram)])).json).toEqual([{ success: true }]);
		expect(service.requests.map(({ input }) => input.deletable)).toEqual(['0', '0', '0']);
	});

	test.each(['__proto__', 'constructor', 'toString', 'order.id', 'tags[0]', 'Сумма, ₽'])(
		'whatever their names: %s',
		async (name) => {
			const object = `{ ${JSON.stringify(name)}: "да" }`;
			for (const variables of [asRows([name, 'да']), asJson(object)]) {
				const { error } = await write([of(telegram)], { parameters: upsertMany(variables) });
				expect(error).toBeUndefined();
			}
			expect(askedOf(service)).toEqual([1, 2].map(() => [telegram, name, 'да']));
		},
	);
});

describe('items', () => {
	const people = [of(telegram), of(whatsapp, { Город: 'Омск' }), of(viber)];

	test.each(['usual', 'wrapped'] as const)(
		'have one output item each, linked: %s answers',
		async (answers) => {
			Object.assign(service.dialect, { answers, changes: answers === 'wrapped' ? 'answered' : 'unsaid' });
			const { outputs } = await write(people);
			const linked = people.map((_, item) => ({ json: { success: true }, pairedItem: { item } }));
			expect(outputs).toEqual([linked]);
		},
	);

	test('of one contact keep their order, each after the last request of the one before', async () => {
		service.faults.add({ kind: 'delay', ms: [0, 30] });
		const later = { Город: 'Псков', Уровень: 'C1' };
		await write([of(telegram), of(whatsapp), of(telegram, later), of(telegram)]);
		const ofContact = askedOf(service, telegram);
		expect(ofContact).toEqual([...inForm, ...Object.entries(later), ...inForm]);
		// The other contact did not wait for them.
		expect(askedOf(service).findIndex(([id]) => id === whatsapp)).toBeLessThan(3);
	});

	/** Only the last value of all is wrong. */
	const withWrong = [of(telegram), of(whatsapp, { ...form, 'Удобное время': { с: 18 } }), of(viber)];

	test.each(modes)('with a wrong value send none of their variables: %s', async (onError) => {
		const { error, outputs } = await write(withWrong, { node: { onError } });
		expect(askedOf(service, whatsapp)).toEqual([]);
		if (onError === 'stopWorkflow') {
			expect(error?.message).toMatch(/Удобное время'.* \[Item 1\]$/);
			expect(service.requests).toEqual([]);
			return;
		}
		expect([askedOf(service, telegram), askedOf(service, viber)]).toEqual([inForm, inForm]);
		const failed = outputs.flat().filter(({ json }) => json.error);
		expect(failed).toMatchObject([
			{ json: { error: expect.stringContaining('Удобное время') }, pairedItem: { item: 1 } },
		]);
	});
});

describe('nothing is sent, and the error names what is wrong, with', () => {
	const { fieldAt } = wordsOf('contactVariable/upsertMany');
	const [rows, json] = ['variables', 'variablesJson'].map((path) => fieldAt(path).displayName) as [
		string,
		string,
	];
	const nameOf = (number: number) =>
		`'${rows}, variable ${number}: ${fieldAt('variables.name').displayName}'`;
	const valueOf = (number: number) =>
		`'${rows}, variable ${number}: ${fieldAt('variables.value').displayName}'`;
	const twice = `'${rows}' contains a name twice`;
	const noRows = emptyField(rows).message;

	test.each<[string, INodeParameters, string]>([
		['a name twice', asRows(['Город', '1'], ['Город', '2']), twice],
		['a name twice in other case', asRows(['Город', '1'], [' город ', '2']), twice],
		['a name twice in an object', asJson('{ "Город": 1, "ГОРОД": 2 }'), twice],
		['the same name twice in an object', asJson('{ "Город": 1, "Город" : 2 }'), `'${json}' contains a name`],
		['an empty name', asRows(['Город', '1'], [' ', '2']), `${nameOf(2)} is empty`],
		[
			'an empty name in an object',
			asJson('{ "": 1 }'),
			`'${rows}: ${fieldAt('variables.name').displayName}' is empty`,
		],
		[
			'two empty names',
			asRows(['', '1'], ['', '2']),
			`${nameOf(1)} is empty; ${nameOf(2)} is empty [Item 0]`,
		],
		['a name that is missing', asRows(['={{ $json.none }}', '2']), `${nameOf(1)} is empty`],
		['a word for a missing name', asRows(['=undefined', '2']), `${nameOf(1)} holds no name`],
		['an empty value', asRows(['Город', '1'], ['Дом', '']), `${valueOf(2)} is empty`],
		['a value that is missing', asRows(['Город', '={{ $json.none }}']), `${valueOf(1)} is empty`],
		[
			'an empty value in an object',
			asJson('={{ { "Город": "1", "Дом": null } }}'),
			`'${rows}: Дом' is empty`,
		],
		['a list', asRows(['Город', '={{ [1, 2] }}']), `${valueOf(1)} contains a list`],
		['a list in an object', asJson('{ "Город": [1, 2] }'), `'${rows}: Город' contains a list`],
		['an object as value', asRows(['Город', '={{ $json }}']), `${valueOf(1)} must be text`],
		['an object in an object', asJson('{ "Дом": { "номер": 1 } }'), `'${rows}: Дом' must be text`],
		[
			'a number that has lost digits',
			asRows(['Код', '={{ 12345678901234567890 }}']),
			`${valueOf(1)} holds a number`,
		],
		[
			'an object that became a text',
			asRows(['Код', '={{ "Код " + {} }}']),
			`${valueOf(1)} contains an object`,
		],
		['such a text in an object', asJson('={{ { "Код": "" + {} } }}'), `'${rows}: Код' contains an object`],
		['no rows', {}, noRows],
		['no rows any more', { variables: {} }, noRows],
		['all rows as one expression', { variables: '={{ $json.form }}' }, noRows],
		['no object', asJson(''), emptyField(json).message],
		['an object that is missing', asJson('={{ $json.none }}'), emptyField(json).message],
		['an empty object', asJson('{}'), emptyField(json).message],
		['an empty object of the item', asJson('={{ {} }}'), emptyField(json).message],
		['a list in place of an object', asJson('={{ [1, 2] }}'), `'${json}' must be an object`],
		['a list with one object', asJson('={{ [$json.form] }}'), `'${json}' must be an object`],
		['a text in place of an object', asJson('Город'), `'${json}' must be an object`],
		['null as text', asJson('null'), `'${json}' must be an object`],
		['half an object', asJson('{ "Город": "Тверь"'), `'${json}' must be an object`],
		[
			'an expression that is text',
			asJson('{ "Город": "{{ $json.city }}" }'),
			`'${json}' holds an expression`,
		],
	])('%s', async (_, variables, message) => {
		const { error } = await write([of(telegram)], { parameters: upsertMany(variables) });
		expect(error?.message).toContain(message);
		expect(service.requests).toEqual([]);
	});
});
