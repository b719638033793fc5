import type { INodeParameters } from 'n8n-workflow';

import { emptyField, lostPart } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { wordsOf } from '../operations/words';
import { startAnswering } from './answering';
import { asJson, asRows, post, requesterOf } from './apiRequest';
import { credentialFor, useEmulator } from './harness';

/* API, Send Request: what leaves, and what does not. */

const service = useEmulator();
const send = requesterOf(service);

/** The target of a GET to a service that answers anything. */
async function targetOf(parameters: INodeParameters, changes: Record<string, unknown> = {}) {
	const anything = await startAnswering(() => ({ data: [] }));
	const { error } = await requesterOf(anything)(parameters, {
		items: [{ ids: [5, 6], name: 'Анна & Ко', isNew: true }],
		credential: credentialFor(anything, { tokenPlacement: 'bearer', token: 'key', ...changes }),
	});
	expect([error, anything.targets.length]).toEqual([undefined, 1]);
	return decodeURIComponent(anything.targets[0]!);
}

describe('a GET carries its parameters in the address', () => {
	test.each<[string, INodeParameters, string]>([
		['none', {}, ''],
		['an empty object', asJson('={{ {} }}'), ''],
		['rows', asRows(['contact_id', '5001'], ['depth', '2']), '?contact_id=5001&depth=2'],
		['rows with expressions', asRows(['name', '={{ $json.name }}']), '?name=Анна & Ко'],
		['an object', asJson('{ "contact_id": 5001, "name": "Анна & Ко" }'), '?contact_id=5001&name=Анна & Ко'],
		['a page', asRows(['page', '2']), '?page=2'],
		[
			'long numbers in the text of an object',
			asJson('{ "inn": { "is": 12345678901234567890 } }'),
			'?inn[is]=12345678901234567890',
		],
		['the input item', asJson('={{ $json }}'), '?ids[0]=5&ids[1]=6&name=Анна & Ко&isNew=1'],
		['a list in a row', asRows(['ids', '={{ $json.ids }}']), '?ids[0]=5&ids[1]=6'],
		[
			'objects within objects',
			asJson('{ "filters": { "price": { "from": 5 } } }'),
			'?filters[price][from]=5',
		],
		// PHP reads the text false as yes.
		['yes and no', asJson('{ "is_new": true, "is_old": false }'), '?is_new=1&is_old=0'],
		[
			'yes and no within others',
			asJson('{ "filters": { "on": [true, { "old": false }] } }'),
			'?filters[on][0]=1&filters[on][1][old]=0',
		],
		['texts that say so', asRows(['is_new', 'true']), '?is_new=true'],
		['a long number as text', asRows(['id', '12345678901234567890']), '?id=12345678901234567890'],
	])('%s', async (_, parameters, search) => {
		expect(await targetOf(parameters)).toBe(`/api/v1/getReferrals${search}`);
	});

	test('and the token only where the credential puts it', async () => {
		const rows = asRows(['contact_id', '5001']);
		const inQuery = await targetOf(rows, { tokenPlacement: 'query', tokenName: 'api_token', token: 'ключ' });
		expect(inQuery).toBe('/api/v1/getReferrals?contact_id=5001&api_token=ключ');
		await send(rows, { credential: credentialFor(service, { tokenPlacement: 'bearer' }) });
		const [{ method, target, rawBody, headers }] = service.requests as [(typeof service.requests)[0]];
		expect({ method, target, rawBody }).toEqual({
			...{ method: 'GET', target: '/api/v1/getReferrals?contact_id=5001', rawBody: '' },
		});
		expect(headers).toMatchObject({
			...{ accept: 'application/json', 'x-requested-with': 'XMLHttpRequest' },
			authorization: `Bearer ${service.token}`,
		});
	});
});

