import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { partUnreadable } from '../../nodes/ChatbotService/client/failure/failure';
import { noFilter } from '../../nodes/ChatbotService/resources/problems';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { addContact, addContacts, SEEDED } from '../../sandbox/emulator';
import { labelOf } from '../operations/words';
import { startAnswering } from './answering';
import { getMany, readerOf } from './contacts';
import { callInBothWays, credentialFor, hintsOf, useEmulator } from './harness';

/* Contact, Get Many: the filter by variables. */

const service = useEmulator();

type Condition = [name: unknown, condition?: string, value?: unknown];

const by = (...conditions: Condition[]): INodeParameters => ({
	filters: {
		variables: {
			conditions: conditions.map(([name, condition, value]) => ({ name, condition, value })),
		},
	} as INodeParameters,
});

const read = readerOf(service);

const readFrom = async (rows: object[], parameters: INodeParameters) =>
	await read(parameters, { credential: credentialFor(await startAnswering(() => ({ data: rows }))) });

const namesIn = ({ json, error }: Awaited<ReturnType<typeof read>>) => {
	expect(error).toBeUndefined();
	return json.map(({ name }) => name);
};

const person = (name: string, variables: Record<string, string>) =>
	addContact(service.data, {
		...{ botId: SEEDED.bots.school, messenger: 'telegram', name, externalId: name, phone: undefined },
		variables: Object.entries(variables).map(([each, value]) => ({ name: each, value, deletable: false })),
	});

const [group, ...labels] = ['', '.name', '.condition', '.value'].map((path) =>
	labelOf('contact/getAll', `filters.variables${path}`),
);
const [nameLabel, conditionLabel, valueLabel] = labels.map((label) => `${group}, condition 1: ${label}`);

describe.each([
	['named', 'documented'],
	['nested', 'documented'],
	['named', 'ignored'],
] as const)('of a service with %s variables and `with` %s', (variables, known) => {
	beforeEach(() => {
		Object.assign(service.dialect, { variables, ...(known === 'ignored' && { with: known }) });
		service.data.contacts.clear();
		person('Анна', { Город: 'Казань', Возраст: '28', Отписан: '' });
		person('Борис', { Город: 'Тверь', Возраст: '41', Отписан: 'да' });
		person('Вера', { Город: ' ', Возраст: '41' });
	});

	test.each<[string, Condition[], string[]]>([
		['a text, without case and blanks', [[' город ', 'equals', 'КАЗАНЬ ']], ['Анна']],
		['a number that an expression returns', [['Возраст', 'equals', '={{ 28 }}']], ['Анна']],
		['another text', [['Город', 'notEquals', 'Казань']], ['Борис', 'Вера']],
		['any value', [['Город', 'exists']], ['Анна', 'Борис']],
		['no value', [['Отписан', 'notExists']], ['Анна', 'Вера']],
		['a variable that nobody has', [['Город рождения', 'exists']], []],
		[
			'all of several conditions',
			[
				['Возраст', 'equals', '41'],
				['Отписан', 'notEquals', 'Да'],
			],
			['Вера'],
		],
		[
			'several conditions on one variable',
			[
				['Город', 'exists'],
				['Город', 'notEquals', 'Тверь'],
			],
			['Анна'],
		],
	])('contacts are found by %s, in one request', async (_, conditions, names) => {
		expect(namesIn(await read(by(...conditions)))).toEqual(names);
		expect(service.requests.map(({ query }) => query.with)).toEqual(['variables']);
	});
});

test.each<[found: unknown, wanted: unknown, isSame: boolean]>([
	[28, '28', true],
	['28', '={{ 28 }}', true],
	['1990.0', 1990, true],
	['Казань', 'казань', true],
	['Нижний  Новгород', 'Нижний\u00a0Новгород', true],
	[true, 'true', true],
	['true', '={{ true }}', true],
	[0, '0', true],
	['007', '7', false],
	['12345678901234567890', '12345678901234567891', false],
	['Казань', 'Каз', false],
	[null, 'null', false],
	[' ', 'undefined', false],
])('a variable with %j equals %j: %s', async (found, wanted, isSame) => {
	const rows = [{ name: 'Анна', variables: { x: found } }];
	expect(namesIn(await readFrom(rows, by(['x', 'equals', wanted])))).toEqual(isSame ? ['Анна'] : []);
	expect(namesIn(await readFrom(rows, by(['x', 'notEquals', wanted])))).toEqual(isSame ? [] : ['Анна']);
});

