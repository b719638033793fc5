import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import { parametersOf, variants } from '../operations';
import { callInBothWays, credentialFor, runNode, useEmulator } from './harness';

/*
 * What the code of an expression writes is not always what was meant: a word for a value that is missing, or a name without a part of
 * it. Words that a person has typed, and those of the data, are meant.
 */

const service = useEmulator();
const { contacts, schemas } = SEEDED;

const run = async (parameters: INodeParameters, item: IDataObject = {}) =>
	await runNode({
		parameters,
		items: [item],
		node: { onError: 'continueErrorOutput' },
		credential: credentialFor(service),
	});

const saidBy = ({ outputs, error }: Awaited<ReturnType<typeof run>>) =>
	error?.message ?? String(outputs[1]?.[0]?.json.error ?? '');

/** What a model reads, in both ways of calling a tool. */
const answersTo = async (parameters: INodeParameters, call: IDataObject) =>
	(await callInBothWays({ parameters, credential: credentialFor(service) }, call)).map((answer) =>
		JSON.stringify(answer),
	);

/** Each field that travels, and that n8n evaluates. */
const sent = variants.flatMap((variant) =>
	variant.fields
		.filter(({ wire, value, decides }) => wire && typeof value === 'string' && !decides)
		.map(({ name, label, value }) => [variant.title, label, name, String(value)] as const),
);

test.each(sent)('%s: %s with a word of code leaves nothing', async (title, label, name, value) => {
	const variant = variants.find((each) => each.title === title)!;
	const code = `={{ ${JSON.stringify(value)} + $json.missing }}`;
	const result = await run(parametersOf(variant, { [name]: code }));
	expect(saidBy(result)).toContain(`'${label}`);
	expect(service.requests).toEqual([]);
});

const send = (text: string): INodeParameters => ({
	...{ resource: 'message', operation: 'send', contactMessenger: 'vk', text },
	contactId: String(contacts.vk),
});

test.each<[text: string, word: string, item: IDataObject]>([
	["={{ 'Здравствуйте, ' + $json.name + '!' }}", 'undefined', {}],
	['={{ `Здравствуйте, ${$json.name}!` }}', 'undefined', {}],
	['=Заказ {{ "№ " + $json.order }}', 'null', { order: null }],
	['=К оплате {{ Number($json.price).toFixed(2) }} ₽', 'NaN', { price: '100 ₽' }],
	['={{ $json.sum * 2 }}', 'NaN', {}],
	["=№ {{ 'A' + Number($json.price) }}", 'NaN', { price: '100 ₽' }],
	["={{ new Intl.NumberFormat('ru').format($json.sum) }} ₽", 'не.число', {}],
	['=По {{ $json.sum / $json.people }} ₽', 'Infinity', { sum: 5, people: 0 }],
	["={{ typeof $json.name === 'undefined' ? $json.name + '' : '' }}", 'undefined', {}],
	['=Друг{{ $json.a ? "" : null + "" }}', 'null', {}],
	["={{ 'Сбой ' + $json.error + $json.name }}", 'undefined', { error: 'name is undefined' }],
	["={{ 'Здравствуйте, ' + $json.name }}", 'undefined', { error: 'name is undefined' }],
	["={{ $json.people.map((each) => each.name + '!').join() }}", 'undefined', { people: [{ name: 'А' }, {}] }],
	['=Анна, {{ JSON.stringify({ a: 1 }) }} {{ String($json.b) }}', 'undefined', {}],
])('a message %j does not leave with %s', async (text, word, item) => {
	expect(saidBy(await run(send(text), item))).toMatch(
		new RegExp(`^'Text': \`[^]*\\{\\{[^]*\\}\\}[^]*\` wrote '${word}'`),
	);
	expect(service.requests).toEqual([]);
});

test.each<[text: string, item: IDataObject]>([
	['undefined is not a function', {}],
	['=Что такое undefined, {{ $json.name }}?', { name: 'Анна' }],
	["={{ 'Что такое null, ' + $json.name + '?' }}", { name: 'Анна' }],
	['={{ $json.t }}', { t: 'Ошибка: undefined is not a function' }],
	["={{ $json.t.toLowerCase() + '!' }}", { t: 'Андрей UNDEFINED' }],
	['={{ Object.values($json).join(" ") }}', { t: 'NaN в отчёте' }],
	['={{ $json["t"].split(",").map((each) => each + "!").join() }}', { t: 'null,NaN' }],
	['={{ $("Start").item.json.t + "!" }}', { t: 'Infinity' }],
	['={{ $input.all()[0].json.t + "!" }}', { t: 'null' }],
	['={{ JSON.stringify($json) }}', { name: null }],
	['=Заявка: {{ JSON.stringify($json) }}', { name: null }],
	["={{ 'Заявка: ' + JSON.stringify($json) }}", { name: null }],
	['={{ JSON.stringify([null, 1]) }}', {}],
	["={{ 'https://example.com/?t=' + $json.t }}", { t: 'abnullcdNaNef' }],
	["={{ $json.t.base64Encode() + 'xNaNx' + 'anullb' }}", { t: 'я' }],
	['=Номер {{ $json.none }}', {}],
	['={{ $json.name ?? "друг" }}', {}],
	['=Infinity Club ждёт {{ $json.name }}', { name: 'Анну' }],
])('a message %j leaves for an item %j', async (text, item) => {
	expect(saidBy(await run(send(text), item))).toBe('');
	expect(service.deliveries()).toHaveLength(1);
});

