import type { INodeProperties } from 'n8n-workflow';

import { isEmpty } from '../../shared/values';
import { messageLimits } from '../../shared/limits';
import { botId, contactId, messengers, text } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

/*
 * sendMessage has two recipients and three contents, each with rules of its own (interface, section 7, rules 1 to 5).
 * 'Send To' and 'Content' ask for them, and every other parameter depends on these two. They take no expressions:
 * a parameter whose condition is an expression is always shown.
 */

const recipient: INodeProperties = {
	displayName: 'Send To',
	name: 'recipient',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Contact ID', value: 'contact', description: 'A contact of the service, by its ID' },
		{
			name: 'Phone Number or Messenger ID',
			value: 'externalId',
			description: 'A person in a messenger, by phone number or by the ID they have there',
		},
	],
	default: 'contact',
	description: 'How the recipient is named',
};

/** Not sent: the service knows it, but the node has to know too how many messages it may send in it. */
const contactMessenger: INodeProperties = {
	displayName: "Contact's Messenger",
	name: 'contactMessenger',
	type: 'options',
	options: [{ name: 'Not Known', value: 'unknown' }, ...messengers],
	default: 'unknown',
	description:
		'Messenger in which the contact talks to the bot. Only the pace depends on it: WhatsApp takes 1 message in 10 seconds, the others 10. Not Known stands for any but WhatsApp.',
	hint: 'Choose WhatsApp when the contact is there: it takes 1 message in 10 seconds',
	displayOptions: { show: { recipient: ['contact'] } },
};

const toExternalId = { show: { recipient: ['externalId'] } };

const messenger: INodeProperties = {
	displayName: 'Messenger',
	name: 'messenger',
	type: 'options',
	required: true,
	options: messengers,
	default: 'telegram',
	description: 'Messenger in which the person gets the message',
	displayOptions: toExternalId,
	routing: { send: { type: 'query', property: 'messenger' } },
};

const botOfPerson: INodeProperties = {
	...botId,
	description: 'ID of the bot that the person talks to',
	displayOptions: toExternalId,
};

const externalId: INodeProperties = {
	displayName: 'Phone Number or Messenger ID',
	name: 'externalId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. +79161234567',
	description: 'Phone number with the country code, or the ID that the person has in the messenger',
	displayOptions: toExternalId,
	routing: { send: { type: 'query', property: 'contact_external_id' } },
};

const boundPhone: INodeProperties = {
	displayName:
		"A phone number reaches only contacts to whom it is bound: at their first payment, or by the bot's block that asks for the phone number. To write to any other number in WhatsApp, use 'Send to WhatsApp Number'.",
	name: 'boundPhone',
	type: 'notice',
	default: '',
	displayOptions: toExternalId,
};

const content: INodeProperties = {
	displayName: 'Content',
	name: 'content',
	type: 'multiOptions',
	noDataExpression: true,
	required: true,
	options: [
		{ name: 'Text', value: 'text' },
		{ name: 'Image', value: 'image' },
		{ name: 'File', value: 'file' },
	],
	default: ['text'],
	description: 'What the message is made of. A content that is empty for an item is left out.',
};

const imageUrl: INodeProperties = {
	displayName: 'Image URL',
	name: 'imageUrl',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://example.com/image.png',
	description: 'Address from which the service fetches the image',
	displayOptions: { show: { content: ['image'] } },
	routing: { send: { type: 'query', property: 'image' } },
};

const fileUrl: INodeProperties = {
	displayName: 'File URL',
	name: 'fileUrl',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://example.com/price-list.pdf',
	description: 'Address from which the service fetches the file',
	displayOptions: { show: { content: ['file'] } },
	routing: { send: { type: 'query', property: 'file' } },
};

/** POST sendMessage (interface, section 4.3). */
export const messageSend: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send message to contact',
		description: 'Send a message with text, an image or a file to one person',
		routing: { request: { method: 'POST', url: '/sendMessage' } },
	},
	fields: [
		recipient,
		contactId,
		contactMessenger,
		messenger,
		botOfPerson,
		externalId,
		boundPhone,
		content,
		text,
		imageUrl,
		fileUrl,
	],
	atLeastOneOf: ['text', 'image', 'file'],
	place: 'query',
	answer: 'done',
	limits: (values, control) => {
		const messenger = values.get('messenger') ?? control('contactMessenger');
		return messageLimits(isEmpty(messenger) || messenger === 'unknown' ? undefined : String(messenger));
	},
	repeatable: false,
	longInBody: true,
};
