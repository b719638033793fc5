import type { IDataObject } from 'n8n-workflow';

import { encodedLength } from '../../shared/encodedLength';

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
 * @param target.tokenLength characters that the token adds to the query
 * @param target.longInBody whether a query that is too long may travel as a JSON body
 */
export function placeParameters(
	parameters: WireParameter[],
	target: { place: Place; path: string; tokenLength: number; longInBody: boolean },
): { query: IDataObject; body: IDataObject } {
	const { place, path, tokenLength, longInBody } = target;
	const lengthOf = ({ name, value }: WireParameter) => encodedLength(name) + encodedLength(String(value)) + 2;
	const length = () => parameters.map(lengthOf).reduce((sum, each) => sum + each, path.length + tokenLength);
	const isInBody = place === 'body' || (longInBody && length() > longestTarget);
	const placed: IDataObject = {};
	for (const { name, value } of parameters) {
		const [parent, child] = name.split('.') as [string, string | undefined];
		placed[parent] =
			child === undefined ? value : { ...(placed[parent] as object | undefined), [child]: value };
	}
	return isInBody ? { query: {}, body: placed } : { query: placed, body: {} };
}
