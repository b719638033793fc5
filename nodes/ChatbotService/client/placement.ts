import type { IDataObject } from 'n8n-workflow';

/** A parameter of the API. In its name, `field.slug` stands for `slug` within `field`. */
export interface WireParameter {
	name: string;
	place: 'query' | 'body';
	value: IDataObject[string];
}

/** The parts of a request that hold its parameters. */
export interface RequestParts {
	query: IDataObject;
	body: IDataObject;
}

/** Common web servers refuse a request line of more than 8 KB. Half of it is reserved for additions of proxies. */
const longestTarget = 4000;

/** The request target without its parameters, and whether its query may travel elsewhere. */
export interface Target {
	/** Path of the endpoint in the request target. */
	path: string;
	/** Characters that the token adds to the query. */
	tokenLength: number;
	/** Whether a query that is too long may travel as a JSON body. */
	longInBody: boolean;
}

/** Puts each value into the query or the body. */
export function placeParameters(
	parameters: WireParameter[],
	{ path, tokenLength, longInBody }: Target,
): RequestParts {
	const inQuery = parameters.filter(({ place }) => place === 'query');
	const tooLong = longInBody && targetLength(path, inQuery) + tokenLength > longestTarget;
	const parts: RequestParts = { query: {}, body: {} };
	for (const { name, place, value } of parameters) {
		put(place === 'body' || tooLong ? parts.body : parts.query, name, value);
	}
	return parts;
}

const targetLength = (path: string, query: WireParameter[]) =>
	path.length +
	query.reduce(
		(length, { name, value }) => length + encodedLength(name) + encodedLength(String(value)) + 2,
		0,
	);

/** n8n also percent-encodes these characters, which `encodeURIComponent` does not. */
export const encodedLength = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, '%00').length;

function put(target: IDataObject, name: string, value: WireParameter['value']) {
	const [parent, child] = name.split('.') as [string, string | undefined];
	if (child === undefined) target[parent] = value;
	else target[parent] = { ...(target[parent] as object | undefined), [child]: value };
}
