/** Items of lists. docs/openapi.yaml says how sure each part of that is. */

import { json } from '../answers';
import {
	addListItem,
	isoWithOffset,
	type Data,
	type FieldDefinition,
	type ListItem,
	type ListSchema,
} from '../data';
import type { Operation } from '../exchange';
import { pageOf, paginateAs } from '../pages';
import {
	boolean,
	exists,
	integer,
	isMissing,
	isTrue,
	min,
	number,
	object,
	required,
	string,
	validate,
	type Input,
	type Rule,
} from '../validation';
import { filtered, ordered } from './listItemSearch';
import { itemNotFound, itemsOf, listItemOf, listSchemaOf } from './lookup';

/** However many more a request wants. */
const MOST_ON_PAGE = 100;

export const listItems: Record<string, Operation> = {
	getListItems({ data, dialect, input, query, url }) {
		validate(input, {
			schema_id: [required, string],
			filters: [object],
			limit: [integer, min(1)],
			page: [integer],
			order_by: [string],
		});
		const schema = listSchemaOf(data, input.schema_id);
		const filters = dialect.filters === 'ignored' ? {} : ((input.filters ?? {}) as Input);
		const found = filtered(itemsOf(data, schema), schema, filters);
		const rows = ordered(found, schema, input.order_by).map((item) => asAnswered(schema, item));
		const perPage = Math.min(Number(input.limit ?? 50), MOST_ON_PAGE);
		const page = pageOf(input.page);
		return json(paginateAs(dialect.pages, rows, { page, perPage, path: url, query }));
	},

	addListItem({ data, input }) {
		validate(input, { schema_id: [required, string], data: [required, object] });
		const schema = listSchemaOf(data, input.schema_id);
		const values = readValues(data, input.data as Input, Object.entries(schema.fields));
		return json({ data: asAnswered(schema, addListItem(data, schema.id, values)) });
	},

	updateListItem({ data, input }) {
		validate(input, { item_id: [required, string], schema_id: [string], data: [required, object] });
		const item = listItemOf(data, input.item_id);
		if (!isMissing(input.schema_id) && input.schema_id !== item.schemaId) throw itemNotFound();
		const schema = listSchemaOf(data, item.schemaId);
		const given = input.data as Input;
		const sent = Object.entries(schema.fields).filter(([slug]) => Object.hasOwn(given, slug));
		Object.assign(item.values, readValues(data, given, sent));
		item.updatedAt = isoWithOffset(new Date());
		return json({ data: asAnswered(schema, item) });
	},

	deleteListItem({ data, input }) {
		validate(input, { item_id: [required, string] });
		data.listItems.delete(listItemOf(data, input.item_id).id);
		return json({ data: [], errors: null, message: '', success: true });
	},
};

/** The values of these fields as they are stored; a slug that is not among them has no effect. */
function readValues(data: Data, given: Input, fields: Array<[slug: string, FieldDefinition]>): Input {
	const inPlace = (slug: string) => `data.${slug}`;
	validate(
		Object.fromEntries(fields.map(([slug]) => [inPlace(slug), given[slug]])),
		Object.fromEntries(fields.map(([slug, definition]) => [inPlace(slug), rulesOf(data, definition)])),
	);
	return Object.fromEntries(fields.map(([slug, { type }]) => [slug, stored(type, given[slug])]));
}

function rulesOf(data: Data, { type, is_required }: FieldDefinition): Rule[] {
	const byType: Partial<Record<FieldDefinition['type'], Rule[]>> = {
		string: [string],
		number: [number],
		bool: [boolean],
		contact: [integer, exists(data.contacts)],
		bot: [integer, exists(data.bots)],
	};
	return [...(is_required ? [required] : []), ...(byType[type] ?? [])];
}

function stored(type: FieldDefinition['type'], value: unknown): unknown {
	if (isMissing(value)) return null;
	if (type === 'bool') return isTrue(value);
	return ['number', 'contact', 'bot'].includes(type) ? Number(value) : value;
}

/** All fields of the list, also those that were added after the item. */
function asAnswered({ fields }: ListSchema, { id, values, createdAt, updatedAt }: ListItem) {
	const all = Object.keys(fields).map((slug) => [slug, values[slug] ?? null]);
	return { id, ...Object.fromEntries(all), created_at: createdAt, updated_at: updatedAt };
}
