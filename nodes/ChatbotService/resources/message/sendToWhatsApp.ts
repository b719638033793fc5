import { botId, contactName, requiredText, text } from '../fields';
import * as kinds from '../kinds';
import type { Field, Operation } from '../operation';
import { noticeOfLength, whatsAppNumberLimits } from './messageLimits';
import { optionsFor } from './options';
import { unknownMessage } from './recipient';

const phone: Field = {
	displayName: 'Phone Number',
	name: 'phone',
	...requiredText,
	placeholder: 'e.g. +79161234567',
	description: 'Phone number of the WhatsApp account, with the country code, in any usual format',
	routing: { send: { property: 'phone' } },
	kind: kinds.phone,
	target: 'person',
};

const nameOfPerson: Field = {
	...contactName,
	description: 'Name of the person',
	hint: 'The first message to a number requires it',
};

const { options, broadcast } = optionsFor([phone], [botId, text, nameOfPerson]);

export const messageSendToWhatsApp: Operation = {
	option: {
		name: 'Send to WhatsApp Number',
		value: 'sendToWhatsApp',
		action: 'Send message to WhatsApp number',
		description: 'Send a text to a phone number in WhatsApp, even if the person is not a contact yet',
		builderHint: {
			propertyHint:
				"Choose this for a phone number in WhatsApp of a person who may not be a contact of the bot yet. To write to a contact, choose 'send'.",
		},
		routing: { request: { method: 'POST', url: '/sendMessageToWhatsApp' } },
	},
	fields: [botId, phone, text, nameOfPerson, options],
	answer: 'sent',
	message: (sent) => ({
		limits: whatsAppNumberLimits,
		notice: noticeOfLength(sent.of(text), 'whatsapp'),
	}),
	advice: { unknown: unknownMessage },
	broadcast,
};
