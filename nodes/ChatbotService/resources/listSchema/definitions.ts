import type { IDataObject } from 'n8n-workflow';

import type { Problem } from '../../client/failure/failure';
import { repeatedName } from '../../shared/json';
import { quote } from '../../shared/quote';
import { isEmpty, isObject } from '../../shared/values';
import { checkAs, problem, takingLists, type Checked, type Kind, type Circumstances } from '../kind';
import { nameTwice } from '../pairs';
import { fieldsBySlug } from '../rows';
import * as attributes from './attributes';

/* Definitions of the fields of a list, in all the forms in which people have them. */

const kindsByName = new Map(attributes.all.map(({ name, kind }) => [name, kind!]));
const needed = [attributes.name, attributes.slug, attributes.type].map(({ name }) => name);
const allNames = [...kindsByName.keys()].join(', ');

/**
 * Field definitions, keyed by slug as createListSchema expects them. Accepts that object, an array of definitions, a schema or
 * its `fields` from getListSchema, the rows of the 'Fields' parameter, or any of these as JSON text.
 */
export const fieldDefinitions: Kind = takingLists((value, label, circumstances) => {
	let given = value;
	if (typeof value === 'string') {
		try {
			given = JSON.parse(value.trim());
			const repeated = repeatedName(value);
			if (repeated !== undefined) return nameTwice(label, repeated);
		} catch {
			return problem(
				`'${label}' must be valid JSON`,
				`Check the quotes, commas and brackets of '${label}'.`,
				value,
			);
		}
	}
	const definitions = definitionsIn(given);
	if (!definitions)
		return problem(
			`'${label}' must be a list of field definitions`,
			`Enter an array of objects with name, slug and type for '${label}', an object of them keyed by slug, or the 'fields' of a list.`,
			value,
		);
	const problems: Problem[] = [];
	const bySlug = new Map<string, IDataObject>();
	definitions.forEach((definition, index) => {
		const place = `${label}, field ${index + 1}`;
		const checked = fieldDefinition(definition, place, circumstances);
		if ('problems' in checked) {
			problems.push(...checked.problems);
			return;
		}
		const field = checked.value as IDataObject;
		const slug = field.slug as string;
		if (bySlug.has(slug))
			problems.push({
				message: `'${place}' repeats a slug`,
				advice: `Give each field a different slug. The slug ${quote(slug)} is used twice.`,
			});
		bySlug.set(slug, field);
	});
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
	const problems: Problem[] = [];
	const result: IDataObject = {};
	for (const [attribute, value] of Object.entries(given)) {
		const kind = kindsByName.get(attribute);
		if (!kind) {
			problems.push({
				message: `'${place}' has an attribute that the service does not know`,
				advice: `The attributes are ${allNames}. Received: ${quote(attribute)}.`,
			});
		} else if (!isEmpty(value)) {
			const checked = checkAs(kind, value, `${place}: ${attribute}`, circumstances);
			if ('problems' in checked) problems.push(...checked.problems);
			else result[attribute] = checked.value;
		}
	}
	for (const attribute of needed.filter((each) => isEmpty(given[each])))
		problems.push({
			message: `'${place}: ${attribute}' is empty`,
			advice: `Give every field a name, a slug and a type.`,
		});
	return problems.length ? { problems } : { value: result };
}
