import type { IDataObject } from 'n8n-workflow';

import { isEmpty, isObject, spelling } from '../shared/values';

/* The fields of a list, as the service describes them. */

/**
 * The definitions of a list's fields, with their slugs. PHP encodes them as an array if the slugs are 0, 1, 2 and so on, or if there are
 * none.
 */
export const fieldsBySlug = (fields: object): Array<[slug: string, definition: unknown]> =>
	Object.entries(fields).map(([key, definition]) => [
		Array.isArray(fields) && isObject(definition) && !isEmpty(definition.slug)
			? String(definition.slug)
			: key,
		definition,
	]);

/** The fields of a list schema. */
export const fieldsIn = ({ fields }: IDataObject) =>
	fieldsBySlug((fields ?? {}) as object) as Array<[slug: string, definition: IDataObject | null]>;

/** The fields of a list, with their names. */
export type NamesBySlug = Array<[slug: string, name: unknown]>;

/** The slug of the field that a text probably means: by its name, or in another spelling. */
export function slugLike(text: string, fields: NamesBySlug): string | undefined {
	const likeness = (each: unknown) => spelling(each).replace(/[\s_-]/g, '');
	const meant = likeness(text);
	// The editor's label is the name with the slug.
	return fields.find(([slug, name]) =>
		[slug, name, `${String(name)} (${slug})`].some((each) => likeness(each) === meant),
	)?.[0];
}
