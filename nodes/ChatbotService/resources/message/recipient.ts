import { isExpression } from '../../shared/values';
import { contactMessengers, messengers, optionsOf, unknownMessenger } from '../choices';
import { botId, contactId, externalId, messenger, text } from '../fields';
import * as kinds from '../kinds';
import type { Field, FieldReader, Operation, WireValues } from '../operation';
import { messageLimits, noticeOfLength, noticeOfMessenger } from './messageLimits';

/*
 * The recipient of a message by sendMessage: a contact by its ID, or a person by a phone number or by the ID that a messenger
 * gives. Every other parameter depends on 'Send To', which takes no expressions, because n8n always shows a parameter whose
 * condition is an expression.
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
		'Only affects how fast the node sends: every 10 seconds, 1 message in WhatsApp, and 10 each in Telegram, Viber and MAX',
	hint: "If the items have no field 'messenger', select WhatsApp for contacts in WhatsApp",
	builderHint: {
		propertyHint:
			"Leave this if the input items have the field 'messenger', as after Contact: Get Many. Otherwise, set 'whatsapp' if the contacts use WhatsApp: the node sends faster than WhatsApp allows to a contact whose messenger it does not know, and the service rejects messages.",
	},
	displayOptions: toContact,
	kind: kinds.contactMessenger,
};

const toExternalId = { show: { recipient: ['externalId'] } };

const messengerOfPerson: Field = {
	...messenger,
	description: 'Messenger in which the person gets the message',
	displayOptions: toExternalId,
};

const botOfPerson: Field = {
	...botId,
	description: 'ID of the bot that the person talks to',
	displayOptions: toExternalId,
};

const externalIdOfPerson: Field = {
	...externalId,
	description: 'Phone number with the country code, or the ID that the person has in the messenger',
	displayOptions: toExternalId,
	routing: { send: { property: 'contact_external_id' } },
	whatItIs: 'contact with this phone number or messenger ID',
	variantFor: (sent) => (hasNumericIds(sent.of(messenger)) ? undefined : phoneOfPerson),
};

/** IDs in WhatsApp are phone numbers, and those in Viber contain letters. */
const hasNumericIds = (found: unknown) => found !== 'whatsapp' && found !== 'viber';

const phoneOfPerson: Field = { ...externalIdOfPerson, kind: kinds.phoneOrOtherId };

const boundPhone: Field = {
	displayName:
		"You can use a phone number only if the service has linked it to the contact: at the contact's first payment, or by the bot's block that asks for the phone number. For any other number in WhatsApp, use 'Send to WhatsApp Number'.",
	name: 'boundPhone',
	type: 'notice',
	default: '',
	displayOptions: toExternalId,
};

/** The parameters of which one names who gets a message. */
export const namesRecipient: [Field, Field] = [contactId, externalIdOfPerson];

/** The parameters that say who gets a message, in the editor's order. */
export const recipientFields: Field[] = [
	recipient,
	contactOfRecipient,
	contactMessenger,
	messengerOfPerson,
	botOfPerson,
	externalIdOfPerson,
	boundPhone,
];

/** Advice after an unknown outcome. Workflows check for its beginning, so that must not change. */
export const unknownMessage =
	'The message may have been sent, so the node did not send it again. Check the chat first.';

/** Advice after a refusal by a limit, if the messenger of the contact was not known. */
const assumedLimits = `If these contacts use WhatsApp, choose WhatsApp as '${contactMessenger.displayName}'.`;

export const messengerOf = (sent: WireValues, values: FieldReader) =>
	(sent.of(messenger) ?? messengerOfContact(values)) as string | undefined;

/** The one that the user has chosen, otherwise that of the input item, if the node knows it and the contact can be that of the item. */
function messengerOfContact(values: FieldReader) {
	const chosen = values.read(contactMessenger);
	if (chosen !== undefined && chosen !== unknownMessenger) return chosen;
	if (!isExpression(values.rawOf(contactId))) return unknownMessenger;
	const found = kinds.contactMessenger(values.input.messenger, contactMessenger.displayName);
	const known = messengers.find(({ value }) => 'value' in found && found.value === value);
	return known?.value ?? unknownMessenger;
}

/** What the operations of sendMessage have in common. */
export const sendMessage = {
	inQuery: 'ifShort',
	answer: 'confirmed',
	message(sent, values) {
		const found = messengerOf(sent, values);
		const notices = [
			noticeOfLength(sent.of(text), found),
			noticeOfMessenger(contactMessenger.displayName, found),
		];
		return { limits: messageLimits(found), notice: notices.filter(Boolean).join('. ') || undefined };
	},
	advice: { unknown: unknownMessage, assumedLimits },
} satisfies Partial<Operation>;
