import type { Problem } from '../../client/failure/failure';
import { listed, quote } from '../../shared/quote';
import { isEmpty } from '../../shared/values';
import { problem } from '../kind';
import { slugLike, type NamesBySlug } from '../listFields';

/* Texts about list items that cannot be saved or found. */

/** Of the fields of the input item, only those of the list are sent. @param label of the parameter that maps them */
export const fieldsNotLoaded = (label: string): Problem => ({
	message: `The fields of the list are not known under '${label}'`,
	advice: 'Open the node and choose the list. The editor then loads its fields.',
});

/** @param names of fields of the input item, each with the slug that it probably means */
export const unknownFields = (names: Array<[name: string, slug?: string | undefined]>): Problem => {
	const renamed = names.flatMap(([name, slug]) => (slug ? `${quote(name)} to ${quote(slug)}` : []));
	const others = names.flatMap(([name, slug]) => (slug ? [] : quote(name)));
	const advice = [
		renamed.length && `Rename ${listed(renamed, 5)}.`,
		others.length &&
			`Remove ${listed(others, 5)} before this node, for example with Edit Fields, or choose 'Map Each Column Manually'. If the list has got such a field since, open the node and choose 'Refresh Field List' in the menu beside 'Fields'.`,
	];
	return {
		message: 'The item has fields that the list does not have',
		advice: advice.filter(Boolean).join(' '),
	};
};

/** @param label of the parameter that names the field @param fields of the list */
export function noSuchField(label: string, slug: string, fields: NamesBySlug): Problem {
	const meant = slugLike(slug, fields);
	const inWords = fields.map(([each, name]) =>
		isEmpty(name) || name === each ? each : `${each} (${String(name)})`,
	);
	const advice = meant ? ` Enter ${quote(meant)}.` : '';
	return {
		message: `'${label}' names no field of the list`,
		advice: `The list has no field ${quote(slug)}.${advice} Its fields: ${listed(inWords) || 'none'}.`,
	};
}

/** The service gives each new item other values of these. @param label of the parameter that names the field */
export const ownColumn = (label: string, slug: string): Problem => ({
	message: `'${label}' names a field that the service fills in`,
	advice:
		slug === 'id'
			? "To change an item by its ID, choose the operation 'Update'."
			: `A new item would get another value of ${quote(slug)}. Choose a field of the list.`,
});

/** @param label of a filter's slug */
export const repeatedSlug = (label: string, found: unknown): Problem => ({
	message: `'${label}' repeats a field`,
	advice: `The service takes one value for each field. Use one filter for ${quote(found)}, and the node Filter after this node for further conditions.`,
});

/** @param label of the field to sort by */
export const severalOrders = (label: string, found: unknown) =>
	problem(
		`'${label}' must be one field`,
		"Enter one slug, such as created_at. The direction is the option 'Order By Direction'.",
		found,
	).problems[0]!;
