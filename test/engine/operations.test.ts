import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect, isDeepStrictEqual } from 'node:util';

import { includeInputFields } from '../../nodes/ChatbotService/resources/message/options';
import { SEEDED, startEmulator } from '../../sandbox/emulator';
import { input, matching, savedNodes, sentBy, sentIn } from '../fixtures/workflows';
import {
	byTitle,
	isReading,
	operationOf,
	operations,
	parametersOf,
	requestOf,
	travelling,
	valueAt,
	variants,
} from '../operations';
import { linkIn, sampleLink } from '../operations/link';
import { pasted, spellingsOfOnePerson, type PastedInto } from '../pasted/values';
import {
	callAlone,
	callAsTool,
	callByEngine,
	credentialFor,
	loadList,
	retryNode,
	runNode,
	useEmulator,
	type RunOptions,
} from './harness';
import { lettersFor, refusal, send } from './messages';
import { came, withOnce } from './once';

/*
 * Each operation through the real engine: the exact request and the exact output items, also with pasted values and in workflows that
 * are already saved.
 */

const service = useEmulator();

const inQuery = { tokenPlacement: 'query', tokenName: 'api_token' };
const credential = (changes = {}) => credentialFor(service, { tokenPlacement: 'bearer', ...changes });
const run = async (options: Pick<RunOptions, 'parameters'> & Partial<RunOptions>) =>
	await runNode({ credential: credential(), ...options });
const { contacts, bots, schemas } = SEEDED;

test.each(byTitle(variants))('%s makes its exact request and returns its items', async (_title, variant) => {
	const { isDone = () => true, items, of } = variant;
	if (!isReading(of)) expect(isDone(service.data)).toBe(false);
	const parameters = parametersOf(variant);
	const { json, outputs, error } = await run({ parameters });

	expect(error).toBeUndefined();
	expect(json).toEqual(items);
	expect(outputs[0]!.map((item) => item.pairedItem)).toEqual(items.map(() => ({ item: 0 })));
	expect(isDone(service.data)).toBe(true);
	const { method, query = {}, body } = requestOf(variant);
	if (of.asks) query.text = query.text!.replace(sampleLink, linkIn(service.requests[0]!.input.text));
	const search = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
	const target = [`/api/v1/${of.endpoint}`, search.join('&')].filter(Boolean).join('?');
	expect(service.requests).toMatchObject([{ method, target, accepted: true }]);
	expect(service.requests[0]!.body).toEqual(body);
	expect(service.requests[0]!.headers).toMatchObject({
		accept: 'application/json',
		'x-requested-with': 'XMLHttpRequest',
		authorization: `Bearer ${service.token}`,
	});
});

interface Preview {
	properties: Record<string, { type: string }>;
}

const previewOf = (title: string): Preview | undefined => {
	const file = join(__dirname, `../../nodes/ChatbotService/__schema__/v1.0.0/${title}.json`);
	return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Preview) : undefined;
};

test('the editor previews the output of every operation whose answer the API documents', () => {
	expect(operations.filter(isReading).filter(({ title }) => !previewOf(title))).toEqual([]);
	// The answer of the service to a new list is not documented.
	expect(previewOf('listSchema/create')).toBeUndefined();
});

// The output of an operation that asks is the answer: sendAndWait.test.ts.
test.each(byTitle(operations.filter(({ title, asks }) => previewOf(title) && !asks)))(
	'the editor previews the output fields of %s',
	async (title, { variants: [usual] }) => {
		const { fields: fieldsOfGoods } = service.data.listSchemas.get(SEEDED.schemas.goods)!;
		const { json } = await run({ parameters: parametersOf(usual!) });
		const { variable: _deprecated, ...item } = json[0]!;
		const found = Object.entries(item).map(([key, value]) => [
			key,
			{ type: Number.isInteger(value) ? 'integer' : Array.isArray(value) ? 'array' : typeof value },
		]);
		expect(Object.fromEntries(found)).toMatchObject(
			Object.fromEntries(
				Object.entries(previewOf(title)!.properties).map(([key, { type }]) => [key, { type }]),
			),
		);
		// Users define the other fields of a list item.
		const others = title.startsWith('listItem/') ? Object.keys(fieldsOfGoods) : [];
		const own = Object.keys(item).filter((name) => !others.includes(name));
		expect(Object.keys(previewOf(title)!.properties).sort()).toEqual(own.sort());
	},
);

