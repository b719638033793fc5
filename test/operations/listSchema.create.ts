import type { Data } from '../../sandbox/emulator';
import { botId, plain } from './fields';
import type { Field, OperationFixture } from './operation';

const optioned = { ...plain, is_required: true, is_encryptable: true };
const address = { ...optioned, name: 'Адрес', slug: 'address', type: 'string' };
const paid = { ...plain, name: 'Оплачен', slug: 'paid', type: 'boolean' };
const city = { name: 'Город', slug: 'city', type: 'string' };

const fieldsOf = (listName: string, showInMenu: { value: boolean; given: unknown }): Field[] => [
	{ name: 'listName', value: listName, wire: 'name', required: true },
	{ name: 'showInMenu', ...showInMenu, sent: showInMenu.value, wire: 'is_menu' },
	{ ...botId, required: undefined },
];

const fieldsInput: Field = {
	name: 'fieldsInput',
	value: 'define',
	decides: true,
	offers: ['define', 'json'],
};

/** A field in the answer of the service: its slug is its key, and the logical type has another name. */
const definition = ({ slug: _, type, ...rest }: typeof paid | typeof city) => ({
	...plain,
	...rest,
	type: type === 'boolean' ? 'bool' : type,
});

const created = (name: string, isMenu: boolean, fields: object) => ({
	id: expect.stringMatching(/^[0-9a-f]{24}$/) as string,
	name,
	is_menu: isMenu,
	fields,
	created_at: expect.any(String) as string,
	updated_at: expect.any(String) as string,
});

const isThere = (listName: string, slugs: string[]) => (data: Data) =>
	[...data.listSchemas.values()].some(
		({ name, fields }) => name === listName && slugs.every((slug) => slug in fields),
	);

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'createListSchema',
	place: 'body',
	answer: 'created',
	idempotent: false,
	variants: [
		{
			title: 'with defined fields',
			fields: [
				...fieldsOf('Заказы', { value: true, given: 'true' }),
				fieldsInput,
				{
					name: 'fields',
					value: { field: [address, paid] },
					sent: { address, paid },
					wire: 'fields',
				},
			],
			items: [created('Заказы', true, { address: definition(address), paid: definition(paid) })],
			isDone: isThere('Заказы', ['address', 'paid']),
			soak: [{ weight: 4, values: { listName: ({ marked }) => marked('Заказы') } }],
		},
		{
			title: 'with fields as JSON',
			fields: [
				...fieldsOf('Филиалы', { value: false, given: 'false' }),
				{ ...fieldsInput, value: 'json' },
				{
					name: 'fieldsJson',
					value: JSON.stringify([city, paid]),
					given: [city, paid],
					sent: { city, paid },
					wire: 'fields',
					required: true,
					// n8n does not flag parameters of the type `json`.
					flagged: false,
				},
			],
			items: [created('Филиалы', false, { city: definition(city), paid: definition(paid) })],
			isDone: isThere('Филиалы', ['city', 'paid']),
		},
	],
	secondItem: { listName: 'Заказы другого года' },
};
