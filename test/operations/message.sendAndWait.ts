import { SEEDED } from '../../sandbox/emulator';
import type { EditorState, Field, OperationFixture } from './operation';
import { recipientStates, toContact, toExternalId } from './recipients';

const question = 'Анна просит скидку 10 % & доставку.\nСогласны?';

const message: Field = {
	name: 'message',
	label: 'Message',
	value: question,
	wire: 'text',
	required: true,
};

const responseType: Field = {
	name: 'responseType',
	label: 'Response Type',
	value: 'approval',
	decides: true,
	offers: ['approval', 'freeText'],
};

/** Those that n8n shows in the collections, without a value. */
const optional: Field[] = [
	{ name: 'options.limitWaitTime', label: 'Limit Wait Time', value: undefined },
	{ name: 'options.responseFormButtonLabel', label: 'Response Form Button Label', value: undefined },
	{ name: 'options.responseFormDescription', label: 'Response Form Description', value: undefined },
	{ name: 'options.responseFormTitle', label: 'Response Form Title', value: undefined },
];

const approvalOptions: Field[] = [
	{
		name: 'approvalOptions.approvalType',
		label: 'Type of Approval',
		value: undefined,
		offers: ['single', 'double'],
	},
	{ name: 'approvalOptions.approveLabel', label: 'Approve Button Label', value: undefined },
	{ name: 'approvalOptions.disapproveLabel', label: 'Disapprove Button Label', value: undefined },
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
	label: 'Send and Wait for Response',
	method: 'POST',
	endpoint: 'sendMessage',
	place: 'query',
	answer: 'done',
	idempotent: false,
	unknown:
		'The message may have been sent, so the node did not send it again. Check the chat first. The link in the message does not work, because the execution is not waiting for an answer.',
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