test('a field is added only with the attributes that are set', async () => {
	const [usual] = operationOf('listSchema/addField').variants;
	const parameters = { ...parametersOf(usual!), fieldOptions: { required: true } };
	await run({ parameters });
	expect(service.requests[0]!.body).toHaveProperty('field', {
		name: 'Обработан',
		slug: 'handled',
		type: 'boolean',
		is_required: true,
	});
});

test('for a field of a new list, attributes that are not set are sent as the editor shows them', async () => {
	const [usual] = operationOf('listSchema/create').variants;
	const fields = { field: [{ name: 'Город', slug: 'city', type: 'string' }] };
	await run({ parameters: parametersOf(usual!, { fields }) });
	const off = { is_required: false, is_hidden: false, is_encryptable: false };
	expect(service.requests[0]!.body).toMatchObject({ fields: { city: { ...fields.field[0], ...off } } });
});

describe('pages', () => {
	const everyList = { resource: 'listSchema', operation: 'getAll', returnAll: true };
	const pagesAsked = () => service.requests.map(({ query }) => query.page);

	test('Return All requests every page of 50 once', async () => {
		const { json } = await run({ parameters: everyList });
		expect(pagesAsked()).toEqual([undefined, '2', '3']);
		expect(new Set(json.map(({ id }) => id)).size).toBe(SEEDED.schemaCount);
	});

	test.each([
		[50, [undefined]],
		[51, [undefined, '2']],
		[100, [undefined, '2']],
		[5000, [undefined, '2', '3']],
	])('a limit of %i requests only the pages that it needs', async (limit, pages) => {
		const { json } = await run({ parameters: { ...everyList, returnAll: false, limit } });
		expect(pagesAsked()).toEqual(pages);
		expect(json).toHaveLength(Math.min(limit, SEEDED.schemaCount));
	});

	test('an empty page is the last one, even if it links to others', async () => {
		const body = { data: [], links: {}, meta: { current_page: 1, last_page: 3 } };
		service.faults.add({ kind: 'answer', status: 200, body });
		const { json } = await run({ parameters: everyList });
		expect(pagesAsked()).toEqual([undefined]);
		expect(json).toEqual([]);
	});

	test('no output contains the page links, in which the service repeats the token', async () => {
		const { run: ran } = await run({ parameters: everyList, credential: credential(inQuery) });
		expect(JSON.stringify(ran.data)).not.toContain(service.token);
		expect(JSON.stringify(ran.data)).not.toContain('"links"');
	});

	test('each item returns its own rows', async () => {
		const { outputs } = await run({
			parameters: { resource: 'tag', operation: 'getManyByContact', contactId: '={{ $json.id }}' },
			items: [{ id: contacts.telegram }, { id: contacts.bare }, { id: contacts.viber }],
		});
		const tagsOf = (item: number) =>
			outputs[0]!
				.filter(({ pairedItem }) => (pairedItem as { item: number }).item === item)
				.map(({ json }) => json.name);
		expect(tagsOf(0)).toEqual(service.data.contacts.get(contacts.telegram)!.tags);
		expect(tagsOf(1)).toEqual([]);
		expect(tagsOf(2)).toEqual(service.data.contacts.get(contacts.viber)!.tags);
		expect(tagsOf(2).length).toBeGreaterThan(0);
	});
});

test('a list is copied from a whole schema', async () => {
	const schema = service.data.listSchemas.get(schemas.orders)!;
	const copy = { resource: 'listSchema', operation: 'create', listName: 'Копия', fieldsInput: 'json' };
	const { json, error } = await run({
		parameters: { ...copy, fieldsJson: '={{ $json.schema }}' },
		items: [{ schema: JSON.parse(JSON.stringify(schema)) }],
	});
	expect(error).toBeUndefined();
	expect(json[0]!.fields).toEqual(schema.fields);
});

