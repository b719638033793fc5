import type { FieldType } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import type { FieldFixture } from './operation';

/* Fields that several operations share. */

const { contacts, bots, schemas } = SEEDED;

/** A field that names something which the service must know. */
const sought = (name: string, value: number | string, wire: string): FieldFixture => ({
	name,
	value: String(value),
	wire,
	isSought: true,
});

export const contactId = sought('contactId', contacts.telegram, 'contact_id');

export const botId = sought('botId', bots.school, 'bot_id');

export const schemaId = (id: string): FieldFixture => ({
	...sought('schemaId', id, 'schema_id'),
	mode: 'id',
});

export const itemId = (id: string): FieldFixture => ({ ...sought('itemId', id, 'item_id'), mode: 'id' });

export const tagName = (name: string): FieldFixture => ({ ...sought('tagName', name, 'name'), mode: 'name' });

export const variableName = (name: string): FieldFixture => ({
	name: 'variableName',
	mode: 'name',
	value: name,
	wire: 'name',
});

/** Operations that list things return all of them or a limited number. */
export const upTo = (limit: number): FieldFixture[] => [
	{ name: 'returnAll', value: false, decides: true },
	{ name: 'limit', value: limit },
];

/** Fields of a collection that the sample leaves empty. */
export const unset = (collection: string, ...names: string[]): FieldFixture[] =>
	names.map((name) => ({ name: `${collection}.${name}`, value: undefined }));

export const messengers = ['max', 'telegram', 'viber', 'vk', 'whatsapp'];

/** A list's field without any of the options. */
export const plain = { is_required: false, is_hidden: false, is_encryptable: false };

export const goods = schemaId(schemas.goods);

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
