/** The place of the token in a request. */

import type { RecordedRequest } from './recording';

/** Where this installation of the service expects the token; `name` of the query parameter or the header. */
export interface TokenPlacement {
	placement: 'query' | 'bearer' | 'header';
	name?: string;
}

/** The token of a request, the query without it, and the contract's problems with its place. */
interface FoundToken {
	token: string | undefined;
	isInHeader: boolean;
	otherQuery: Record<string, string | string[]>;
	problems: string[];
}

const DEFAULT_QUERY_NAME = 'api_token';

/** @param tokenIn undefined accepts both the query parameter api_token and a Bearer header */
export function findToken(request: RecordedRequest, tokenIn: TokenPlacement | undefined): FoundToken {
	const otherQuery = { ...request.query };
	const found: string[] = [];
	const problems: string[] = [];

	if (!tokenIn || tokenIn.placement === 'query') {
		const name = tokenIn?.name ?? DEFAULT_QUERY_NAME;
		const value = otherQuery[name];
		if (value !== undefined) found.push(...[value].flat());
		delete otherQuery[name];
	}
	const isInQuery = found.length > 0;
	const { authorization } = request.headers;
	if (!tokenIn || tokenIn.placement === 'bearer') {
		const bearer = /^Bearer (.+)$/.exec(String(authorization ?? ''))?.[1];
		if (bearer !== undefined) found.push(bearer);
	} else if (authorization !== undefined && tokenIn.name?.toLowerCase() !== 'authorization') {
		problems.push('an Authorization header although the token belongs elsewhere');
	}
	if (tokenIn?.placement === 'header') {
		const value = request.headers[(tokenIn.name ?? 'Authorization').toLowerCase()];
		if (value !== undefined) found.push(String(value));
	}

	if (found.length === 0) problems.push('no token where it belongs');
	if (found.length > 1) problems.push('the token is given more than once');
	return { token: found[0], isInHeader: found.length > 0 && !isInQuery, otherQuery, problems };
}