describe('long messages', () => {
	const sendText = async (text: string) =>
		await run({
			parameters: { ...send, text },
			credential: credential(inQuery),
			items: [{ id: contacts.telegram }],
		});

	test('4,000 Cyrillic letters are sent as a JSON body with the same names and types', async () => {
		const text = 'ж'.repeat(4000);
		const { json } = await sendText(text);
		expect(json).toEqual([{ success: true }]);
		expect(service.requests[0]).toMatchObject({
			query: { api_token: service.token },
			body: { contact_id: contacts.telegram, text },
		});
		expect(service.deliveries()).toMatchObject([{ text }]);
	});

	test('a request target of 4,000 bytes is not too long, one of 4,001 is', async () => {
		await sendText('a');
		const room = 4000 - service.requests[0]!.target.length + 1;
		await sendText('a'.repeat(room));
		await sendText('a'.repeat(room + 1));
		expect(service.requests.slice(1).map(({ body }) => body === undefined)).toEqual([true, false]);
	});

	test('a long value of a variable is sent in the body too, with 0 or 1 for deletable', async () => {
		const value = 'я'.repeat(3000);
		const [usual] = operationOf('contactVariable/upsert').variants;
		await run({ parameters: parametersOf(usual!, { variableValue: value, deletable: false }) });
		expect(service.requests[0]!.body).toEqual({
			...requestOf(usual!).query,
			contact_id: contacts.telegram,
			value,
			deletable: 0,
		});
	});
});

test.each([
	['in the query', 'Здравствуйте'],
	['in the body of a long message', 'я'.repeat(4000)],
])(
	'addresses of images and files arrive encoded exactly once %s, whatever their spelling',
	async (_place, text) => {
		const image = 'https://xn--e1afmkfd.xn--p1ai/%D0%BC%D0%BE%D0%B9%20%D0%BA%D0%BE%D1%82%20100%25.png';
		const file = 'https://example.com/price%20list.pdf?%D0%B3%D0%BE%D0%B4=2026';
		const { error } = await run({
			parameters: {
				...send,
				contactId: String(contacts.telegram),
				content: ['text', 'image', 'file'],
				text,
				imageUrl: '={{ $json.image }}',
				fileUrl: '={{ $json.file }}',
			},
			items: [
				{ image: ' https://пример.рф/мой кот 100%.png', file: 'https://example.com/price list.pdf?год=2026' },
				{ image, file },
			],
		});
		expect(error).toBeUndefined();
		expect(service.deliveries()).toMatchObject([
			{ image, file },
			{ image, file },
		]);
	},
);

describe('a credential', () => {
	const getTags = async (changes: Record<string, unknown>) =>
		await run({
			parameters: { resource: 'tag', operation: 'getManyByBot', botId: String(bots.school) },
			credential: credential(changes),
		});

	test('the token is sent once in the query, without surrounding spaces', async () => {
		await getTags({ ...inQuery, token: ` ${service.token} ` });
		expect(service.requests[0]!.target).toBe(
			`/api/v1/getBotTags?bot_id=${bots.school}&api_token=${service.token}`,
		);
		expect(service.requests[0]!.headers.authorization).toBeUndefined();
	});

	test('the token is sent in a header with any name', async () => {
		const strict = await startEmulator({ tokenIn: { placement: 'header', name: 'X-Api-Key' } });
		try {
			const { error } = await getTags({
				baseUrl: strict.url,
				tokenPlacement: 'header',
				tokenName: 'X-Api-Key',
			});
			expect(error).toBeUndefined();
			expect(strict.requests[0]!.headers).toMatchObject({ 'x-api-key': strict.token });
			expect(strict.requests[0]!.target).not.toContain(strict.token);
			strict.assertContract();
		} finally {
			await strict.stop();
		}
	});
});

test('at most ten requests are in progress at once, and none is lost', async () => {
	const items = lettersFor(service, 30);
	// Long enough for ten requests to be sent before the first answer, on a busy machine too.
	service.faults.add({ kind: 'delay', ms: 500 });
	const { json } = await run({ parameters: send, items });
	expect(json).toHaveLength(30);
	expect(service.inFlight.peak).toBe(10);
	const reached = service.deliveries().map(({ contactId }) => contactId);
	expect(reached.sort()).toEqual(items.map(({ id }) => id).sort());
});

