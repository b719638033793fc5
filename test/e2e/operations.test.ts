import type { Execution } from '../../sandbox/host';
import { type RecordedRequest, SEEDED, type Variable } from '../../sandbox/service';
import { operations } from '../description/table';
import { openBench, type Bench } from './support/bench';
import { chain } from './support/workflow';

interface Expected {
	method: 'GET' | 'POST';
	operation: string;
	/** Of the query, without the token. */
	query?: Record<string, string>;
	body?: Record<string, unknown>;
}

interface Step {
	name: string;
	parameters: Record<string, unknown>;
	requests: (created: string) => Expected[];
	items: (bench: Bench, created: string) => unknown[];
}

const { telegram: contactId } = SEEDED.contacts;
const { school: botId } = SEEDED.bots;
const named = (value: string) => ({ __rl: true, mode: 'name', value });
const createdList = { __rl: true, mode: 'id', value: "={{ $('Create list').item.json.id }}" };
const contact = String(contactId);

const message = 'Здравствуйте! Ваш урок — завтра в 18:30. Адрес: ул. Ленина, 5 & 7?';
const image = 'https://example.com/схема-проезда.png?размер=1&цвет=2';
/** The same as it travels. */
const encodedImage =
	'https://example.com/%D1%81%D1%85%D0%B5%D0%BC%D0%B0-%D0%BF%D1%80%D0%BE%D0%B5%D0%B7%D0%B4%D0%B0.png?%D1%80%D0%B0%D0%B7%D0%BC%D0%B5%D1%80=1&%D1%86%D0%B2%D0%B5%D1%82=2';
const file = 'https://example.com/price.pdf';

const definedFields = {
	student: { name: 'Ученик', slug: 'student', type: 'contact', is_required: true },
	paid: { name: 'Оплачено', slug: 'paid', type: 'boolean', is_hidden: true, is_encryptable: true },
};

