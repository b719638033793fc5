import { SEEDED } from '../../sandbox/emulator';
import type { Field } from './operation';

/* Fields that several operations share. */

export const contactId: Field = {
	name: 'contactId',
	value: String(SEEDED.contacts.telegram),
	given: ` ${SEEDED.contacts.telegram} `,
	sent: SEEDED.contacts.telegram,
	wire: 'contact_id',
	required: true,
	isSought: true,
};

export const botId: Field = {
	name: 'botId',
	value: String(SEEDED.bots.school),
	given: ` ${SEEDED.bots.school} `,
	sent: SEEDED.bots.school,
	wire: 'bot_id',
	required: true,
	isSought: true,
};

export const schemaId: Field = {
	name: 'schemaId',
	mode: 'id',
	value: SEEDED.schemas.reviews,
	given: ` ${SEEDED.schemas.reviews} `,
	wire: 'schema_id',
	required: true,
	isSought: true,
};

export const tagName: Field = {
	name: 'tagName',
	mode: 'name',
	value: 'VIP',
	wire: 'name',
	required: true,
	isSought: true,
};

export const variableName: Field = {
	name: 'variableName',
	mode: 'name',
	value: 'Город',
	wire: 'name',
	required: true,
};

/** Operations that list things return all of them or a limited number. */
export const upTo = (limit: number): Field[] => [
	{ name: 'returnAll', value: false, decides: true },
	{ name: 'limit', value: limit },
];

/** A list's field without any of the options. */
export const plain = { is_required: false, is_hidden: false, is_encryptable: false };

export const messageOptions: Field[] = [
	{ name: 'options.includeInputFields', value: false },
	{ name: 'options.sendOncePer', value: undefined },
];
