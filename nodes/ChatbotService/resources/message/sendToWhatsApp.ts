import type { INodeProperties } from 'n8n-workflow';

import { whatsAppNumberLimits } from '../../shared/limits';
import { botId, text } from '../../shared/fields';
import type { Operation } from '../../shared/operation';

const phone: INodeProperties = {
	displayName: 'Phone Number',
	name: 'phone',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. +79161234567',
	description: 'Phone number that the WhatsApp account has, with the country code',
	routing: { send: { type: 'query', property: 'phone' } },
};

const contactName: INodeProperties = {
	displayName: 'Contact Name',
	name: 'contactName',
	type: 'string',
	default: '',
	placeholder: 'e.g. Anna Smirnova',
	description: 'Name of the person, needed when this number is written to for the first time',
	routing: { send: { type: 'query', property: 'name' } },
};

const firstMessage: INodeProperties = {
	displayName:
		"The first message to a number needs 'Contact Name'. The service takes 1 message a second here, and the node keeps to that.",
	name: 'firstMessage',
	type: 'notice',
	default: '',
};

/** POST sendMessageToWhatsApp (interface, section 4.3). */
export const messageSendToWhatsApp: Operation = {
	option: {
		name: 'Send to WhatsApp Number',
		value: 'sendToWhatsApp',
		action: 'Send message to WhatsApp number',
		description: 'Send a text to a phone number in WhatsApp, also to somebody who is no contact yet',
		routing: { request: { method: 'POST', url: '/sendMessageToWhatsApp' } },
	},
	fields: [botId, phone, text, contactName, firstMessage],
	place: 'body',
	answer: 'done',
	limits: () => whatsAppNumberLimits,
	repeatable: false,
};
