import { SEEDED } from '../../sandbox/emulator';
import type { EditorState, FieldFixture } from './operation';

/* Fields that several operations share. */

const { contacts, bots, schemas } = SEEDED;

/** A field that names something which the service must know. */
export const sought = (name: string, value: number | string, wire: string): FieldFixture => ({
	...{ name, value: String(value), wire, isSought: true },
});

export const contactId = sought('contactId', contacts.telegram, 'contact_id');

export const botId = sought('botId', bots.school, 'bot_id');

export const schemaId = (id: string): FieldFixture => ({
	...sought('schemaId', id, 'schema_id'),
	mode: 'id',
});

export const itemId = (id: string): FieldFixture => ({ ...sought('itemId', id, 'item_id'), mode: 'id' });

export const tagName = (name: string): FieldFixture => ({ ...sought('tagName', name, 'name'), mode: 'name' });

export const variableName = (value: string): FieldFixture => ({
	...{ name: 'variableName', mode: 'name', value, wire: 'name' },
});

/** Operations that list things return all of them or a limited number. */
export const upTo = (limit: number): FieldFixture[] => [
	{ name: 'returnAll', value: false, decides: true },
	{ name: 'limit', value: limit },
];

/** The editor for pairs, entered one by one or as JSON. n8n does not flag parameters of the type `json`. */
export const eitherWay = (
	pairs: string,
	...[before, required, after = []]: [string[], string[], string[]?]
): EditorState[] =>
	[
		['define', pairs],
		['json', `${pairs}Json`],
	].map(([way, field]) => ({
		choices: { [`${pairs}Input`]: way! },
		shown: [...before, `${pairs}Input`, field!, ...after],
		required,
	}));

/** Fields of a collection that the sample leaves empty. */
export const unset = (collection: string, ...names: string[]): FieldFixture[] =>
	names.map((name) => ({ name: `${collection}.${name}`, value: undefined }));

export const withoutInput: FieldFixture = { name: 'options.includeInputFields', value: false };

/** A list's field without any of the options. */
export const plain = { is_required: false, is_hidden: false, is_encryptable: false };

export const goods = schemaId(schemas.goods);

/** Values for the goods of the emulator, as n8n's resource mapper stores them. */
export const goodsColumns = (value: Record<string, unknown>) => ({
	mappingMode: 'defineBelow',
	value,
	matchingColumns: [],
	schema: [
		{ id: 'title', displayName: 'Название (title)', type: 'string' },
		{ id: 'active', displayName: 'Активно (active)', type: 'boolean' },
		{ id: 'article', displayName: 'Артикул (article)', type: 'string' },
		{ id: 'price', displayName: 'Цена, ₽ (price)', type: 'number' },
		{ id: 'stock', displayName: 'Остаток (stock)', type: 'number' },
		{ id: 'photo', displayName: 'Фото (photo)' },
	].map((field) => {
		const required = field.id === 'title';
		return { ...field, required, defaultMatch: false, canBeUsedToMatch: true, display: true };
	}),
});
