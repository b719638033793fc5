import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { wholeNames } from '../../nodes/ChatbotService/resources/kinds';
import { emptyField, lostPart } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { operationOf, parametersOf } from '../operations';
import { goods } from '../operations/fields';
import { labelOf } from '../operations/words';
import { callInBothWays, credentialFor, runNode, useEmulator } from './harness';
import { problemOf } from './messages';

/*
 * A condition that an expression leaves empty. Without it, the node would read, change or tell more than the user means: the contacts of
 * all bots, a request past the proxy, another first item, or, to the customer of a chat, the data of other customers.
 */

const service = useEmulator();

const contacts = (more: INodeParameters): INodeParameters => ({
	...{ resource: 'contact', operation: 'getAll', returnAll: false, limit: 5 },
	...more,
});

const listItems = (more: INodeParameters): INodeParameters => ({
	...{ resource: 'listItem', operation: 'getAll', returnAll: false, limit: 1 },
	schemaId: { __rl: true, mode: 'id', value: goods.value as string },
	...more,
});

const where = (...filter: Array<{ slug: string; value: string }>) => ({ fieldFilters: { filter } });

const inOrder = (itemOptions: INodeParameters, ...filter: Parameters<typeof where>) =>
	listItems({ ...where(...filter), itemOptions });

/** As the editor stores what is typed into a list. */
const typed = (value: string) => ({ __rl: true, mode: 'slug', value }) as INodeParameters;

const newList = (botId: string) => parametersOf(operationOf('listSchema/create').variants[0]!, { botId });

const run = async (parameters: INodeParameters, item: IDataObject = { course: 'Пробный урок' }) =>
	await runNode({ parameters, items: [item], credential: credentialFor(service) });

const ofVariable = { name: 'Город', condition: 'equals', value: 'Казань' };

/** Each filter, with its label: those by variables are conditions. How a variable is compared is no expression. */
const filters: Array<[label: string, name: string, (value: string) => INodeParameters]> = [
	...operationOf('contact/getAll')
		.variants[0]!.fields.filter(({ name }) => /^filters\.(?!variables)/.test(name))
		.map(({ name: path, label }): (typeof filters)[number] => {
			const name = path.slice('filters.'.length);
			return [label, name, (value) => ({ [name]: value })];
		}),
	...['name', 'value'].map((name): (typeof filters)[number] => {
		const [outer, inner] = ['', `.${name}`].map((path) =>
			labelOf('contact/getAll', `filters.variables${path}`),
		);
		const conditionWith = (value: string) => ({
			variables: { conditions: [{ ...ofVariable, [name]: value }] },
		});
		return [`${outer}, condition 1: ${inner}`, `variables.${name}`, conditionWith];
	}),
];

function filterOf([label, , filterBy]: (typeof filters)[number]): (typeof conditions)[number] {
	return [label, 'contacts', (value) => contacts({ filters: filterBy(value) })];
}

const labelAt = (path: string) => labelOf('listItem/getAll', path);
const valueLabel = `${labelAt('fieldFilters')}, filter 1: ${labelAt('fieldFilters.value')}`;
const directionLabel = labelAt('itemOptions.orderByDirection');

/** Every parameter without which more would match, with its label. */
const conditions: Array<[label: string, of: string, (value: string) => INodeParameters]> = [
	[labelOf('contact/getAll', 'botId'), 'contacts', (botId) => contacts({ botId })],
	[labelOf('listSchema/create', 'botId'), 'a new list', newList],
	['Proxy', 'requests', (proxy) => contacts({ requestOptions: { proxy } })],
	...filters.map(filterOf),
	[valueLabel, 'list items', (value) => listItems(where({ slug: 'article', value }))],
	[labelAt('itemOptions.orderBy'), 'list items', (orderBy) => inOrder({ orderBy })],
	[labelAt('itemOptions.orderBy'), 'list items, typed', (value) => inOrder({ orderBy: typed(value) })],
	[directionLabel, 'list items', (direction) => inOrder({ orderBy: 'price', orderByDirection: direction })],
];

