import { botId, text } from '../fields';
import * as kinds from '../kinds';
import type { Field, Operation } from '../operation';
import { whatsAppNumberLimits } from './limits';
import { messageOptions, sendOncePerOption } from './options';
import { unknownMessage } from './unknown';

const phone: Field = {
	displayName: 'Phone Number',
	name: 'phone',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. +79161234567',
	description: 'Phone number that the WhatsApp account has, with the country code',
	routing: { send: { property: 'phone' } },
	kind: kinds.phone,
	names: 'person',
};

const contactName: Field = {
	displayName: 'Contact Name',
	name: 'contactName',
	type: 'string',
	default: '',
	placeholder: 'e.g. Anna Smirnova',
	description: 'Name of the person, needed when this number is written to for the first time',
	routing: { send: { property: 'name' } },
	kind: kinds.text,
};

const firstMessage: Field = {
	displayName:
		"The first message to a number needs 'Contact Name'. The service takes 1 message a second here, and the node keeps to that.",
	name: 'firstMessage',
	type: 'notice',
	default: '',
};

/** POST sendMessageToWhatsApp. */
export const messageSendToWhatsApp: Operation = {
	option: {
		name: 'Send to WhatsApp Number',
		value: 'sendToWhatsApp',
		action: 'Send message to WhatsApp number',
		description: 'Send a text to a phone number in WhatsApp, also to somebody who is no contact yet',
		routing: { request: { method: 'POST', url: '/sendMessageToWhatsApp' } },
	},
	fields: [botId, phone, text, contactName, firstMessage, messageOptions],
	place: 'body',
	answer: 'done',
	limits: () => whatsAppNumberLimits,
	idempotent: false,
	advice: { unknown: unknownMessage },
	sendOncePer: sendOncePerOption,
};
