/** List schemas, and the items of lists. docs/openapi.yaml says how sure each part of that is. */

import { found } from '../answers';
import { addListItem, addListSchema, nowInMoscow, nowInUtc } from '../data';
import type { Data, FieldDefinition, ListItem, ListSchema } from '../data';
import type { Call, Operation } from '../exchange';
import { pageOf } from '../pages';
import {
	check,
	existsIn,
	isMissing,
	isNumeric,
	isTrue,
	need,
	refuse,
	validate,
	type Input,
} from '../validation';

export const lists: Record<string, Operation> = {
	getListSchemas: (call) => pageOf([...call.data.listSchemas.values()], call),

	getListSchema: (call) => ({ data: listSchemaOf(call) }),

	createListSchema({ data, dialect, input }) {
		if (dialect.newList !== 'free') need(input, dialect.newList === 'ofBot' ? 'bot_id' : 'is_menu');
		check(input, { bot_id: existsIn(data.bots) });
		const fields: ListSchema['fields'] = {};
		for (const [key, entry] of Object.entries((input.fields ?? {}) as Record<string, Input>)) {
			addField(fields, entry, `fields.${key}`);
		}
		const list = { name: String(input.name), is_menu: isTrue(input.is_menu), fields };
		return { data: addListSchema(data, list) };
	},

	addListSchemaField(call) {
		const schema = listSchemaOf(call);
		addField(schema.fields, call.input.field as Input, 'field');
		schema.updated_at = nowInMoscow();
		return call.dialect.changes === 'unsaid' ? [] : { data: schema };
	},

	deleteListSchemaField(call) {
		const schema = listSchemaOf(call);
		const slug = String(call.input.slug);
		found(schema.fields[slug], 'Поле не найдено');
		delete schema.fields[slug];
		for (const item of itemsOf(call.data, schema)) delete item.values[slug];
		schema.updated_at = nowInMoscow();
		return {};
	},

	deleteListSchema(call) {
		const schema = listSchemaOf(call);
		call.data.listSchemas.delete(schema.id);
		for (const item of itemsOf(call.data, schema)) call.data.listItems.delete(item.id);
		return undefined;
	},

	getListItems(call) {
		const { data, dialect, input } = call;
		const schema = listSchemaOf(call);
		const inQuery = filtersInQuery(input);
		const understood = (input.filters ?? inQuery) as Input;
		const filters = { understood, inQuery, ignored: {} }[dialect.filters];
		const rows = itemsOf(data, schema)
			.filter((item) => isWanted(item, schema, filters))
			.sort(orderBy(schema, input.order_by))
			.map((item) => asAnswered(schema, item));
		const [usual, most] = { upTo100: [50, 100], upTo500: [10, 500] }[dialect.itemPages] as [number, number];
		return pageOf(rows, call, Math.min(Number(input.limit ?? usual), most), dialect.pages);
	},

	addListItem(call) {
		const schema = listSchemaOf(call);
		const { data, dialect, input } = call;
		const values =
			dialect.newItem === 'flat'
				? asStored(input, schema.fields)
				: readValues(data, input.data as Input, schema.fields);
		return { data: asAnswered(schema, addListItem(data, schema.id, values)) };
	},

	updateListItem(call) {
		if (call.dialect.updatedItem === 'ofList') need(call.input, 'schema_id');
		const item = listItemOf(call);
		const schema = call.data.listSchemas.get(item.schemaId)!;
		const given = call.input.data as Input;
		const sent = Object.entries(schema.fields).filter(([slug]) => Object.hasOwn(given, slug));
		Object.assign(item.values, readValues(call.data, given, Object.fromEntries(sent)));
		item.updatedAt = nowInUtc();
		return { data: asAnswered(schema, item) };
	},

	deleteListItem(call) {
		call.data.listItems.delete(listItemOf(call).id);
		return { data: [], errors: null, message: '', success: true };
	},
};

/** An added field of a list has defaults for its name and type. */
function addField(fields: ListSchema['fields'], given: Input, at: string) {
	const slug = String(given.slug);
	const type = given.type ?? 'string';
	if (Object.hasOwn(fields, slug)) refuse([[`${at}.slug`, 'Такое значение поля :attribute уже существует.']]);
	fields[slug] = {
		name: String(given.name ?? slug),
		type: (type === 'boolean' ? 'bool' : type) as FieldDefinition['type'],
		is_required: isTrue(given.is_required),
		is_hidden: isTrue(given.is_hidden),
		is_encryptable: isTrue(given.is_encryptable),
	};
}