/* The output of a message also contains the fields of its input item. */
describe('with the option to include input fields', () => {
	const included = { options: { includeInputFields: true } };
	const parameters = { ...send, contactMessenger: 'vk', ...included };
	const toNumber = {
		resource: 'message',
		operation: 'sendToWhatsApp',
		botId: String(SEEDED.bots.school),
		phone: '={{ $json.phone }}',
		text: 'Здравствуйте!',
		contactName: 'Ольга',
	};

	test('by default the output contains only the answer of the service', async () => {
		expect(includeInputFields.default).toBe(false);
		const { json } = await run({ parameters: send, items: lettersFor(service, 1) });
		expect(json).toEqual([{ success: true }]);
	});

	test('the output contains the fields of its input item beside the answer, linked to that item', async () => {
		const items = lettersFor(service, 3).map((letter) => ({
			...letter,
			заказ: { номер: 7, состав: ['чай'] },
		}));
		const { json, outputs } = await run({ parameters, items });
		expect(json).toEqual(items.map((item) => ({ ...item, success: true })));
		expect(outputs[0]!.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }, { item: 1 }, { item: 2 }]);
		expect(service.deliveries()).toHaveLength(3);
	});

	test('a message to a WhatsApp number does the same', async () => {
		const items = [{ phone: '+79160000001', строка: 2 }];
		const { json } = await run({ parameters: { ...toNumber, ...included }, items });
		expect(json).toEqual([{ phone: '+79160000001', строка: 2, success: true }]);
	});

	test("if both have a field with the same name, the service's answer wins, and the input does not change", async () => {
		const items = lettersFor(service, 1).map((letter) => ({ ...letter, success: 'вчера' }));
		const before = structuredClone(items);
		const { json } = await run({ parameters, items });
		expect(json).toEqual([{ ...items[0], success: true }]);
		expect(items).toEqual(before);
	});

	test('a skipped recipient keeps the fields too, so that the next node knows who it is', async () => {
		const items = lettersFor(service, 2);
		const once = { ...parameters, options: { ...included.options, sendOncePer: 'осень' } };
		const { options } = await run({ parameters: once, items });
		const again = await run({ parameters: once, items, deduplication: options.deduplication });
		expect(again.json).toEqual(items.map((item) => ({ ...item, success: true, alreadySent: true })));
		expect(service.deliveries()).toHaveLength(2);
	});

	test('a failed item goes to the error output as without the option', async () => {
		const [first, last] = lettersFor(service, 2);
		const items = [first!, { ...last!, id: 'не указан' }];
		const { outputs } = await run({ parameters, items, node: { onError: 'continueErrorOutput' } });
		expect(outputs[0]!.map(({ json }) => json)).toEqual([{ ...first, success: true }]);
		expect(outputs[1]!.map(({ json }) => json)).toEqual([
			{
				...items[1],
				error: expect.stringContaining('[Item 1]'),
				message: expect.stringContaining('не указан'),
			},
		]);
	});

	test.each([
		['Retry On Fail', { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 }],
		['Retry of the failed execution', {}],
	])('with %s, messages of the earlier run have the fields of their items', async (_name, node) => {
		const items = lettersFor(service, 3);
		service.faults.add({ ...refusal, match: { nth: 3 } });
		const first = await run({ parameters, items, node });
		const result = first.error ? await retryNode(first) : first;
		expect(result.json).toEqual(items.map((item) => ({ ...item, success: true })));
		expect(service.deliveries()).toHaveLength(3);
	});

	test.each(['да', '={{ true }}'])(
		'in a workflow that was not made in the editor, %s switches the option on',
		async (includeInputFields) => {
			const items = lettersFor(service, 1);
			const { json } = await run({ parameters: { ...parameters, options: { includeInputFields } }, items });
			expect(json).toEqual([{ ...items[0], success: true }]);
		},
	);

	test('n8n without custom operations gets the fields of each item too', async () => {
		const items = lettersFor(service, 2);
		const json = await callAlone({ parameters, items, credential: credentialFor(service) });
		expect(json).toEqual(items.map((item) => ({ ...item, success: true })));
	});

	test('an agent gets the answer alone, because its model knows what it has passed', async () => {
		const options = {
			parameters: { ...parameters, contactId: String(lettersFor(service, 1)[0]!.id), text: 'Готово' },
			credential: credentialFor(service),
		};
		const call = { повод: 'заказ' };
		expect(await callAsTool(options, [{ arguments: call }])).toEqual([[{ success: true }]]);
		expect((await callByEngine(options, [call])).json).toEqual([{ success: true }]);
	});
});

