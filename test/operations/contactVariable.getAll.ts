import { SEEDED } from '../../sandbox/emulator';
import { contactId, upTo } from './fields';
import type { OperationFixture } from './operation';

const variable = (id: number, name: string, value: string, deletable: boolean) => ({
	id,
	name,
	value,
	deletable,
	variable: { id, name },
});

export const fixture: OperationFixture = {
	method: 'GET',
	endpoint: 'getContactVariables',
	place: 'query',
	answer: 'many',
	idempotent: true,
	variants: [
		{
			fields: [contactId, ...upTo(50)],
			items: [
				variable(9001, 'Город', 'Казань', false),
				variable(9002, 'Уровень', 'B1', false),
				variable(9003, 'Комментарий к заявке', 'Удобно после 18:00', true),
			],
			notice: 'deprecatedVariable',
			soak: [{ values: { contactId: ({ id }) => id } }],
		},
	],
	secondItem: { contactId: String(SEEDED.contacts.vk) },
};
