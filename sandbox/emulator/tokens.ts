/** The place of the token in a request. */

import type { RecordedRequest } from './recording';

/** Where this installation of the service expects the token; `name` of the query parameter or the header. */
export interface TokenPlacement {
	placement: 'query' | 'bearer' | 'header';
	name?: string;
}

/**
 * The token of a request, the query without it, and the contract's problems with its place.
 * @param tokenIn undefined accepts both the query parameter api_token and a Bearer header
 */
export function findToken({ query, headers }: RecordedRequest, tokenIn: TokenPlacement | undefined) {
	const otherQuery = { ...query };
	const found: string[] = [];
	const { placement, name } = tokenIn ?? {};
	if (placement === undefined || placement === 'query') {
		const parameter = name ?? 'api_token';
		found.push(...[otherQuery[parameter] ?? []].flat());
		delete otherQuery[parameter];
	}
	const isInQuery = found.length > 0;
	if (placement === undefined || placement === 'bearer') {
		const [, bearer] = /^Bearer (.+)/.exec(String(headers.authorization)) ?? [];
		if (bearer) found.push(bearer);
	}
	if (placement === 'header') found.push(...[headers[(name ?? 'Authorization').toLowerCase()] ?? []].flat());

	const problems: string[] = [];
	if (found.length === 0) problems.push('no token where it belongs');
	if (found.length > 1) problems.push('the token is given more than once');
	return { token: found[0], isInHeader: found.length > 0 && !isInQuery, otherQuery, problems };
}