test.each<[value: unknown, isThere: boolean]>([
	...[undefined, null, '', ' \n', '\u200b'].map((value): [unknown, boolean] => [value, false]),
	...['нет', 0, false, '0'].map((value): [unknown, boolean] => [value, true]),
])('a variable with the value %j exists: %s', async (value, isThere) => {
	const rows = [{ name: 'Анна', variables: [{ name: 'x', value }] }];
	expect(namesIn(await readFrom(rows, by(['x', 'exists'])))).toEqual(isThere ? ['Анна'] : []);
	expect(namesIn(await readFrom(rows, by(['x', 'notExists'])))).toEqual(isThere ? [] : ['Анна']);
});

test.each(['__proto__', 'constructor', 'toString'])(
	'a variable named %s is one like any other',
	async (variable) => {
		const rows = [
			{ name: 'Анна', variables: [{ name: variable, value: 'x' }] },
			{ name: 'Борис', variables: [] },
		];
		expect(namesIn(await readFrom(rows, by([variable, 'exists'])))).toEqual(['Анна']);
		expect(namesIn(await readFrom(rows, by([variable, 'notEquals', 'x'])))).toEqual(['Борис']);
	},
);

describe('variables as a service may write them', () => {
	test.each<[unknown]>([
		[{ отписан: 'да' }],
		[{ отписан: '', ОТПИСАН: 'да' }],
		[{ 2: { name: 'Отписан', value: 'да' } }],
		[{ data: [{ value: 'да', variable: { name: 'отписан' } }] }],
	])('%j are read: the person is left out', async (variables) => {
		const rows = [
			{ name: 'Отказник', variables },
			{ name: 'Борис', variables: [] },
		];
		expect(namesIn(await readFrom(rows, by(['Отписан', 'notExists'])))).toEqual(['Борис']);
	});

	test.each<[unknown]>([
		['Отписан: да'],
		[['Отписан']],
		[[{ title: 'Отписан', value: 'да' }]],
		[{ Отписан: { value: 'да' } }],
		[7],
		[false],
	])('%j are unknown, not none: nobody comes out, and the error shows them', async (variables) => {
		const rows = [
			{ name: 'Борис', variables: [] },
			{ name: 'Отказник', variables },
		];
		const { json, error } = await readFrom(rows, by(['Отписан', 'notExists']));
		const { message, description } = partUnreadable('variables', variables);
		expect([json, error?.message, error?.description]).toEqual([[], `${message} [Item 0]`, description]);
		// Without a filter, they come out as they are.
		expect((await readFrom(rows, { include: ['variables'] })).json[1]!.variables).toEqual(variables);
	});
});

describe('a condition is refused before anything leaves', () => {
	test.each<[string, Condition, string]>([
		['without a name', ['', 'exists'], emptyField(nameLabel!).message],
		['whose name is a list of a program', ["['Город']", 'exists'], `'${nameLabel}' holds no name`],
		['that equals an empty value', ['Город', 'equals', ' '], emptyField(valueLabel!).message],
		['that equals an object', ['Город', 'equals', '={{ $json }}'], `'${valueLabel}' must be text`],
		[
			'with another word',
			['Город', '={{ "contains" }}', 'К'],
			`'${conditionLabel}' must be one of notExists`,
		],
	])('%s', async (_, condition, message) => {
		const { json, error } = await read(by(condition), { items: [{ a: 1 }] });
		expect([json, error?.message]).toEqual([[], expect.stringContaining(message)]);
		expect(service.requests).toEqual([]);
	});

	test('and if its value is empty, the error names the condition to choose', async () => {
		const { error } = await read(by(['Город', 'notEquals', '']));
		expect(error?.description).toContain("choose 'Does Not Exist'");
	});

	test.each<[string, unknown]>([
		['no condition', {}],
		['an empty list of conditions', { conditions: [] }],
		['an expression in place of the conditions', { conditions: '={{ $json.conditions }}' }],
		['an expression in place of the filter', '={{ { conditions: $json.conditions } }}'],
	])('if there is %s', async (_, variables) => {
		const items = [{ conditions: [{ name: 'Город', condition: 'exists' }] }];
		const { json, error } = await read({ filters: { variables } as INodeParameters }, { items });
		expect([json, error?.message]).toEqual([[], expect.stringContaining(`'${group}`)]);
		expect(service.requests).toEqual([]);
	});
});

