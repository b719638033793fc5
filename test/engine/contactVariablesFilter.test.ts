import { addContact, addContacts, SEEDED } from '../../sandbox/emulator';
import { startAnswering } from './answering';
import { credentialFor, hintsOf } from './harness';
import { placesOf, scene, usual, type Given } from './scene';

/* Contact, Get Many: the filter by variables. How services may write variables: contacts.test; refused conditions: cases/contactCases. */

const { service, run, refusal } = scene(
	usual('contact/getAll', { botId: '', returnAll: true, include: [], filters: {} }),
);

type Condition = [name: unknown, condition?: string, value?: unknown];

const by = (...conditions: Condition[]) => ({
	filters: {
		variables: { conditions: conditions.map(([name, condition, value]) => ({ name, condition, value })) },
	},
});

const read = async (conditions: Condition[], given: Given = {}) => {
	const result = await run({ with: by(...conditions), ...given });
	expect(result.error).toBeUndefined();
	return result.json.map(({ name }) => name);
};

/** Whether a person with these variables comes out. */
const isFound = async (variables: unknown, ...condition: Condition) => {
	const data = [{ name: 'Анна', variables }];
	const credential = credentialFor(await startAnswering(() => ({ data })));
	return (await read([condition], { credential })).length === 1;
};

const person = (name: string, variables: Record<string, string>) =>
	addContact(service.data, {
		...{ botId: SEEDED.bots.school, messenger: 'telegram', name, externalId: name, phone: undefined },
		variables: Object.entries(variables).map(([each, value]) => ({ name: each, value, deletable: false })),
	});

const notTver: Condition[] = [
	['Город', 'exists'],
	['Город', 'notEquals', 'Тверь'],
];
const oldAndSubscribed: Condition[] = [
	['Возраст', 'equals', '41'],
	['Отписан', 'notEquals', 'Да'],
];

test.each([
	['named', 'documented'],
	['nested', 'documented'],
	['named', 'ignored'],
] as const)('conditions find people: variables %s, `with` %s', async (variables, known) => {
	Object.assign(service.dialect, { variables, ...(known === 'ignored' && { with: known }) });
	service.data.contacts.clear();
	person('Анна', { Город: 'Казань', Возраст: '28', Отписан: '' });
	person('Борис', { Город: 'Тверь', Возраст: '41', Отписан: 'да' });
	person('Вера', { Город: ' ', Возраст: '41' });
	const rows: Array<[Condition[], string[]]> = [
		[[[' город ', 'equals', 'КАЗАНЬ ']], ['Анна']],
		[[['Возраст', 'equals', '={{ 28 }}']], ['Анна']],
		[[['Город', 'notEquals', 'Казань']], ['Борис', 'Вера']],
		[[['Город', 'exists']], ['Анна', 'Борис']],
		[[['Отписан', 'notExists']], ['Анна', 'Вера']],
		[[['Город рождения', 'exists']], []],
		[oldAndSubscribed, ['Вера']],
		[notTver, ['Анна']],
	];
	for (const [conditions, names] of rows)
		expect([conditions, await read(conditions)]).toEqual([conditions, names]);
	// One request for each.
	expect(service.requests.map(({ query }) => query.with)).toEqual(rows.map(() => 'variables'));
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
	expect(await isFound({ x: found }, 'x', 'equals', wanted)).toBe(isSame);
	expect(await isFound({ x: found }, 'x', 'notEquals', wanted)).toBe(!isSame);
});

test.each<[value: unknown, isThere: boolean]>([
	...[undefined, null, '', ' \n', '\u200b'].map((value): [unknown, boolean] => [value, false]),
	...['нет', 0, false, '0'].map((value): [unknown, boolean] => [value, true]),
])('a variable with the value %j exists: %s', async (value, isThere) => {
	expect(await isFound([{ name: 'x', value }], 'x', 'exists')).toBe(isThere);
	expect(await isFound([{ name: 'x', value }], 'x', 'notExists')).toBe(!isThere);
});

test.each(['__proto__', 'constructor', 'toString'])('a variable may have the name %s', async (name) => {
	expect(await isFound([{ name, value: 'x' }], name, 'exists')).toBe(true);
	expect(await isFound([], name, 'exists')).toBe(false);
	expect(await isFound([], name, 'notEquals', 'x')).toBe(true);
});

test('with an empty value, the condition to choose is named', async () => {
	const { description } = await refusal({ with: by(['Город', 'notEquals', '']) });
	expect(description).toContain("choose 'Does Not Exist'");
});

test('a condition holds for each item with its values', async () => {
	service.data.contacts.clear();
	person('Анна', { Город: 'Казань' });
	person('Борис', { Город: 'Омск' });
	const items = [{ city: 'омск' }, { city: 'Казань' }];
	const result = await run({ with: by(['Город', 'equals', '={{ $json.city }}']), items });
	expect(result.json.map(({ name }) => name)).toEqual(['Борис', 'Анна']);
	expect(placesOf(result)).toEqual([0, 1]);
});

describe('a notice says', () => {
	const nobody = (what: string) => `No contact has ${what}: nobody was left out because of it.`;
	const noticesOf = async (...conditions: Condition[]) => hintsOf(await run({ with: by(...conditions) }));

	beforeEach(() => void person('Отказник', { Отписан: 'да' }));

	test('which variable or value no contact has', async () => {
		expect(await noticesOf(['Отписался', 'notExists'])).toEqual([nobody("the variable 'Отписался'")]);
		const value = 'the variable \'Отписан\' with the value "yes"';
		expect(await noticesOf(['Отписан', 'notEquals', 'yes'])).toEqual([nobody(value)]);
		// All of them, and no other one.
		const three: Condition[] = [...['Бот', 'Спам'].map((each): Condition => [each, 'notExists'])];
		expect(await noticesOf(['Отписан', 'notEquals', 'да'], ...three)).toEqual([
			nobody("the variable 'Бот' or the variable 'Спам'"),
		]);
		expect(await noticesOf(['Отписан', 'notExists'])).toEqual([]);
	});

	test('nothing of a condition that all are to meet', async () => {
		service.data.contacts.clear();
		person('Анна', { Город: 'Казань' });
		expect(await noticesOf(['Город', 'exists'], ['Город', 'equals', 'Казань'])).toEqual([]);
	});

	test('this only after all contacts were read', async () => {
		addContacts(service.data, 1100);
		const conditions = by(['Отписался', 'notExists']);
		expect(hintsOf(await run({ with: { ...conditions, returnAll: false, limit: 5 } }))).toEqual([]);
		person('Последний', { Отписался: 'да' });
		expect(hintsOf(await run({ with: conditions }))).toEqual([]);
	});
});
