import type { IDataObject } from 'n8n-workflow';

import type { Account } from '../credential/account';

/* Query or body, and what does not fit into a query. */

export type Place = 'query' | 'body';

/** A parameter of the API. In its name, `field.slug` stands for `slug` within `field`. */
export interface WireParameter {
	name: string;
	value: IDataObject[string];
}

/** Common web servers refuse a request line of more than 8 KB. Half of it is reserved for additions of proxies. */
const longestTarget = 4000;

/**
 * Puts all parameters of a request into the query or the body.
 *
 * @param target.path of the endpoint in the request target
 * @param target.longInBody whether a query that is too long may travel as a JSON body
 * @param target.alsoInQuery name of an object in the body whose values stand in the query too, unless they are too long for it
 */
export function placeParameters(
	parameters: WireParameter[],
	target: {
		place: Place;
		path: string;
		tokenPlace: Account['tokenPlace'];
		longInBody: boolean;
		alsoInQuery?: string | undefined;
	},
): { query: IDataObject; body: IDataObject } {
	const { place, path, tokenPlace, longInBody, alsoInQuery } = target;
	const ofToken = tokenPlace.in === 'query' ? lengthOf(tokenPlace) : 0;
	const isTooLong = (query: WireParameter[]) =>
		query.map(lengthOf).reduce((sum, each) => sum + each, path.length + ofToken) > longestTarget;
	const isInBody = place === 'body' || (longInBody && isTooLong(parameters));
	const placed: IDataObject = {};
	for (const { name, value } of parameters) {
		const [parent, child] = name.split('.') as [string, string | undefined];
		placed[parent] =
			child === undefined ? value : { ...(placed[parent] as object | undefined), [child]: value };
	}
	if (!isInBody) return { query: placed, body: {} };
	const copies = parameters.filter(({ name }) => name === alsoInQuery).flatMap(inBrackets);
	const query = isTooLong(copies) ? [] : copies.map(({ name, value }) => [name, value] as const);
	return { query: Object.fromEntries(query), body: placed };
}

/** Characters that a parameter adds to a query. */
const lengthOf = ({ name, value }: WireParameter) => encodedLength(name) + encodedLength(String(value)) + 2;

/** n8n also percent-encodes some characters that `encodeURIComponent` does not. */
const encodedLength = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, '%00').length;

/** The values of an object as a web form sends them. PHP reads 0 as no, but the text "false" as yes. */
const inBrackets = ({ name, value: values }: WireParameter): WireParameter[] =>
	Object.entries(values as IDataObject).map(([key, value]) => ({
		name: `${name}[${key}]`,
		value: typeof value === 'boolean' ? Number(value) : value,
	}));