test('a condition holds for each item with its own values', async () => {
	service.data.contacts.clear();
	person('Анна', { Город: 'Казань' });
	person('Борис', { Город: 'Омск' });
	const items = [{ city: 'омск' }, { city: 'Казань' }];
	const { outputs } = await read(by(['Город', 'equals', '={{ $json.city }}']), { items });
	expect(outputs[0]).toMatchObject([
		{ json: { name: 'Борис' }, pairedItem: { item: 0 } },
		{ json: { name: 'Анна' }, pairedItem: { item: 1 } },
	]);
});

describe('a notice says', () => {
	const nobody = (what: string) => `No contact has ${what}: nobody was left out because of it.`;

	beforeEach(() => void person('Отказник', { Отписан: 'да' }));

	test.each<[string, Condition[], string[]]>([
		['which variable no contact has', [['Отписался', 'notExists']], [nobody("the variable 'Отписался'")]],
		[
			'which value no contact has',
			[['Отписан', 'notEquals', 'yes']],
			[nobody('the variable \'Отписан\' with the value "yes"')],
		],
		[
			'all of them, and no other one',
			[
				['Отписан', 'notEquals', 'да'],
				['Бот', 'notExists'],
				['Спам', 'notExists'],
			],
			[nobody("the variable 'Бот' or the variable 'Спам'")],
		],
		['nothing if somebody was left out', [['Отписан', 'notExists']], []],
	])('%s', async (_, conditions, notices) => {
		expect(hintsOf(await read(by(...conditions)))).toEqual(notices);
	});

	test('nothing about a condition that all contacts are to meet, and do', async () => {
		service.data.contacts.clear();
		person('Анна', { Город: 'Казань' });
		const result = await read(by(['Город', 'exists'], ['Город', 'equals', 'Казань']));
		expect([namesIn(result), hintsOf(result)]).toEqual([['Анна'], []]);
	});

	test('this only after all contacts were read, because a later one may have it', async () => {
		addContacts(service.data, 1100);
		const conditions = by(['Отписался', 'notExists']);
		expect(hintsOf(await read({ ...conditions, returnAll: false, limit: 5 }))).toEqual([]);
		person('Последний', { Отписался: 'да' });
		expect(hintsOf(await read(conditions))).toEqual([]);
	});

	test('how many contacts were read if none matches', async () => {
		addContacts(service.data, 1200 - service.data.contacts.size);
		const result = await read(by(['Отписан', 'equals', 'никогда']));
		expect([result.json, hintsOf(result)]).toEqual([[], ['Read 1,200 contacts, none matches.']]);
	});
});

test('a condition that the model of an agent leaves empty does not count, but not all filters may be empty', async () => {
	service.data.contacts.clear();
	person('Анна', { Город: 'Казань', Отписан: 'да' });
	person('Борис', { Город: 'Казань' });
	const byModel = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;
	const conditions = by(['Город', 'equals', byModel('city')], [byModel('absent'), 'notExists']);
	const filters = { ...(conditions.filters as INodeParameters), name: byModel('name') };
	const call = async (values: IDataObject) => {
		const options = { parameters: getMany({ filters }), credential: credentialFor(service) };
		const answers = await callInBothWays(options, { city: '', absent: '', name: '', ...values });
		return answers.map((answer) => JSON.stringify(answer));
	};
	for (const answer of await call({}))
		expect(answer).toContain(noFilter(labelOf('contact/getAll', 'filters')).message);
	expect(service.requests).toEqual([]);
	for (const answer of await call({ name: 'анна' })) expect(answer).toContain('Анна');
	for (const answer of await call({ city: 'казань', absent: 'отписан' })) {
		expect(answer).toContain('Борис');
		expect(answer).not.toContain('Анна');
	}
});
