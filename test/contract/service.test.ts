/** The emulator answers as the API documents, and otherwise as the framework does, or as services do that differ. */

import { DEFAULT_TOKEN, loadContract, SEEDED, startEmulator } from '../../sandbox/emulator';
import { dialectOf, type Dialect } from '../../sandbox/emulator/services';
import { clientOf, useEmulator, type Request } from './client';

const { bots, contacts, listItems, schemas } = SEEDED;
const contact_id = contacts.telegram;
const schema_id = schemas.reviews;
const item_id = listItems.review;

const service = useEmulator();

type Way = keyof Dialect;

const inVk = { bot_id: bots.school, messenger: 'vk', name: 'Ольга', vk_id: '17450284' };
const message = { bot_id: bots.school, phone: '79035550101', text: 'Привет' };
const variable = { contact_id, name: 'Город', value: 'Уфа', deletable: 0 };
const bearer = { token: null, headers: { authorization: `Bearer ${DEFAULT_TOKEN}` } };
const list = { name: 'Курсы', bot_id: bots.school, is_menu: true };

/** Requests, each with the way that its answer shows. */
const requests: Array<[operation: string, request: Request, way?: Way]> = [
	['getContacts', { query: { count: 2, with: 'tags' } }, 'with'],
	['createOrUpdateContact', { body: inVk }, 'savedContact'],
	['getReferrals', { query: { contact_id } }],
	['getBotTags', { query: { bot_id: bots.school } }],
	['getContactTags', { query: { contact_id } }],
	['attachTagToContact', { body: { contact_id, name: 'VIP' } }],
	['attachTagToContact', { body: { contact_id, name: 'Вебинар' } }, 'newTag'],
	['detachTagFromContact', { body: { contact_id, name: 'Новый лид' } }],
	['getContactVariables', { query: { contact_id } }, 'variables'],
	['setContactVariable', { query: variable }, 'changes'],
	['setContactVariable', { query: { contact_id: 1, name: 'Город', value: 'Уфа' } }, 'newVariable'],
	['deleteContactVariable', { query: { contact_id, name: 'Город' } }],
	['sendMessage', { query: { contact_id, text: 'Привет' } }],
	['sendMessageToWhatsApp', { body: message }, 'changes'],
	['getListSchemas', { query: { page: 2 } }],
	['getListSchemas', bearer, 'header'],
	['getListSchema', { query: { schema_id } }],
	['createListSchema', { body: list }],
	['createListSchema', { body: { name: 'Курсы' } }, 'newList'],
	['addListSchemaField', { body: { schema_id, field: { slug: 'city' } } }, 'changes'],
	['deleteListSchemaField', { body: { schema_id, slug: 'comment' } }],
	['deleteListSchema', { body: { schema_id } }],
	['getListItems', { body: { schema_id, limit: 2, page: 2 } }, 'pages'],
	['getListItems', { body: { schema_id } }, 'itemPages'],
	['getListItems', { body: { schema_id, limit: 9, filters: { rating: 5 } } }, 'filters'],
	['addListItem', { body: { schema_id, data: { rating: 5 } } }, 'newItem'],
	['updateListItem', { body: { item_id, schema_id, data: { rating: 4 } } }],
	['updateListItem', { body: { item_id, data: { rating: 4 } } }, 'updatedItem'],
	['deleteListItem', { body: { item_id } }],
];

test('there is a request for each operation and each way', () => {
	const operations = loadContract().operations.map(({ operationId }) => operationId);
	expect([...new Set(requests.map(([operation]) => operation))].sort()).toEqual(operations.sort());
	const ways = new Set([...requests.map(([, , way]) => way), 'answers', undefined]);
	expect([...ways].sort()).toEqual([...Object.keys(dialectOf()), undefined].sort());
});

test.each<[string, Way[]]>([
	['watbot', ['with', 'newList', 'updatedItem', 'itemPages']],
	['cleverapp', []],
	['onebot', ['variables']],
	['jetbot', ['newVariable']],
	['leadtex', ['variables', 'filters', 'answers', 'newList', 'newTag', 'changes', 'header']],
])('as %s, it differs only in %j', async (name, known) => {
	const other = await startEmulator({ service: name });
	stops.push(async () => await other.stop());
	for (const [operation, request, way] of requests) {
		const asked = [other, service].map(async (each) => {
			each.reset();
			const { status, text } = await clientOf(each)(operation, request);
			const timeless = text.replaceAll(each.url, '').replace(/\d{4}-\d\d-\d\dT[\d:]+[+]\d\d:\d\d/g, '');
			return { status, text: timeless };
		});
		const [answer, expected] = (await Promise.all(asked)) as [Answer, Answer];
		const differs = meantBy(answer) !== meantBy(expected);
		expect({ operation, request, differs }).toMatchObject({ differs: known.includes(way!) });
		if (operation === 'deleteListSchema')
			expect(answer.text !== expected.text).toBe(known.includes('answers'));
	}
});

const stops: Array<() => Promise<void>> = [];
afterAll(async () => await Promise.all(stops.map(async (stop) => await stop())));

type Answer = { status: number; text: string };

/** What an answer says besides that it was done, for which services have several forms. */
function meantBy({ status, text }: Answer): string {
	const answer: unknown = text === '' ? [] : JSON.parse(text);
	const done = ['errors', 'message', 'success'];
	const said = Object.entries(answer as object).filter(
		([name, value]) => status !== 200 || !(done.includes(name) || value === null || String(value) === ''),
	);
	return JSON.stringify([status, said]);
}
