import { type Data, SEEDED } from '../../sandbox/emulator';
import { contactId, eitherWay, sought, upTo, variableName, withoutInput } from './fields';
import type { FieldFixture, OperationFixture } from './operation';

const { telegram } = SEEDED.contacts;

const deleteBy = (value: string): FieldFixture => ({ name: 'deleteBy', value, decides: true });

const isGone = (id: number) => (data: Data) =>
	!data.contacts.get(telegram)!.variables.some((variable) => variable.id === id);

const deletion: OperationFixture = {
	endpoint: 'deleteContactVariable',
	answer: 'deleted',
	variants: [
		{
			title: 'by name',
			fields: [
				contactId,
				deleteBy('name'),
				{ ...variableName('Город'), required: true, isSought: true },
				withoutInput,
			],
			isDone: isGone(9001),
		},
		{
			title: 'by ID',
			fields: [
				contactId,
				deleteBy('id'),
				{ ...sought('variableId', 9003, 'id'), mode: 'id', required: true },
				withoutInput,
			],
			isDone: isGone(9003),
		},
	],
};

const variable = (id: number, name: string, value: string, deletable: boolean) => ({
	...{ id, name, value, deletable, variable: { id, name } },
});

const getAll: OperationFixture = {
	endpoint: 'getContactVariables',
	answer: 'many',
	fields: [contactId, ...upTo(50)],
	items: [
		variable(9001, 'Город', 'Казань', false),
		variable(9002, 'Уровень', 'B1', false),
		variable(9003, 'Комментарий к заявке', 'Удобно после 18:00', true),
	],
};

const upsert: OperationFixture = {
	endpoint: 'setContactVariable',
	answer: 'done',
	idempotent: true,
	fields: [
		contactId,
		variableName('Уровень'),
		{ name: 'variableValue', value: '42', wire: 'value' },
		{ name: 'deletable', value: true, wire: 'deletable' },
		withoutInput,
	],
	isDone: ({ contacts }) => {
		const { variables } = contacts.get(telegram)!;
		return variables.some(({ name, value, deletable }) => name === 'Уровень' && value === '42' && deletable);
	},
};

const time = { name: 'Удобное время', value: 'после 18:00' };

/** Of one variable. Several: engine/variablesMany.test.ts. */
const upsertMany: OperationFixture = {
	endpoint: 'setContactVariable',
	answer: 'done',
	idempotent: true,
	fields: [
		contactId,
		{ name: 'variablesInput', value: 'define', decides: true },
		{ name: 'variables', value: { variable: [time] }, required: true, flagged: false },
		withoutInput,
	],
	requests: [
		{ endpoint: 'setContactVariable', query: { contact_id: String(telegram), ...time, deletable: '0' } },
	],
	isDone: ({ contacts }) =>
		contacts.get(telegram)!.variables.some(({ name, value }) => name === time.name && value === time.value),
	states: eitherWay('variables', ['contactId'], ['contactId'], ['options']),
};

export const contactVariable = { delete: deletion, getAll, upsert, upsertMany };