const TYPES: Record<string, string> = { bool: 'boolean', contact: 'integer', bot: 'integer' };

/** The values of these fields as they are stored; a slug that is not among them has no effect. */
function readValues(data: Data, given: Input, fields: ListSchema['fields']): Input {
	const definitions = Object.entries(fields);
	const properties = definitions.map(([slug, { type }]) => [slug, { type: TYPES[type] ?? type }]);
	const required = definitions.filter(([, { is_required }]) => is_required).map(([slug]) => slug);
	validate({ properties: Object.fromEntries(properties), required }, given, 'data');
	const records: Record<string, Map<number, unknown>> = { contact: data.contacts, bot: data.bots };
	for (const [slug, { type }] of definitions) {
		const name = `data.${slug}`;
		if (records[type]) check({ [name]: given[slug] }, { [name]: existsIn(records[type]) });
	}
	return asStored(given, fields);
}

const asStored = (given: Input, fields: ListSchema['fields']): Input =>
	Object.fromEntries(Object.entries(fields).map(([slug, { type }]) => [slug, stored(type, given[slug])]));

function stored(type: string, value: unknown): unknown {
	if (isMissing(value)) return null;
	if (type === 'bool') return isTrue(value);
	return ['number', 'contact', 'bot'].includes(type) ? Number(value) : value;
}

/** All fields of the list, also those that were added after the item. */
function asAnswered({ fields }: ListSchema, { id, values, createdAt, updatedAt }: ListItem) {
	const all = Object.keys(fields).map((slug) => [slug, values[slug] ?? null]);
	const ofContact = Object.keys(fields).find((slug) => fields[slug]!.type === 'contact');
	return {
		id,
		...(ofContact && { contact_id: values[ofContact] ?? null }),
		...Object.fromEntries(all),
		...{ created_at: createdAt, updated_at: updatedAt },
	} as Input;
}

/** What the database can read of an item, which excludes what is encrypted. */
function searchable(schema: ListSchema, item: ListItem): Input {
	const values = Object.entries(asAnswered(schema, item));
	return Object.fromEntries(values.filter(([name]) => !schema.fields[name]?.is_encryptable));
}

/** What the framework makes of `filters[slug]=value` in an address. */
function filtersInQuery(input: Input): Input {
	const found = Object.entries(input).map(([name, value]) => [/^filters\[(.+)\]$/.exec(name)?.[1], value]);
	return Object.fromEntries(found.filter(([slug]) => slug !== undefined)) as Input;
}

/** A filter by anything that the list does not have is ignored, and so is one without a value. */
function isWanted(item: ListItem, schema: ListSchema, filters: Input): boolean {
	const values = searchable(schema, item);
	return Object.entries(filters).every(([name, wanted]) => {
		const isKnown = Object.hasOwn({ ...values, ...schema.fields }, name);
		return !isKnown || isMissing(wanted) || isEqual(values[name], wanted);
	});
}

/** Stored values have the type of their field, so this determines how they compare. */
function isEqual(value: unknown, wanted: unknown): boolean {
	if (typeof value === 'number') return isNumeric(wanted) && value === Number(wanted);
	return String(value) === String(wanted) || (typeof value === 'boolean' && Number(value) === Number(wanted));
}

/** By `field,desc`, or by `field`, in the order of creation if the list has no such field. Missing values come first. */
function orderBy(schema: ListSchema, wanted: unknown) {
	const [name = '', direction] = String(wanted ?? '').split(/\s*,\s*/);
	const sign = direction === 'desc' ? -1 : 1;
	return (one: ListItem, other: ListItem): number => {
		const [a, b] = [one, other].map((item) => searchable(schema, item)[name] as number | null | undefined);
		if (isMissing(a) || isMissing(b)) return sign * (Number(isMissing(b)) - Number(isMissing(a)));
		return a === b ? 0 : sign * (a < b ? -1 : 1);
	};
}

const listSchemaOf = ({ data, input }: Call): ListSchema =>
	found(data.listSchemas.get(String(input.schema_id)), 'Список не найден');

/** Of a list, if the request names it too. */
function listItemOf({ data, input }: Call): ListItem {
	const item = data.listItems.get(String(input.item_id));
	const isThere = item?.schemaId === (input.schema_id ?? item?.schemaId);
	return found(isThere ? item : undefined, 'Элемент не найден');
}

/** In the order of their creation. */
const itemsOf = (data: Data, schema: ListSchema): ListItem[] =>
	[...data.listItems.values()].filter(({ schemaId }) => schemaId === schema.id);
