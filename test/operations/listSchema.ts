import { SEEDED, type Data } from '../../sandbox/emulator';
import { createData } from '../../sandbox/emulator/seed';
import { botId, plain, schemaId, sought, upTo } from './fields';
import type { FieldFixture, OperationFixture } from './operation';

const { orders, reviews } = SEEDED.schemas;

const { listSchemas: seeded } = createData('');

/** A list that no other sample uses. */
const spare = '5dee4800c2cc5a38ec797237';

const addField: OperationFixture = {
	endpoint: 'addListSchemaField',
	answer: 'done',
	fields: [
		schemaId(reviews),
		{ name: 'fieldName', value: 'Обработан', wire: 'field.name', required: true },
		{ name: 'newFieldSlug', value: 'handled', wire: 'field.slug' },
		{ name: 'fieldType', value: 'boolean', wire: 'field.type', required: true },
		{ name: 'fieldOptions.encrypted', value: false, wire: 'field.is_encryptable' },
		{ name: 'fieldOptions.hidden', value: false, wire: 'field.is_hidden' },
		{ name: 'fieldOptions.required', value: true, wire: 'field.is_required' },
	],
	isDone: ({ listSchemas }) => {
		const field = listSchemas.get(reviews)!.fields.handled;
		return field?.name === 'Обработан' && field.type === 'bool' && field.is_required;
	},
};

const flags = { ...plain, is_required: true, is_encryptable: true };
const address = { ...flags, name: 'Адрес', slug: 'address', type: 'string' };
const paid = { ...plain, name: 'Оплачен', slug: 'paid', type: 'boolean' };
const city = { name: 'Город', slug: 'city', type: 'string' };

const newList = (name: string, isMenu: boolean, fieldsInput: string): FieldFixture[] => [
	{ name: 'listName', value: name, wire: 'name' },
	{ name: 'showInMenu', value: isMenu, wire: 'is_menu' },
	botId,
	{ name: 'fieldsInput', value: fieldsInput, decides: true },
];

/** A field in the answer of the service: its slug is its key, and the logical type has another name. */
const definition = ({ slug: _, type, ...rest }: typeof paid | typeof city) => ({
	...plain,
	...rest,
	type: type === 'boolean' ? 'bool' : type,
});

const created = (name: string, isMenu: boolean, fields: object) => ({
	...{ id: expect.stringMatching(/^[0-9a-f]{24}$/) as string, name, is_menu: isMenu, fields },
	...{ created_at: expect.any(String) as string, updated_at: expect.any(String) as string },
});

const isThere = (listName: string, slugs: string[]) => (data: Data) =>
	[...data.listSchemas.values()].some(
		({ name, fields }) => name === listName && slugs.every((slug) => slug in fields),
	);

const create: OperationFixture = {
	endpoint: 'createListSchema',
	answer: 'created',
	variants: [
		{
			title: 'with defined fields',
			fields: [
				...newList('Заказы', true, 'define'),
				{ name: 'fields', value: { field: [address, paid] }, sent: { address, paid }, wire: 'fields' },
			],
			items: [created('Заказы', true, { address: definition(address), paid: definition(paid) })],
			isDone: isThere('Заказы', ['address', 'paid']),
		},
		{
			title: 'with fields as JSON',
			fields: [
				...newList('Филиалы', false, 'json'),
				{
					...{
						name: 'fieldsJson',
						value: JSON.stringify([city, paid]),
						sent: { city, paid },
						wire: 'fields',
					},
					// n8n does not flag parameters of the type `json`.
					...{ required: true, flagged: false },
				},
			],
			items: [created('Филиалы', false, { city: definition(city), paid: definition(paid) })],
			isDone: isThere('Филиалы', ['city', 'paid']),
		},
	],
};

const deletion: OperationFixture = {
	endpoint: 'deleteListSchema',
	answer: 'deleted',
	fields: [schemaId(spare)],
	isDone: ({ listSchemas }) => !listSchemas.has(spare),
};

const deleteField: OperationFixture = {
	endpoint: 'deleteListSchemaField',
	answer: 'deleted',
	fields: [schemaId(orders), { ...sought('fieldSlug', 'phone', 'slug'), mode: 'slug' }],
	isDone: ({ listSchemas }) => !('phone' in listSchemas.get(orders)!.fields),
};

const get: OperationFixture = {
	endpoint: 'getListSchema',
	answer: 'one',
	fields: [schemaId(reviews)],
	items: [seeded.get(reviews)!],
};

const getAll: OperationFixture = {
	endpoint: 'getListSchemas',
	answer: 'many',
	fields: upTo(1),
	items: [seeded.get(orders)!],
};

export const listSchema = { addField, create, delete: deletion, deleteField, get, getAll };
