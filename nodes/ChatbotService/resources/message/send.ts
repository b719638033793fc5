import { contactMessengers, messengers, optionsOf, unknownMessenger } from '../choices';
import { botId, contactId, text, whereBotId } from '../fields';
import * as kinds from '../kinds';
import type { Field, Operation } from '../operation';
import { messageLimits } from './limits';
import { messageOptions, sendOncePerOption } from './options';
import { unknownMessage } from './unknown';

/*
 * sendMessage has two kinds of recipients and three kinds of content, each with its own rules. Every other parameter depends on
 * 'Send To' and 'Content'. These two take no expressions, because n8n always shows a parameter whose condition is an expression.
 */

const recipient: Field = {
	displayName: 'Send To',
	name: 'recipient',
	type: 'options',
	noDataExpression: true,
	options: [
		{ name: 'Contact ID', value: 'contact', description: 'A contact of the service, by its ID' },
		{
			name: 'Phone Number or Messenger ID',
			value: 'externalId',
			description: 'A person in a messenger, by phone number or by the ID that the messenger gives them',
		},
	],
	default: 'contact',
	description: 'How to identify the recipient',
};

const toContact = { show: { recipient: ['contact'] } };

const contactOfRecipient: Field = { ...contactId, displayOptions: toContact };

/** Not sent, because the service knows it. The node needs it to keep the messenger's limit. */
const contactMessenger: Field = {
	displayName: "Contact's Messenger",
	name: 'contactMessenger',
	type: 'options',
	options: optionsOf(contactMessengers),
	default: unknownMessenger,
	description:
		'Messenger in which the contact talks to the bot. It only sets the pace: WhatsApp accepts 1 message in 10 seconds, the others 10. Not Known means any messenger except WhatsApp.',
	hint: 'Choose WhatsApp for contacts in WhatsApp: it accepts 1 message in 10 seconds',
	displayOptions: toContact,
	kind: kinds.contactMessenger,
};

const toExternalId = { show: { recipient: ['externalId'] } };

const messenger: Field = {
	displayName: 'Messenger',
	name: 'messenger',
	type: 'options',
	required: true,
	options: optionsOf(messengers),
	default: 'telegram',
	description: 'Messenger in which the person gets the message',
	displayOptions: toExternalId,
	routing: { send: { property: 'messenger' } },
	kind: kinds.messenger,
	names: 'partOfTarget',
};

const botOfPerson: Field = {
	...botId,
	description: `ID of the bot that the person talks to: ${whereBotId}`,
	displayOptions: toExternalId,
};

const externalId: Field = {
	displayName: 'Phone Number or Messenger ID',
	name: 'externalId',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. +79161234567',
	description: 'Phone number with the country code, or the ID that the person has in the messenger',
	displayOptions: toExternalId,
	routing: { send: { property: 'contact_external_id' } },
	kind: kinds.phoneOrId,
	names: 'person',
	whatItIs: 'contact with this phone number or messenger ID',
};

const boundPhone: Field = {
	displayName:
		"A phone number reaches only contacts that have it linked: at their first payment, or by the bot's block that asks for the phone number. To write to any other number in WhatsApp, use 'Send to WhatsApp Number'.",
	name: 'boundPhone',
	type: 'notice',
	default: '',
	displayOptions: toExternalId,
};

const content: Field = {
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
	description: 'What the message contains. A part that is empty for an item is left out.',
};

const textOfContent: Field = { ...text, displayOptions: { show: { content: ['text'] } } };

const imageUrl: Field = {
	displayName: 'Image URL',
	name: 'imageUrl',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://example.com/image.png',
	description: 'URL from which the service downloads the image',
	displayOptions: { show: { content: ['image'] } },
	routing: { send: { property: 'image' } },
	kind: kinds.address,
};

const fileUrl: Field = {
	displayName: 'File URL',
	name: 'fileUrl',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://example.com/price-list.pdf',
	description: 'URL from which the service downloads the file',
	displayOptions: { show: { content: ['file'] } },
	routing: { send: { property: 'file' } },
	kind: kinds.address,
};

/** POST sendMessage. */
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
		contactOfRecipient,
		contactMessenger,
		messenger,
		botOfPerson,
		externalId,
		boundPhone,
		content,
		textOfContent,
		imageUrl,
		fileUrl,
		messageOptions,
	],
	atLeastOneOf: ['text', 'image', 'file'],
	place: 'query',
	answer: 'confirmed',
	limits: (values, control) => {
		const messenger = values.get('messenger') ?? control('contactMessenger');
		return messageLimits(
			messenger === undefined || messenger === unknownMessenger ? undefined : String(messenger),
		);
	},
	idempotent: false,
	advice: {
		unknown: unknownMessage,
		assumedLimits: `If these contacts use WhatsApp, choose WhatsApp as '${contactMessenger.displayName}'.`,
	},
	sendOncePer: sendOncePerOption,
	longInBody: true,
};
