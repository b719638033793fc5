import { SEEDED } from '../../sandbox/emulator';
import type { Field } from './operation';

/* Fields that several operations share. */

export const contactId: Field = {
	name: 'contactId',
	label: 'Contact ID',
	value: String(SEEDED.contacts.telegram),
	given: ` ${SEEDED.contacts.telegram} `,
	sent: SEEDED.contacts.telegram,
	wire: 'contact_id',
	required: true,
	whatItIs: 'contact with this ID',
};

export const botId: Field = {
	name: 'botId',
	label: 'Bot ID',
	value: String(SEEDED.bots.school),
	given: ` ${SEEDED.bots.school} `,
	sent: SEEDED.bots.school,
	wire: 'bot_id',
	required: true,
	whatItIs: 'bot with this ID',
};

export const schemaId: Field = {
	name: 'schemaId',
	label: 'List',
	mode: 'id',
	value: SEEDED.schemas.reviews,
	given: ` ${SEEDED.schemas.reviews} `,
	wire: 'schema_id',
	required: true,
	whatItIs: 'list with this ID',
};

export const tagName: Field = {
	name: 'tagName',
	label: 'Tag',
	mode: 'name',
	value: 'VIP',
	wire: 'name',
	required: true,
	whatItIs: 'tag with this name',
};

export const variableName: Field = {
	name: 'variableName',
	label: 'Variable',
	mode: 'name',
	value: 'Город',
	wire: 'name',
	required: true,
};

/** Operations that list things return all of them or a limited number. */
export const upTo = (limit: number): Field[] => [
	{ name: 'returnAll', label: 'Return All', value: false, decides: true },
	{ name: 'limit', label: 'Limit', value: limit },
];

/** A list's field without any of the options. */
export const plain = { is_required: false, is_hidden: false, is_encryptable: false };

export const messageOptions: Field[] = [
	{ name: 'options.includeInputFields', label: 'Include Input Fields', value: false },
	{ name: 'options.sendOncePer', label: 'Send Once Per', value: undefined },
];
