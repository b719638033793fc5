import type { IDataObject } from 'n8n-workflow';

/** A parameter of the interface: where it travels, and its value; `field.slug` stands for the slug within `field`. */
export interface WireParameter {
	name: string;
	place: 'query' | 'body';
	value: IDataObject[string];
}

/** The parts of a request that depend on its parameters. */
export interface RequestParts {
	query: IDataObject;
	body: IDataObject;
}

/** Common web servers refuse a request line of 8 KB; half of it is left for what proxies and the token add. */
const longestTarget = 4000;

/** What beside its parameters makes the target of a request long. */
export interface Target {
	/** Of the method, as it stands in the request target. */
	path: string;
	/** Characters that the token adds to the query. */
	tokenLength: number;
	/** Whether the operation allows that what is too long for the query travels as a JSON body. */
	longInBody: boolean;
}

/** Puts the values where the interface wants them. */
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

/** The engine percent-encodes these too, which JavaScript's own function leaves as they are. */
export const encodedLength = (text: string) => encodeURIComponent(text).replace(/[!'()*]/g, '%00').length;

function put(target: IDataObject, name: string, value: WireParameter['value']) {
	const [parent, child] = name.split('.') as [string, string | undefined];
	if (child === undefined) target[parent] = value;
	else target[parent] = { ...(target[parent] as object | undefined), [child]: value };
}