const byName = (value: string) => ({ __rl: true, mode: 'name', value }) as INodeParameters;
const contactId = String(contacts.telegram);
const variable = { resource: 'contactVariable', contactId };
const many = { ...variable, operation: 'upsertMany' };
const contact = {
	...{ resource: 'contact', operation: 'upsert', botId: '101', messenger: 'telegram' },
	...{ externalId: '111222333', contactName: 'Анна' },
};
const toNumber = {
	...{ resource: 'message', operation: 'sendToWhatsApp', botId: '101' },
	...{ contactName: 'Анна', text: 'Привет' },
};
const list = { resource: 'listSchema', schemaId: { __rl: true, mode: 'id', value: schemas.goods } };
const newList = { ...list, operation: 'create', listName: 'Заказы' };

/** Parameters in which an expression ends with a part of a name. */
const named: Array<[label: string, of: string, (part: string) => INodeParameters]> = [
	['Variable', 'delete', (n) => ({ ...variable, operation: 'delete', variableName: byName(`=Заказ ${n}`) })],
	[
		'Variable',
		'delete by ID',
		(n) => ({ ...variable, operation: 'delete', deleteBy: 'id', variableId: byName(`=30${n}`) }),
	],
	[
		'Variable',
		'upsert',
		(n) => ({ ...variable, operation: 'upsert', variableName: byName(`=Заказ ${n}`), variableValue: 'x' }),
	],
	[
		'Variables, variable 1: Name',
		'upsertMany',
		(n) => ({ ...many, variables: { variable: [{ name: `=Заказ ${n}`, value: 'x' }] } }),
	],
	[
		'Variables (JSON)',
		'upsertMany',
		(n) => ({ ...many, variablesInput: 'json', variablesJson: `={ "Заказ ${n}": "x", "Город": "Казань" }` }),
	],
	...['attach', 'detach'].map((operation): (typeof named)[number] => [
		'Tag',
		operation,
		(n) => ({ resource: 'tag', operation, contactId, tagName: byName(`=Волна ${n}`) }),
	]),
	[
		'Contact ID',
		'attach',
		(n) => ({ resource: 'tag', operation: 'attach', contactId: `=500${n}`, tagName: byName('VIP') }),
	],
	['Contact ID', 'send', (n) => ({ ...send('Привет'), contactId: `=500${n}` })],
	[
		'Phone Number or Messenger ID',
		'send',
		(n) => ({
			...{ ...send('Привет'), recipient: 'externalId', messenger: 'telegram', botId: '101' },
			externalId: `=28411${n}`,
		}),
	],
	['Phone Number', 'sendToWhatsApp', (n) => ({ ...toNumber, phone: `=+7916123456${n}` })],
	['Bot ID', 'contact', (n) => ({ ...contact, botId: `=10${n}` })],
	['Tags', 'contact', (n) => ({ ...contact, additionalFields: { tags: `=VIP, Волна ${n}` } })],
	['Email', 'contact', (n) => ({ ...contact, additionalFields: { email: `=anna${n}@example.com` } })],
	['Phone', 'contact', (n) => ({ ...contact, additionalFields: { phone: `=+7916123456${n}` } })],
	[
		'Telegram Username',
		'contact',
		(n) => ({ ...contact, additionalFields: { telegramUsername: `=anna_${n}` } }),
	],
	[
		'Item',
		'delete',
		(n) => ({
			...list,
			resource: 'listItem',
			operation: 'delete',
			itemId: byName(`=64b7f0c2a1d3e4f5a600000${n}`),
		}),
	],
	[
		'List',
		'delete',
		(n) => ({ ...list, operation: 'delete', schemaId: byName(`=64b7f0c2a1d3e4f5a6b7c8d${n}`) }),
	],
	['List Name', 'create', (n) => ({ ...newList, listName: `=Заказы ${n}` })],
	[
		'Fields',
		'create',
		(n) => ({ ...newList, fields: { field: [{ name: 'Город', slug: `=city_${n}`, type: 'string' }] } }),
	],
	[
		'Fields (JSON)',
		'create',
		(n) => ({
			...newList,
			...{ fieldsInput: 'json', fieldsJson: `=[{ "name": "Город", "slug": "city_${n}", "type": "string" }]` },
		}),
	],
	[
		'Field Slug',
		'addField',
		(n) => ({
			...list,
			operation: 'addField',
			fieldName: 'Город',
			newFieldSlug: `=city_${n}`,
			fieldType: 'string',
		}),
	],
	[
		'Match On',
		'upsert',
		(n) => ({
			...{ ...list, resource: 'listItem', operation: 'upsert', matchOn: byName(`=articl${n}`) },
			columns: { mappingMode: 'defineBelow', value: { articl7: 'А-1' }, schema: [] },
		}),
	],
	[
		'Test Run: Contact ID',
		'send',
		(n) => {
			const contactId = `=500${n.replace('$json', "$('Start').first().json")}`;
			return { ...send('Привет'), options: { testRun: { values: { contactId, messages: 1 } } } };
		},
	],
	['Field', 'deleteField', (n) => ({ ...list, operation: 'deleteField', fieldSlug: byName(`=pric${n}`) })],
];