/** Each of the fifteen operations once, in an order in which each finds what it works on. */
const steps: Step[] = [
	{
		name: 'Tags of the bot',
		parameters: { resource: 'tag', operation: 'getManyByBot', botId: String(botId), returnAll: true },
		requests: () => [{ method: 'GET', operation: 'getBotTags', query: { bot_id: String(botId) } }],
		items: ({ service }) => service.data.bots.get(botId)!.tags.map((name) => ({ name })),
	},
	{
		name: 'Attach tag',
		parameters: { resource: 'tag', operation: 'attach', contactId: contact, tagName: named('VIP') },
		requests: () => [
			{ method: 'POST', operation: 'attachTagToContact', body: { contact_id: contactId, name: 'VIP' } },
		],
		items: () => [{ success: true }],
	},
	{
		name: 'Tags of the contact',
		parameters: { resource: 'tag', operation: 'getManyByContact', contactId: contact, returnAll: true },
		requests: () => [{ method: 'GET', operation: 'getContactTags', query: { contact_id: contact } }],
		items: () => ['Новый лид', 'Пробный урок', 'Группа B1', 'VIP'].map((name) => ({ name })),
	},
	{
		name: 'Detach tag',
		parameters: { resource: 'tag', operation: 'detach', contactId: contact, tagName: named('VIP') },
		requests: () => [
			{ method: 'POST', operation: 'detachTagFromContact', body: { contact_id: contactId, name: 'VIP' } },
		],
		items: () => [{ success: true }],
	},
	{
		name: 'Set variable',
		parameters: {
			resource: 'contactVariable',
			operation: 'upsert',
			contactId: contact,
			variableName: named('Любимый курс'),
			variableValue: 'Разговорный английский',
			deletable: true,
		},
		requests: () => [
			{
				method: 'POST',
				operation: 'setContactVariable',
				query: {
					contact_id: contact,
					name: 'Любимый курс',
					value: 'Разговорный английский',
					deletable: '1',
				},
			},
		],
		items: () => [{ success: true }],
	},
	{
		name: 'Variables',
		parameters: { resource: 'contactVariable', operation: 'getAll', contactId: contact, returnAll: true },
		requests: () => [{ method: 'GET', operation: 'getContactVariables', query: { contact_id: contact } }],
		items: ({ service }) => {
			const seeded = service.data.contacts.get(contactId)!.variables;
			const added = expect.objectContaining<Partial<Variable>>({
				name: 'Любимый курс',
				value: 'Разговорный английский',
				deletable: true,
			});
			return [...seeded.map((variable) => expect.objectContaining(variable)), added];
		},
	},
	{
		name: 'Delete variable',
		parameters: {
			resource: 'contactVariable',
			operation: 'delete',
			contactId: contact,
			deleteBy: 'name',
			variableName: named('Любимый курс'),
		},
		requests: () => [
			{
				method: 'POST',
				operation: 'deleteContactVariable',
				query: { contact_id: contact, name: 'Любимый курс' },
			},
		],
		items: () => [{ deleted: true }],
	},
	{
		name: 'Send',
		parameters: {
			resource: 'message',
			operation: 'send',
			recipient: 'contact',
			contactId: contact,
			content: ['text', 'image', 'file'],
			text: message,
			imageUrl: image,
			fileUrl: file,
		},
		requests: () => [
			{
				method: 'POST',
				operation: 'sendMessage',
				query: { contact_id: contact, text: message, image: encodedImage, file },
			},
		],
		items: () => [{ success: true }],
	},
	{
		name: 'Send to number',
		parameters: {
			resource: 'message',
			operation: 'sendToWhatsApp',
			botId: String(botId),
			phone: '+79217001234',
			text: message,
			contactName: 'Ольга Белова',
		},
		requests: () => [
			{
				method: 'POST',
				operation: 'sendMessageToWhatsApp',
				body: { bot_id: botId, phone: '+79217001234', text: message, name: 'Ольга Белова' },
			},
		],
		items: () => [{ success: true }],
	},
	{
		name: 'Lists',
		parameters: { resource: 'listSchema', operation: 'getAll', returnAll: true },
		requests: () =>
			[undefined, { page: '2' }, { page: '3' }].map((query) => ({
				method: 'GET',
				operation: 'getListSchemas',
				query,
			})),
		items: ({ service }) => [...service.data.listSchemas.values()],
	},
	{
		name: 'Create list',
		parameters: {
			resource: 'listSchema',
			operation: 'create',
			listName: 'Уроки',
			showInMenu: true,
			botId: String(botId),
			fieldsInput: 'define',
			fields: { field: Object.values(definedFields) },
		},
		requests: () => [
			{
				method: 'POST',
				operation: 'createListSchema',
				body: {
					name: 'Уроки',
					is_menu: true,
					bot_id: botId,
					fields: {
						student: expect.objectContaining(definedFields.student),
						paid: expect.objectContaining(definedFields.paid),
					},
				},
			},
		],
		items: (_, id) => [expect.objectContaining({ id, name: 'Уроки', is_menu: true })],
	},
	{
		name: 'List',
		parameters: { resource: 'listSchema', operation: 'get', schemaId: createdList },
		requests: (created) => [{ method: 'GET', operation: 'getListSchema', query: { schema_id: created } }],
		items: (_, id) => [
			expect.objectContaining({
				id,
				fields: {
					student: expect.objectContaining({ name: 'Ученик', type: 'contact', is_required: true }),
					paid: expect.objectContaining({ type: 'bool', is_hidden: true, is_encryptable: true }),
				},
			}),
		],
	},
	{
		name: 'Add field',
		parameters: {
			resource: 'listSchema',
			operation: 'addField',
			schemaId: createdList,
			fieldName: 'Сумма, ₽',
			newFieldSlug: 'amount',
			fieldType: 'number',
			fieldOptions: { required: true },
		},
		requests: (created) => [
			{
				method: 'POST',
				operation: 'addListSchemaField',
				body: {
					schema_id: created,
					field: { name: 'Сумма, ₽', slug: 'amount', type: 'number', is_required: true },
				},
			},
		],
		items: () => [{ success: true }],
	},
	{
		name: 'Delete field',
		parameters: {
			resource: 'listSchema',
			operation: 'deleteField',
			schemaId: createdList,
			fieldSlug: { __rl: true, mode: 'slug', value: 'amount' },
		},
		requests: (created) => [
			{ method: 'POST', operation: 'deleteListSchemaField', body: { schema_id: created, slug: 'amount' } },
		],
		items: () => [{ deleted: true }],
	},
	{
		name: 'Delete list',
		parameters: { resource: 'listSchema', operation: 'delete', schemaId: createdList },
		requests: (created) => [{ method: 'POST', operation: 'deleteListSchema', body: { schema_id: created } }],
		items: () => [{ deleted: true }],
	},
];