describe('pasted values', () => {
	/** Values that items can hold, and that all expression engines of n8n return in the same way: those that JSON can hold. */
	const isInItems = (value: unknown) => isDeepStrictEqual(JSON.parse(JSON.stringify(value) ?? 'null'), value);

	const variantOf = ({ variant }: PastedInto) => variants.find(({ title }) => title === variant)!;

	/** The node with one field that takes its value from the items. */
	const parametersWith = (into: PastedInto, changes: Record<string, unknown> = {}): INodeParameters =>
		parametersOf(variantOf(into), { limit: 7, ...changes, [into.field]: '={{ $json.value }}' });

	const runWith = async (parameters: INodeParameters, values: unknown[]) =>
		await runNode({
			parameters,
			credential: credentialFor(service),
			items: values.map((value) => ({ value }) as IDataObject),
			node: { onError: 'continueErrorOutput' },
		});

	const titled = pasted.map((into) => [into.label, into.variant, into] as const);

	test.each(titled)(
		'a refused value of %s of %s fails its own item, and nothing is sent for it',
		async (_, __, into) => {
			const values = into.refused.map(([value]) => value).filter(isInItems);
			const { outputs, error } = await runWith(parametersWith(into), values);
			expect(error).toBeUndefined();
			expect(outputs[0]).toEqual([]);
			expect(outputs[1]!.map(({ pairedItem }) => pairedItem)).toEqual(
				values.map((_value, item) => ({ item })),
			);
			for (const { json } of outputs[1]!) expect(json.error).toContain(`'${into.label}`);
			expect(service.requests).toEqual([]);
		},
	);

	/** Values that are sent without waiting for the limit of a messenger. */
	const unpaced = titled.filter(
		([label, variant]) =>
			/^(?:tag|contactVariable|listSchema)\//.test(variant) &&
			!['Return All', 'Limit', 'Variable'].includes(label),
	);

	test.each(unpaced)('all accepted spellings of %s of %s are sent in one form', async (_, __, into) => {
		const taken = into.taken.filter(([value]) => isInItems(value));
		await runWith(
			parametersWith(into),
			taken.map(([value]) => value),
		);
		const { place } = variantOf(into).of;
		const { wire } = travelling(variantOf(into)).find(({ name }) => name === into.field)!;
		const sent = service.requests.map(({ query, body }) =>
			valueAt((place === 'query' ? query : body) as object, wire),
		);
		const expected = taken.map(([, travels]) => (place === 'query' ? String(travels) : travels));
		// Requests to one contact are sent in order; requests for lists are not.
		const sorted = (values: unknown[]) =>
			values.map((value) => inspect(value, { sorted: true, depth: null })).sort();
		expect(sorted(sent)).toEqual(sorted(expected));
	});

	test('all spellings of a phone number count as one person, who gets one message', async () => {
		// Run one after the other: each run queries n8n's store.
		const spellings = spellingsOfOnePerson.filter((_, index) => index % 5 === 0);
		const into = pasted.find(({ field }) => field === 'phone')!;
		const ran = await runWith({ ...parametersWith(into), ...withOnce('осень') }, spellings);
		expect(came(ran).filter((each) => each === 'sent')).toHaveLength(1);
		expect(came(ran).filter((each) => each === 'skipped')).toHaveLength(spellings.length - 1);
		expect(service.requests.map(({ input }) => input.phone)).toEqual(['+79161234567']);
	});

	test('a Base URL copied as the address of a page works for runs and lists', async () => {
		const credential = credentialFor(service, {
			baseUrl: ` ${service.url}/bots/2048/schema/1?tab=1#block\n`,
		});
		const parameters = parametersOf(operationOf('tag/attach').variants[0]!);
		expect((await runNode({ parameters, credential })).error).toBeUndefined();
		const list = { resource: 'listSchema', operation: 'get' };
		expect((await loadList('searchListSchemas', { parameters: list, credential })).results).not.toEqual([]);
		expect(service.requests.map(({ path }) => path)).toEqual([
			'/api/v1/attachTagToContact',
			'/api/v1/getListSchemas',
		]);
	});
});

/* Nodes in workflows that earlier versions of the package saved. */
test.each(byTitle(savedNodes))('a saved node still does the same: %s', async (_title, saved) => {
	const { outputs, error } = await run({
		parameters: saved.node.parameters,
		node: { ...saved.node, name: 'Tested' },
		items: [input],
		webhookUrl: 'http://n8n/webhook-waiting',
	});
	expect(error).toBeUndefined();
	expect(sentIn(service.requests)).toEqual(sentBy(saved));
	expect(outputs.map((items) => items.map(({ json }) => json))).toEqual(matching(saved.outputs));
});
