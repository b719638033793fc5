import { type Data, SEEDED } from '../../sandbox/emulator';
import { contactId, variableName } from './fields';
import type { Field, OperationFixture } from './operation';

const deleteBy: Field = {
	name: 'deleteBy',
	value: 'name',
	decides: true,
	offers: ['name', 'id'],
};

const isGone = (id: number) => (data: Data) =>
	!data.contacts.get(SEEDED.contacts.telegram)!.variables.some((variable) => variable.id === id);

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'deleteContactVariable',
	place: 'query',
	answer: 'deleted',
	idempotent: false,
	variants: [
		{
			title: 'by name',
			fields: [contactId, deleteBy, { ...variableName, isSought: true }],
			items: [{ deleted: true }],
			isDone: isGone(9001),
			soak: [{ weight: 3, values: { contactId: ({ id }) => id } }],
		},
		{
			title: 'by ID',
			fields: [
				contactId,
				{ ...deleteBy, value: 'id' },
				{
					name: 'variableId',
					mode: 'id',
					value: '9003',
					given: ' 9003',
					sent: 9003,
					wire: 'id',
					required: true,
					isSought: true,
				},
			],
			items: [{ deleted: true }],
			isDone: isGone(9003),
			soak: [{ weight: 3, values: { contactId: ({ id }) => id, variableId: ({ id }) => id } }],
		},
	],
	secondItem: { variableName: 'Уровень' },
};