describe('a condition that an expression leaves empty is refused by name, and nothing leaves', () => {
	test.each(conditions)('%s of %s', async (label, _, parametersWith) => {
		for (const value of ['={{ $json.missing }}', '={{ null }}', "={{ '\\u200b' }}", "={{ '' }}", '= ']) {
			const { error } = await run(parametersWith(value));
			expect([value, error?.message]).toEqual([value, `${emptyField(label).message} [Item 0]`]);
		}
		expect(service.requests).toEqual([]);
	});
});

describe('left empty by hand', () => {
	test('Bot ID means the contacts of all bots', async () => {
		const { json } = await run(contacts({ returnAll: true, botId: '' }));
		expect(json).toHaveLength(service.data.contacts.size);
	});

	test('Bot ID means a list that belongs to no bot', async () => {
		expect((await run(newList(''))).error).toBeUndefined();
		expect(service.requests.map(({ input }) => 'bot_id' in input)).toEqual([false]);
	});
});

describe('a condition that has lost a part is refused by name, and nothing leaves', () => {
	const lost = (label: string) => lostPart(label, []).message;
	const lostName = (label: string) => problemOf(wholeNames(['VIP', ''], label)).message;
	const missing = '$json.missing';

	test.each<[string, value: string, (label: string) => string]>([
		['hasAllTags', `=Новый лид, {{ ${missing} }}`, lost],
		['hasAllTags', `={{ ['Новый лид', ${missing}] }}`, lostName],
		['hasAllTags', `={{ ['Новый лид', ${missing}].join() }}`, lostName],
		['hasAnyTag', `=Новый лид; {{ ${missing} }}`, lost],
		['hasNoTags', "={{ ['Не писать', ''] }}", lostName],
		['name', `=Анна {{ ${missing} }}`, lost],
		['name', `={{ ${missing} }} Соколова`, lost],
		['name', `={{ 'Анна ' + ${missing} }}`, lost],
		['name', `={{ \`Анна \${${missing}}\` }}`, lost],
		['email', `={{ ${missing} }}@example.com`, lost],
		['email', `=anna@{{ ${missing} }}`, lost],
		['name', `={{ 'Соколова' + ${missing} }}`, lost],
		['variables.name', `=Город {{ ${missing} }}`, lost],
		['variables.value', `={{ 'Казань' + ${missing} }}`, lost],
	])('%s %s', async (name, value, message) => {
		const [label, , filterBy] = filters.find(([, each]) => each === name)!;
		const { error } = await run(contacts({ filters: filterBy(value) }));
		expect(error?.message).toBe(`${message(label)} [Item 0]`);
		expect(service.requests).toEqual([]);
	});

	test.each<[string, INodeParameters]>([
		[valueLabel, where({ slug: 'article', value: '=00{{ $json.missing }}' })],
		[valueLabel, where({ slug: 'article', value: "={{ 'A-' + $json.missing }}" })],
		...['=price,{{ $json.missing }}', typed('=price,{{ $json.missing }}')].map(
			(orderBy): [string, INodeParameters] => [labelAt('itemOptions.orderBy'), { itemOptions: { orderBy } }],
		),
	])('%s of list items: %j', async (label, parameters) => {
		const { error } = await run(listItems(parameters));
		expect(error?.message).toBe(`${lost(label)} [Item 0]`);
		expect(error?.description).toContain('$json.missing');
		expect(service.requests).toEqual([]);
	});

	test.each([
		['hasAllTags', '=Новый лид, {{ $json.course }}'],
		['hasAllTags', "={{ ['Новый лид', $json.course] }}"],
		['hasAllTags', 'Новый лид, Пробный урок, '],
		['name', '=Анна {{ "Соколова" }}'],
	])('but not a whole one, and what a person types may end with a comma: %s %s', async (name, value) => {
		const { json } = await run(contacts({ filters: { [name]: value } }));
		expect(json.map((contact) => contact.name)).toEqual(['Анна Соколова']);
	});
});

