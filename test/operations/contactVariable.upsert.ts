import { SEEDED } from '../../sandbox/emulator';
import { contactId, variableName } from './fields';
import type { OperationFixture } from './operation';

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'setContactVariable',
	place: 'query',
	answer: 'done',
	idempotent: true,
	variants: [
		{
			fields: [
				contactId,
				{ ...variableName, value: 'Уровень' },
				{ name: 'variableValue', value: '42', given: 42, wire: 'value', required: true },
				{ name: 'deletable', value: true, sent: 1, wire: 'deletable' },
			],
			items: [{ success: true }],
			isDone: ({ contacts }) =>
				contacts
					.get(SEEDED.contacts.telegram)!
					.variables.some(({ name, value, deletable }) => name === 'Уровень' && value === '42' && deletable),
			soak: [
				{ values: { contactId: ({ id }) => id, variableValue: ({ marked }) => marked('Нижний Новгород') } },
			],
		},
	],
	secondItem: { variableValue: '43' },
};