describe('a name that has lost a part names another record', () => {
	test.each(named)('%s of %s', async (label, _, parametersWith) => {
		expect(saidBy(await run(parametersWith('{{ $json.n }}')))).toBe(`'${label}' has lost a part [Item 0]`);
		expect(service.requests).toEqual([]);
	});

	test.each(named)('%s of %s leaves with the part', async (_label, _of, parametersWith) => {
		await run(parametersWith('{{ $json.n }}'), { n: '7' });
		expect(service.requests.length).toBeGreaterThan(0);
	});

	test.each(named.slice(0, 9))(
		'%s of %s, in a tool whose model leaves the part empty',
		async (label, _, withPart) => {
			for (const answer of await answersTo(withPart("{{ $fromAI('n', '', 'string') }}"), { n: '' }))
				expect(answer).toContain(`'${label}' has lost a part`);
			expect(service.requests).toEqual([]);
		},
	);

	test('but a word in the data of it is a part of it', async () => {
		const variables = { variable: [{ name: '=Тип {{ $json.n }}', value: 'x' }] };
		expect(saidBy(await run({ ...many, variables }, { n: 'null' }))).toBe('');
		expect(service.requests.map(({ input }) => input.name)).toEqual(['Тип null']);
	});
});

test('a model may write any word, and code around it may not', async () => {
	const byModel = "$fromAI('text', '', 'string')";
	for (const text of [`={{ ${byModel} }}`, `={{ 'Вопрос: ' + ${byModel} }}`])
		await answersTo(send(text), { text: 'Что такое undefined?' });
	expect(service.deliveries()).toHaveLength(4);
	for (const answer of await answersTo(send(`={{ ${byModel} + $json.missing }}`), { text: 'Привет' }))
		expect(answer).toContain("wrote 'undefined'");
	expect(service.deliveries()).toHaveLength(4);
});

test.each<[string, INodeParameters, unknown]>([
	['a whole tag', { ...contact, additionalFields: { tags: '=VIP, {{ $json.n }}' } }, { tags: ['VIP'] }],
	['the last name', { ...contact, contactName: '=Анна {{ $json.n }}' }, { name: 'Анна ' }],
	[
		'a part of a value',
		{ ...many, variablesInput: 'json', variablesJson: '={ "Город": "г. Казань {{ $json.n }}" }' },
		{ value: 'г. Казань ' },
	],
])('%s may be left out', async (_, parameters, expected) => {
	expect(saidBy(await run(parameters))).toBe('');
	expect(service.requests.map(({ input }) => input)).toMatchObject([expected]);
});

test.each([
	['=VIP', '=VIP'],
	['={{ $json.n }}', '5'],
	['=64b7', '64b7'],
])('a tag %j from the list is %j', async (value, name) => {
	const tagName = { __rl: true, mode: 'list', value };
	await run({ resource: 'tag', operation: 'attach', contactId, tagName }, { n: '5' });
	expect(service.requests.map(({ input }) => input.name)).toEqual([name]);
});

test.each<[string, INodeParameters, unknown, string]>([
	[
		'answers to a variable',
		{ ...variable, operation: 'upsert', variableName: byName('Хобби'), variableValue: '={{ $json.list }}' },
		['йога', 'бег'],
		"join(', ')",
	],
	['IDs', { ...send('Привет'), contactId: '={{ $json.list }}' }, [5001, 5002], 'Split Out'],
	['objects', send('={{ $json.list }}'), [{ ID: 7, VALUE: '+7' }], '[0].VALUE'],
])('the advice for a list of %s fits', async (_, parameters, list, advice) => {
	const { outputs } = await run(parameters, { list } as IDataObject);
	expect(outputs[1]![0]!.json.message).toContain(advice);
	expect(service.requests).toEqual([]);
});
