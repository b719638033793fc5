import type { IDataObject } from 'n8n-workflow';

import type { Problem } from '../../client/failure/failure';
import { parsed, repeatedName } from '../../shared/json';
import { isEmpty, isObject } from '../../shared/values';
import { checkAs, problem, takingLists, type Checked, type Kind, type Circumstances } from '../kind';
import { nameTwice } from '../pairs';
import { fieldsBySlug } from '../listFields';
import { attributes } from './attributes';

/* Definitions of the fields of a list, in all the forms in which people have them. */

const kindsByName = new Map(Object.values(attributes).map(({ name, kind }) => [name, kind!]));
const needed = [attributes.name, attributes.slug, attributes.type].map(({ name }) => name);
const allNames = [...kindsByName.keys()].join(', ');

/**
 * Field definitions, keyed by slug as createListSchema expects them. Accepts that object, an array of definitions, a schema or
 * its `fields` from getListSchema, the rows of the 'Fields' parameter, or any of these as JSON text.
 */
export const fieldDefinitions: Kind = takingLists((value, label, circumstances) => {
	const given = parsed(typeof value === 'string' ? value.trim() : value);
	const repeated = typeof value === 'string' && typeof given === 'object' ? repeatedName(value) : undefined;
	if (repeated !== undefined) return nameTwice(label, repeated);
	const definitions = definitionsIn(given);
	if (!definitions)
		return problem(
			`'${label}' must be a list of field definitions`,
			`Enter an array of objects with name, slug and type, an object of them keyed by slug, or the 'fields' of a list. If it is JSON, check the quotes, commas and brackets of '${label}'.`,
			value,
		);
	const checked = definitions.map((each, index) =>
		fieldDefinition(each, `${label}, field ${index + 1}`, circumstances),
	);
	const problems = checked.flatMap((each) => ('problems' in each ? each.problems : []));
	const fields = checked.flatMap((each) => ('value' in each ? [each.value as IDataObject] : []));
	const bySlug = new Map(fields.map((field) => [field.slug as string, field]));
	if (bySlug.size < fields.length)
		problems.push(
			...problem(
				`'${label}' repeats a slug`,
				'Give each field a different slug.',
				fields.map(({ slug }) => slug),
			).problems,
		);
	return problems.length ? { problems } : { value: Object.fromEntries(bySlug) };
});

/** The definitions, with the slugs by which they are keyed. */
function definitionsIn(given: unknown): unknown[] | undefined {
	// The output of 'Get', as n8n copies it.
	if (Array.isArray(given) && given.length === 1 && isSchema(given[0])) return definitionsIn(given[0]);
	if (Array.isArray(given)) return given;
	if (!isObject(given)) return undefined;
	// The rows of the 'Fields' parameter: an array. A definition with the slug "field" would be an object.
	if (Array.isArray(given.field)) return given.field;
	const keyed = isSchema(given) ? fieldsBySlug(given.fields) : Object.entries(given);
	return keyed.map(([key, definition]) =>
		isObject(definition) && isEmpty(definition.slug) ? { ...definition, slug: key } : definition,
	);
}

/** Whether it is a whole schema: its name is a text. A definition with the slug "name" would be an object. */
const isSchema = (given: unknown): given is { fields: object } =>
	isObject(given) &&
	typeof given.name === 'string' &&
	typeof given.fields === 'object' &&
	given.fields !== null;

function fieldDefinition(given: unknown, place: string, circumstances: Circumstances | undefined): Checked {
	if (!isObject(given))
		return problem(`'${place}' must be a field definition`, `Enter an object with ${allNames}.`, given);
	const result: IDataObject = {};
	const problems: Problem[] = [];
	for (const [attribute, value] of Object.entries(given).filter(([, each]) => !isEmpty(each))) {
		const kind = kindsByName.get(attribute);
		const checked = kind
			? checkAs(kind, value, `${place}: ${attribute}`, circumstances)
			: problem(
					`'${place}' has an attribute that the service does not know`,
					`The attributes are ${allNames}.`,
					attribute,
				);
		if ('problems' in checked) problems.push(...checked.problems);
		else result[attribute] = checked.value;
	}
	for (const attribute of needed.filter((each) => isEmpty(given[each])))
		problems.push({
			message: `'${place}: ${attribute}' is empty`,
			advice: 'Give every field a name, a slug and a type.',
		});
	return problems.length ? { problems } : { value: result };
}
