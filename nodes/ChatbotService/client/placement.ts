import type { IDataObject } from 'n8n-workflow';

/** A parameter of the API. In its name, `field.slug` stands for `slug` within `field`. */
export interface WireParameter {
	name: string;
	place: 'query' | 'body';
	value: IDataObject[string];
}

/** Common web servers refuse a request line of more than 8 KB. Half of it is reserved for additions of proxies. */
const longestTarget = 4000;

/**
 * Puts each value into the query or the body.
 *
 * @param target.path of the endpoint in the request target
 * @param target.tokenLength characters that the token adds to the query
 * @param target.longInBody whether a query that is too long may travel as a JSON body
 */
export function placeParameters(
	parameters: WireParameter[],
	{ path, tokenLength, longInBody }: { path: string; tokenLength: number; longInBody: boolean },
): { query: IDataObject; body: IDataObject } {
	const lengthOf = ({ name, place, value }: WireParameter) =>
		place === 'query' ? encodedLength(name) + encodedLength(String(value)) + 2 : 0;
	const length = () => parameters.map(lengthOf).reduce((sum, each) => sum + each, path.length + tokenLength);
	const isTooLong = longInBody && length() > longestTarget;
	const parts = { query: {} as IDataObject, body: {} as IDataObject };
	for (const { name, place, value } of parameters) {
		const part = parts[isTooLong ? 'body' : place];
		const [parent, child] = name.split('.') as [string, string | undefined];
		part[parent] = child === undefined ? value : { ...(part[parent] as object | undefined), [child]: value };
	}
	return parts;
}

/** n8n also percent-encodes these characters, which `encodeURIComponent` does not. */
export const encodedLength = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, '%00').length;
