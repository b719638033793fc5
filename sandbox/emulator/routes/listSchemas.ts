/** List schemas. */

import { done, json } from '../answers';
import {
	INPUT_FIELD_TYPES,
	addListSchema,
	isoWithOffset,
	type FieldDefinition,
	type ListSchema,
} from '../data';
import type { Operation } from '../exchange';
import { pageOf, paginate } from '../pages';
import { notFound } from '../refusal';
import {
	boolean,
	exists,
	integer,
	invalid,
	isObject,
	isTrue,
	object,
	oneOf,
	required,
	string,
	validate,
	type Input,
	type Rule,
} from '../validation';
import { itemsOf, listSchemaOf } from './lookup';

export const listSchemas: Record<string, Operation> = {
	getListSchemas({ data, input, query, url }) {
		return json(paginate([...data.listSchemas.values()], { page: pageOf(input.page), path: url, query }));
	},

	getListSchema({ data, input }) {
		validate(input, { schema_id: [required, string] });
		return json({ data: listSchemaOf(data, input.schema_id) });
	},

	createListSchema({ data, dialect, input }) {
		validate(input, {
			name: [required, string],
			is_menu: [...(dialect.newList === 'inMenu' ? [required] : []), boolean],
			bot_id: [...(dialect.newList === 'ofBot' ? [required] : []), integer, exists(data.bots)],
			fields: [object],
		});
		const fields: Record<string, FieldDefinition> = {};
		for (const [key, entry] of Object.entries(isObject(input.fields) ? input.fields : {})) {
			const { slug, definition } = readField(entry, `fields.${key}`, [required]);
			if (Object.hasOwn(fields, slug)) throw slugTaken(`fields.${key}.slug`);
			fields[slug] = definition;
		}
		const schema = addListSchema(data, { name: String(input.name), is_menu: isTrue(input.is_menu), fields });
		return json({ data: schema });
	},

	addListSchemaField({ data, input }) {
		validate(input, { schema_id: [required, string], field: [required, object] });
		const schema = listSchemaOf(data, input.schema_id);
		const { slug, definition } = readField(input.field, 'field', []);
		if (Object.hasOwn(schema.fields, slug)) throw slugTaken('field.slug');
		schema.fields[slug] = definition;
		touch(schema);
		return done('[]');
	},

	deleteListSchemaField({ data, input }) {
		validate(input, { schema_id: [required, string], slug: [required, string] });
		const schema = listSchemaOf(data, input.schema_id);
		const slug = String(input.slug);
		if (!Object.hasOwn(schema.fields, slug)) throw notFound('Поле не найдено');
		delete schema.fields[slug];
		for (const item of itemsOf(data, schema)) delete item.values[slug];
		touch(schema);
		return done('{}');
	},

	deleteListSchema({ data, input }) {
		validate(input, { schema_id: [required, string] });
		const schema = listSchemaOf(data, input.schema_id);
		data.listSchemas.delete(schema.id);
		for (const item of itemsOf(data, schema)) data.listItems.delete(item.id);
		return done('empty page');
	},
};

/** @param nameAndType further rules for name and type: a field of a new list needs them, an added one has defaults */
function readField(entry: unknown, at: string, nameAndType: Rule[]) {
	const given: Input = isObject(entry) ? entry : {};
	const rules: Record<string, Rule[]> = {
		slug: [required, string],
		name: [...nameAndType, string],
		type: [...nameAndType, string, oneOf(...INPUT_FIELD_TYPES)],
		is_required: [boolean],
		is_hidden: [boolean],
		is_encryptable: [boolean],
	};
	const inPlace = (record: object) =>
		Object.fromEntries(Object.entries(record).map(([name, value]) => [`${at}.${name}`, value]));
	validate(inPlace(given), inPlace(rules));
	const slug = String(given.slug);
	const type = String(given.type ?? 'string');
	const definition: FieldDefinition = {
		name: String(given.name ?? slug),
		type: (type === 'boolean' ? 'bool' : type) as FieldDefinition['type'],
		is_required: isTrue(given.is_required),
		is_hidden: isTrue(given.is_hidden),
		is_encryptable: isTrue(given.is_encryptable),
	};
	return { slug, definition };
}

function slugTaken(at: string) {
	return invalid({ [at]: [`Такое значение поля ${at} уже существует.`] });
}

function touch(schema: ListSchema) {
	schema.updated_at = isoWithOffset(new Date());
}