describe('for the model of an agent, in both ways of calling', () => {
	const byModel = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;

	const answersTo = async (parameters: INodeParameters, call: IDataObject) => {
		const answers = await callInBothWays({ parameters, credential: credentialFor(service) }, call);
		return answers.map((answer) => JSON.stringify(answer));
	};

	/** A filter that the model fills in, beside the one that is tested. */
	const beside = (name: string) =>
		name === 'name'
			? { email: byModel('other'), other: 'anna.sokolova@example.com' }
			: { name: byModel('other'), other: 'а' };

	test.each(filters)(
		'%s that the workflow sets cannot be empty, so no other person is named',
		async (label, name, filterBy) => {
			const { other, ...filter } = beside(name);
			const parameters = contacts({ filters: { ...filter, ...filterBy('={{ $json.ofThisChat }}') } });
			for (const answer of await answersTo(parameters, { other })) {
				expect(answer).toContain(emptyField(label).message);
				expect(answer).not.toContain('phone');
			}
			expect(service.requests).toEqual([]);
		},
	);

	test.each(filters)('%s that the model fills in may be empty', async (_, name, filterBy) => {
		const own = name === 'name' ? { email: 'anna.sokolova@example.com' } : { name: 'соколова' };
		const answers = await answersTo(contacts({ filters: { ...own, ...filterBy(byModel('value')) } }), {
			value: '',
		});
		for (const answer of answers) expect(JSON.parse(answer)).toMatchObject([{ name: 'Анна Соколова' }]);
	});

	const byText = { filters: { name: byModel('text') } };
	const titled = { slug: 'title', value: byModel('text') };
	const ofThisChat = { slug: 'article', value: '={{ $json.ofThisChat }}' };

	test.each<[string, INodeParameters]>([
		[labelOf('contact/getAll', 'botId'), contacts({ botId: '={{ $json.bot }}', ...byText })],
		['Proxy', contacts({ requestOptions: { proxy: '={{ $json.proxy }}' }, ...byText })],
		[valueLabel, listItems(where(ofThisChat, titled))],
		[labelAt('itemOptions.orderBy'), inOrder({ orderBy: '={{ $json.order }}' }, titled)],
		[directionLabel, inOrder({ orderBy: 'price', orderByDirection: '={{ $json.order }}' }, titled)],
	])('%s that the workflow sets cannot be empty', async (label, parameters) => {
		for (const answer of await answersTo(parameters, { text: 'Орхидея в горшке' }))
			expect(answer).toContain(emptyField(label).message);
		expect(service.requests).toEqual([]);
	});

	const [anna, byLastName] = ['=Анна {{ $fromAI("last") }}', '={{ $json.first }} {{ $fromAI("last") }}'];

	test.each<[string, string, IDataObject, answer: string]>([
		['that the model adds may be empty', anna, { last: '' }, '"Анна Соколова"'],
		['that the workflow adds may not be', byLastName, { last: 'Соколова' }, 'has lost a part'],
	])('a part of a name %s', async (_, name, call, said) => {
		for (const answer of await answersTo(contacts({ filters: { name } }), call))
			expect(answer).toContain(said);
	});

	test('an order that the model leaves empty is the order of the list', async () => {
		for (const orderBy of [byModel('order'), typed(byModel('order'))]) {
			const order = { orderBy, orderByDirection: byModel('direction') };
			const parameters = inOrder(order, { slug: 'active', value: 'true' });
			for (const answer of await answersTo(parameters, { order: '', direction: '' }))
				expect(JSON.parse(answer)).toMatchObject([{ id: SEEDED.listItems.good }]);
		}
	});
});
