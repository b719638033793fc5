import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { noFilter } from '../../nodes/ChatbotService/resources/problems';
import { emptyField } from '../../nodes/ChatbotService/run/values/valueProblems';
import { SEEDED } from '../../sandbox/emulator';
import { contactFilters, orderLabel, valueLabel } from '../cases/conditionCases';
import { labelOf } from '../operations/words';
import { getMany, orderedBy, where } from './goods';
import { scene, usual } from './scene';

/* Conditions that may be empty, and those that may not where a model fills in others. What is refused anyway: test/cases. */

const { service, run, answers } = scene({});

const contacts = (changes: object) => usual('contact/getAll', { botId: '', filters: {}, ...changes });

test('an empty Bot ID means all bots, or none', async () => {
	const { json } = await run({ parameters: contacts({ returnAll: true }) });
	expect(json).toHaveLength(service.data.contacts.size);
	await run({ parameters: usual('listSchema/create', { botId: '' }) });
	expect(service.requests.map(({ input }) => 'bot_id' in input)).toEqual([false, false]);
});

describe('for the model of an agent, in both ways of calling', () => {
	const byModel = (name: string) => `={{ $fromAI('${name}', '', 'string') }}`;
	const ofChat = '={{ $json.ofThisChat }}';
	const [name, titled] = [byModel('text'), ['title', byModel('text')] as [string, string]];

	const goods = (changes: object) => usual('listItem/getAll', { ...getMany, ...changes });
	const labelAt = (path: string) => labelOf('listItem/getAll', path);
	const inOrder = (...order: Parameters<typeof orderedBy>) =>
		goods({ ...where(titled), ...orderedBy(...order) });

	test.each<[string, INodeParameters]>([
		...contactFilters.flatMap(([own, label, filter]): Array<[string, INodeParameters]> => {
			return own === 'name' ? [] : [[label, contacts({ filters: { name, ...filter(ofChat) } })]];
		}),
		[labelOf('contact/getAll', 'botId'), contacts({ botId: ofChat, filters: { name } })],
		['Proxy', contacts({ requestOptions: { proxy: ofChat }, filters: { name } })],
		[valueLabel, goods(where(['article', ofChat], titled))],
		[orderLabel, inOrder(ofChat)],
		[labelAt('itemOptions.orderByDirection'), inOrder('price', ofChat)],
	])('%s that the workflow sets cannot be empty', async (label, parameters) => {
		for (const answer of await answers({ text: 'Анна' }, { parameters }))
			expect(answer).toContain(emptyField(label).message);
		expect(service.requests).toEqual([]);
	});

	test.each([
		['name', 'variables.value', { name: 'соколова' }],
		['email', 'variables.name', { email: 'anna.sokolova@example.com' }],
	])('filters beside %s and %s may be empty by the model', async (fixed, variable, person) => {
		const filled = contactFilters.filter(([own]) => own !== fixed && own !== variable);
		const filters = Object.assign({}, ...filled.map(([, , filter]) => filter(byModel('value')))) as object;
		const parameters = contacts({ filters: { ...filters, ...person } });
		for (const answer of await answers({ value: '' }, { parameters }))
			expect(JSON.parse(answer)).toMatchObject([{ name: 'Анна Соколова' }]);
	});

	const inListOrder = `[{"id":"${SEEDED.listItems.good}"`;
	const ofGoods = goods(where(['article', byModel('article')], titled));
	const byText = (phone: string) => ({ phone: byModel(phone), name: byModel('text') });
	const filtersLabel = labelOf('contact/getAll', 'filters');
	const ofItem = '={{ $json.first }} {{ $fromAI("text") }}';

	test.each<[string, INodeParameters, call: IDataObject, said: string]>([
		['one of several filters', ofGoods, { article: '00419', text: '' }, '"00419"'],
		['no filter at all', ofGoods, { article: '', text: '' }, noFilter(labelAt('fieldFilters')).message],
		['a part by the workflow', contacts({ filters: { name: ofItem } }), { text: 'А' }, 'A part of '],
		['all but a wrong one', contacts({ filters: byText('phone') }), { phone: 'А', text: '' }, 'phone number'],
		[
			'no filter of contacts',
			contacts({ filters: byText('text') }),
			{ text: '' },
			noFilter(filtersLabel).message,
		],
		['the order', goods(orderedBy(byModel('text'), byModel('text'))), { text: '' }, inListOrder],
	])('what is empty: %s', async (_, parameters, call, said) => {
		for (const answer of await answers(call, { parameters })) expect(answer).toContain(said);
	});
});