let bench: Bench;
let execution: Execution;
let createdId: string;

beforeAll(async () => {
	bench = await openBench('operations');
	const [credential] = await bench.api.credentials();
	const { id } = await bench.api.createWorkflow(chain('Every operation once', steps, credential!));
	execution = await bench.api.runWorkflow(id);
	createdId = String(execution.output('Create list')[0]?.json.id);
});

afterAll(async () => await bench?.stop());

test('the workflow uses all operations and succeeds', () => {
	const used = steps.map(({ parameters: { resource, operation } }) => `${resource}/${operation}`);
	expect([...new Set(used)].sort()).toEqual(
		operations.map(({ resource, operation }) => `${resource}/${operation}`).sort(),
	);
	expect(execution.error).toBeUndefined();
	expect(execution.status).toBe('success');
});

test('nothing but the wanted requests arrived, in their order, and each kept to the interface', () => {
	const wanted = steps.flatMap((step) => step.requests(createdId).map(({ operation }) => operation));
	expect(bench.service.requests.map(({ operation }) => operation)).toEqual(wanted);
	bench.service.assertContract();
});

describe.each(steps.map((step) => [step.name, step] as const))('%s', (name, step) => {
	test('asks as the interface says', () => {
		const wanted = step.requests(createdId);
		const arrived = bench.service.requests.filter(({ operation }) => operation === wanted[0]?.operation);
		expect(arrived.map(summary)).toEqual(
			wanted.map(({ method, operation, query = {}, body }) => ({
				method,
				path: `/api/v1/${operation}`,
				query: { ...query, api_token: bench.service.token },
				body,
				accept: 'application/json',
				requestedWith: 'XMLHttpRequest',
				contentType: body && 'application/json',
				accepted: true,
			})),
		);
	});

	test('puts out its items, linked to their input', () => {
		const items = execution.output(name);
		expect(items.map(({ json }) => json)).toEqual(step.items(bench, createdId));
		for (const { pairedItem } of items) expect([pairedItem].flat()).toEqual([{ item: 0 }]);
	});
});

test('what was sent reached the people and took effect', () => {
	const { data } = bench.service;
	expect(bench.service.deliveries()).toEqual([
		expect.objectContaining({ contactId, text: message, image: encodedImage, file }),
		expect.objectContaining({ messenger: 'whatsapp', text: message }),
	]);
	expect(data.contacts.get(contactId)!.tags).not.toContain('VIP');
	expect(data.listSchemas.has(createdId)).toBe(false);
	expect(data.listSchemas.size).toBe(SEEDED.schemaCount);
});

function summary({ method, path, query, body, headers, accepted }: RecordedRequest) {
	return {
		method,
		path,
		query,
		body,
		accept: headers.accept,
		requestedWith: headers['x-requested-with'],
		contentType: headers['content-type']?.toString().split(';')[0],
		accepted,
	};
}
