/** As one of the services, the emulator answers as the interface says, except where that service is known to differ. */

import { DEFAULT_TOKEN, SEEDED, loadContract, startEmulator } from '../../sandbox/emulator';
import { dialectOf, type Dialect } from '../../sandbox/emulator/dialect';
import { isObject } from '../../sandbox/emulator/validation';
import { clientOf, useEmulator, type Request } from './client';

const { bots, contacts, listItems, schemas } = SEEDED;
const contact_id = contacts.telegram;
const schema_id = schemas.reviews;
const item_id = listItems.review;

type Way = keyof Dialect;

const person = { bot_id: bots.school, messenger: 'vk', name: 'Ольга', vk_id: '17450284' };
const message = { bot_id: bots.school, phone: '79035550101', text: 'Привет' };
const variable = { contact_id, name: 'Город', value: 'Уфа', deletable: 0 };
const bearer = { token: null, headers: { authorization: `Bearer ${DEFAULT_TOKEN}` } };
const list = { name: 'Курсы', bot_id: bots.school, is_menu: true };

/** Requests, each with the way that its answer shows. */
const requests: Array<[operation: string, request: Request, way?: Way]> = [
	['getContacts', { query: { count: 2, with: 'tags' } }, 'with'],
	['createOrUpdateContact', { body: person }, 'savedContact'],
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

test('There is a request for each operation, and for each way in which services differ', () => {
	const operations = loadContract().operations.map(({ operationId }) => operationId);
	expect([...new Set(requests.map(([operation]) => operation))].sort()).toEqual(operations.sort());
	const ways = new Set([...requests.map(([, , way]) => way), 'answers', undefined]);
	expect([...ways].sort()).toEqual([...Object.keys(dialectOf()), undefined].sort());
});

const itself = useEmulator();

test.each<[string, Way[]]>([
	['watbot', ['with', 'newList', 'updatedItem', 'itemPages']],
	['cleverapp', []],
	['onebot', ['variables']],
	['jetbot', ['newVariable']],
	['leadtex', ['variables', 'filters', 'answers', 'newList', 'newTag', 'changes', 'header']],
])('As %s, it differs in %j and in nothing else', async (name, known) => {
	const service = await startEmulator({ service: name });
	try {
		for (const [operation, request, way] of requests) {
			const [answer, expected] = await Promise.all(
				[service, itself].map(async (asked) => {
					asked.reset();
					const { status, text } = await clientOf(asked)(operation, request);
					return { status, text: withoutPlaceAndTime(text, asked.url) };
				}),
			);
			const differs = JSON.stringify(meant(answer!)) !== JSON.stringify(meant(expected!));
			expect({ operation, request, differs }).toMatchObject({ differs: known.includes(way!) });
			if (operation === 'deleteListSchema')
				expect(answer!.text !== expected!.text).toBe(known.includes('answers'));
		}
	} finally {
		await service.stop();
	}
});

const withoutPlaceAndTime = (text: string, url: string) =>
	text.replaceAll(url, '').replace(/\d{4}-\d\d-\d\dT[\d:]+[+]\d\d:\d\d/g, '');

/** What an answer says besides that it was done, for which services have several forms. */
function meant({ status, text }: { status: number; text: string }) {
	const answer: unknown = text === '' ? [] : JSON.parse(text);
	if (!isObject(answer) || status !== 200) return { status, answer };
	const said = Object.entries(answer).filter(([name, value]) => {
		const saysNothing = ['errors', 'message', 'success'].includes(name) || value === null;
		return !saysNothing && JSON.stringify(value) !== '[]';
	});
	return { status, answer: said };
}

test('After a reset it speaks as the same service again, and further differences add to those of the service or replace them', async () => {
	const service = await startEmulator({ service: 'leadtex' });
	try {
		const atStart = { ...service.dialect };
		const changes = { savedContact: 'nothing', filters: 'understood' };
		await fetch(`${service.url}/sandbox/dialect`, { method: 'POST', body: JSON.stringify(changes) });
		expect(service.dialect).toEqual({ ...atStart, ...changes });
		service.reset();
		expect(service.dialect).toEqual(atStart);
	} finally {
		await service.stop();
	}
});

test.each(['WatBot', '', 'constructor'])(
	'The service "%s" is refused, and the names that exist are listed',
	async (service) => {
		const names = 'there are watbot, cleverapp, onebot, jetbot, leadtex';
		await expect(startEmulator({ service })).rejects.toThrow(`no such service: "${service}"; ${names}`);
	},
);