describe('a POST carries its parameters as JSON', () => {
	const { goods } = SEEDED.schemas;
	const good = {
		schema_id: goods,
		data: { title: 'Роза «Эквадор»', active: false, stock: 5, photo: { url: 'https://example.com/a.png' } },
	};

	test.each<[string, unknown]>([
		['an object as text', JSON.stringify(good)],
		['an object of the item', '={{ $json.good }}'],
	])('with its types: %s', async (_, object) => {
		for (const tokenPlacement of ['bearer', 'query']) {
			const credential = credentialFor(service, { tokenPlacement });
			const { json } = await send(post('addListItem', object), { items: [{ good }], credential });
			expect(json).toMatchObject([{ title: 'Роза «Эквадор»', active: false, stock: 5 }]);
			const { method, target, headers, body } = service.requests.at(-1)!;
			const search = tokenPlacement === 'query' ? `?api_token=${service.token}` : '';
			expect({ method, target, body }).toEqual({
				method: 'POST',
				target: `/api/v1/addListItem${search}`,
				body: good,
			});
			expect(headers).toMatchObject({ 'content-type': 'application/json', accept: 'application/json' });
			expect(headers.authorization).toBe(search ? undefined : `Bearer ${service.token}`);
		}
	});

	test('of rows, each value as it is', async () => {
		const named = asRows(
			['bot_id', '={{ $json.bot }}'],
			['name', 'Лия'],
			['messenger', 'telegram'],
			['telegram_id', '7'],
			['tags', '={{ $json.tags }}'],
			['address', '={{ new Date(0) }}'],
		);
		const item = { bot: SEEDED.bots.school, tags: ['VIP', 'Новый лид'] };
		const parameters = { method: 'POST', endpoint: 'createOrUpdateContact', ...named };
		const { json } = await send(parameters, { items: [item] });
		expect(json).toMatchObject([{ name: 'Лия', messenger: 'telegram' }]);
		const others = {
			name: 'Лия',
			messenger: 'telegram',
			telegram_id: '7',
			address: '1970-01-01T00:00:00.000Z',
		};
		expect(service.requests[0]!.body).toEqual({ bot_id: item.bot, ...others, tags: item.tags });
	});
});

const { fieldAt } = wordsOf('api/request');
const endpoint = fieldAt('endpoint').displayName;

describe('the endpoint is only a name: nothing leaves, and the error says so, for', () => {
	const noName = `'${endpoint}' must be the name of an endpoint`;
	const ofProgram = `'${endpoint}' holds no name, but what a program has written`;
	const hasOwn = `'${endpoint}' names an endpoint that has an operation with limits of its own`;

	test.each([
		...[
			'https://example.com/getX',
			'//example.com',
			'/getX',
			'v2/getX',
			'../getX',
			'..',
			'getX/../sendMessage',
		],
		...[
			'getX?a=1',
			'getX&a=1',
			'getX#a',
			'getX;a=1',
			'getX.json',
			'get X',
			'getX\\sendMessage',
			'%2e%2e%2fgetX',
		],
		...[
			'sendMessage%20',
			'．．／getX',
			'ｓendMessage',
			'ſendMessage',
			'gеtReferrals',
			'получить',
			'[object Object]',
			'5',
			'_',
		],
	])('%j', async (name) => {
		const { error } = await send({ endpoint: name });
		expect(error?.message).toBe(`${noName} [Item 0]`);
		expect(error?.description).toContain(name);
		expect(service.requests).toEqual([]);
	});

	test.each([
		['sendMessage', 'message/send'],
		[' SENDMESSAGE\u200b', 'message/send'],
		['"sendMessage"', 'message/send'],
		['sendMessageToWhatsApp', 'message/sendToWhatsApp'],
		['sendmessagetowhatsapp', 'message/sendToWhatsApp'],
	])('%j, for which there is an operation', async (name, operation) => {
		for (const method of ['GET', 'POST']) {
			const { error } = await send({ method, endpoint: `={{ ${JSON.stringify(name)} }}` });
			expect(error?.message).toBe(`${hasOwn} [Item 0]`);
			expect(error?.description).toContain(`'${wordsOf(operation).label}'`);
		}
		expect(service.requests).toEqual([]);
	});

	test.each([
		['={{ "" }}', emptyField(endpoint).message],
		['={{ $json.none }}', emptyField(endpoint).message],
		['=get{{ $json.none }}', lostPart(endpoint, []).message],
		['={{ "get" + $json.none }}', lostPart(endpoint, []).message],
		['={{ "get".padEnd(500, "Referrals") }}', noName],
		['null', ofProgram],
		['undefined', ofProgram],
		['={{ String(null) }}', ofProgram],
		['={{ {} }}', `'${endpoint}' must be text`],
		['={{ ["getX", "getY"] }}', `'${endpoint}' contains a list instead of one value`],
	])('%j', async (code, message) => {
		const { error } = await send({ endpoint: code });
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(service.requests).toEqual([]);
	});
});

