import { SEEDED } from '../../sandbox/emulator';
import type { EditorState, Field, OperationFixture } from './operation';
import { recipientStates, toContact, toExternalId } from './recipients';

const question = 'Анна просит скидку 10 % & доставку.\nСогласны?';

const message: Field = {
	name: 'message',
	value: question,
	wire: 'text',
	required: true,
};

const responseType: Field = {
	name: 'responseType',
	value: 'approval',
	decides: true,
	offers: ['approval', 'freeText'],
};

/** Those that n8n shows in the collections, without a value. */
const optional: Field[] = [
	{ name: 'options.limitWaitTime', value: undefined },
	{ name: 'options.responseFormButtonLabel', value: undefined },
	{ name: 'options.responseFormDescription', value: undefined },
	{ name: 'options.responseFormTitle', value: undefined },
];

const approvalOptions: Field[] = [
	{
		name: 'approvalOptions.approvalType',
		value: undefined,
		offers: ['single', 'double'],
	},
	{ name: 'approvalOptions.approveLabel', value: undefined },
	{ name: 'approvalOptions.disapproveLabel', value: undefined },
];

const statesWith = (choice: keyof typeof recipientStates): EditorState[] =>
	['approval', 'freeText'].map((type) => ({
		choices: { recipient: choice, responseType: type },
		shown: [
			...recipientStates[choice].shown,
			...['message', 'responseType'],
			...(type === 'approval' ? ['approvalOptions'] : []),
			'options',
		],
		required: [...recipientStates[choice].required, 'message'],
	}));

const isAsked = (text: string | undefined) => text?.startsWith(`${question}\n\nhttp`) === true;

export const fixture: OperationFixture = {
	method: 'POST',
	endpoint: 'sendMessage',
	place: 'query',
	answer: 'done',
	idempotent: false,
	asks: true,
	variants: [
		{
			title: 'to a contact',
			fields: [...toContact, message, responseType, ...approvalOptions, ...optional],
			items: [{}],
			isDone: ({ deliveries }) =>
				deliveries.some(({ contactId, text }) => contactId === SEEDED.contacts.telegram && isAsked(text)),
			states: statesWith('contact'),
		},
		{
			title: 'to an external ID',
			fields: [...toExternalId, message, { ...responseType, value: 'freeText' }, ...optional],
			items: [{}],
			isDone: ({ deliveries }) =>
				deliveries.some(({ contactId, text }) => contactId === SEEDED.contacts.viber && isAsked(text)),
			notice: 'boundPhone',
			states: statesWith('externalId'),
		},
	],
};
