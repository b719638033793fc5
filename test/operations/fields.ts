import type { FieldType } from 'n8n-workflow';

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
	// Hours that are always open are none.
	{ name: 'options.sendingHours', value: undefined, other: null },
];

/** A field of a list as n8n's resource mapper stores it. */
const mapped = (id: string, name: string, type: FieldType | undefined, required = false) => ({
	id,
	displayName: `${name} (${id})`,
	required,
	defaultMatch: false,
	canBeUsedToMatch: true,
	display: true,
	...(type && { type }),
});

/** Values for the goods of the emulator, by a resource mapper. */
export const goodsColumns = (value: Record<string, unknown>) => ({
	mappingMode: 'defineBelow',
	value,
	matchingColumns: [],
	schema: [
		mapped('title', 'Название', 'string', true),
		mapped('active', 'Активно', 'boolean'),
		mapped('article', 'Артикул', 'string'),
		mapped('price', 'Цена, ₽', 'number'),
		mapped('stock', 'Остаток', 'number'),
		mapped('photo', 'Фото', undefined),
	],
});

export const goods: Field = { ...schemaId, value: SEEDED.schemas.goods, given: ` ${SEEDED.schemas.goods} ` };

export const itemId = (value: string): Field => ({
	name: 'itemId',
	mode: 'id',
	value,
	given: ` ${value} `,
	wire: 'item_id',
	required: true,
	isSought: true,
});