describe('nothing leaves, and the error names the parameter, for', () => {
	const rows = fieldAt('parameters').displayName;
	const json = fieldAt('parametersJson').displayName;
	const labelAt = (path: string) => fieldAt(`parameters.${path}`).displayName;
	const name = `${rows}, parameter 1: ${labelAt('name')}`;
	const value = `${rows}, parameter 1: ${labelAt('value')}`;
	const isNoName = (label: string) => `'${label}' is not the name of a parameter`;
	const lost = lostPart(value, []).message;

	test.each<[string, INodeParameters, string]>([
		['an empty value', asRows(['depth', '']), emptyField(value).message],
		['a value that is missing', asRows(['depth', '={{ $json.none }}']), emptyField(value).message],
		['a value of which a part is missing', asRows(['name', '=Анна {{ $json.none }}']), lost],
		['a word for what is missing', asRows(['name', '={{ "Анна " + $json.none }}']), lost],
		['an empty value in an object', asJson('{ "depth": "" }'), emptyField(`${rows}: depth`).message],
		[
			'a value in the text of an object of which a part is missing',
			asJson('={ "name": "Анна {{ $json.none }}" }'),
			lostPart(json, []).message,
		],
		['a null in an object', asJson('={{ { depth: null } }}'), emptyField(`${rows}: depth`).message],
		['an empty name', asRows(['', '5']), emptyField(name).message],
		['a name with a dot', asRows(['filters.price', '5']), isNoName(name)],
		[
			'a name with a dot in an object',
			asJson('{ "filters.price": 5 }'),
			isNoName(`${rows}: ${labelAt('name')}`),
		],
		['a name in brackets', asRows(['filters[price]', '5']), isNoName(name)],
		['an empty list', asJson('={{ { ids: [] } }}'), emptyField(`${rows}: ids`).message],
		['an empty object', asJson('{ "filters": {} }'), emptyField(`${rows}: filters`).message],
		[
			'a value that is missing within an object',
			asJson('={{ { filters: { price: $json.none } } }}'),
			emptyField(`${rows}: filters`).message,
		],
		[
			'a page beside all pages',
			{ ...asRows(['page', '2']), returnAll: true },
			`'${fieldAt('returnAll').displayName}' requests every page`,
		],
		['a name with a sign', asRows(['depth&page', '5']), isNoName(name)],
		['a Cyrillic name', asRows(['контакт', '5']), isNoName(name)],
		['__proto__', asRows(['__proto__', '5']), isNoName(name)],
		[
			'__proto__ in an object',
			asJson('{ "__proto__": { "depth": 5 } }'),
			isNoName(`${rows}: ${labelAt('name')}`),
		],
		['a name twice', asRows(['depth', '5'], ['Depth', '6']), `'${rows}' contains a name twice`],
		['a name twice within an object', asJson('{ "data": { "a": 1, "a": 2 } }'), `'${json}' contains a name`],
		[
			'a number that has lost digits',
			asRows(['id', '={{ 12345678901234567890 }}']),
			`'${value}' holds a number`,
		],
		['an object that became a text', asRows(['id', '={{ "" + {} }}']), `'${value}' contains an object`],
		...[
			['{{ $json.title', 'holds an expression'],
			['Invalid DateTime', 'contains a date'],
			['[object Object]', 'contains an object'],
			[2 ** 53, 'holds a number'],
			['\ufffd\ufffd', 'holds characters'],
		].map(([inside, said]): [string, INodeParameters, string] => [
			`${inside} in a list within an object`,
			asJson(`={{ ${JSON.stringify({ data: { tags: ['VIP', inside] } }).replaceAll('}}', '} }')} }}`),
			`'${rows}: data.tags.1' ${said}`,
		]),
		[
			'a word of code within an object',
			asJson('={{ { data: { title: "Заказ " + $json.none } } }}'),
			`'${json}': `,
		],
		['no object', asJson('={{ $json.none }}'), emptyField(json).message],
		['a list in place of an object', asJson('={{ [{ depth: 5 }] }}'), `'${json}' must be an object`],
		['half an object', asJson('{ "depth": 5'), `'${json}' must be an object`],
	])('%s', async (_, parameters, message) => {
		for (const method of ['GET', 'POST']) {
			const { error } = await send({ method, ...parameters });
			expect(error?.message).toContain(message);
		}
		expect(service.requests).toEqual([]);
	});

	test.each<[string, string]>([
		['{ "filters": { "tags": [] } }', 'filters.tags'],
		['{ "filters": { "city": {} } }', 'filters.city'],
		['{ "filters": { "city": null } }', 'filters.city'],
		['{ "filters": { "city": " " } }', 'filters.city'],
		['{ "ids": [1, [[]]] }', 'ids.1.0'],
	])('%s in a GET, which an address cannot carry', async (object, path) => {
		const { error } = await send(asJson(object));
		expect(error?.message).toBe(`${emptyField(`${rows}: ${path}`).message} [Item 0]`);
		expect(service.requests).toEqual([]);
	});
});
