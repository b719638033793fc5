import { SEEDED } from '../../sandbox/emulator';
import { botId, contactId } from './fields';
import type { Field } from './operation';

/* The recipients of sendMessage: a contact, or a person by an external ID. */

const recipient: Field = {
	name: 'recipient',
	value: 'contact',
	decides: true,
	offers: ['contact', 'externalId'],
};

const messengers = ['max', 'telegram', 'viber', 'vk', 'whatsapp'];

export const toContact: Field[] = [
	recipient,
	contactId,
	{
		name: 'contactMessenger',
		value: 'unknown',
		offers: ['unknown', ...messengers],
	},
];

/** The Viber contact of the emulator's second bot. */
export const toExternalId: Field[] = [
	{ ...recipient, value: 'externalId' },
	{
		name: 'messenger',
		value: 'viber',
		given: 'Viber',
		wire: 'messenger',
		required: true,
		offers: messengers,
	},
	{
		...botId,
		value: String(SEEDED.bots.flowers),
		given: ` ${SEEDED.bots.flowers} `,
		sent: SEEDED.bots.flowers,
	},
	{
		name: 'externalId',
		value: '+79264440303',
		given: ' +79264440303 ',
		wire: 'contact_external_id',
		required: true,
		isSought: true,
	},
];

/** What the editor shows and requires for each of them. */
export const recipientStates = {
	contact: { shown: ['recipient', 'contactId', 'contactMessenger'], required: ['contactId'] },
	externalId: {
		shown: ['recipient', 'messenger', 'botId', 'externalId'],
		required: ['messenger', 'botId', 'externalId'],
	},
};
