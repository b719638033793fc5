import type { RecordedRequest } from './recording';

/**
 * The token of a request, the query without it, and the contract's problems with its place.
 * @param tokenHeader where the token belongs; undefined accepts both the query parameter api_token and a Bearer header
 */
export function findToken({ query, headers }: RecordedRequest, tokenHeader: string | undefined) {
	const { api_token: parameter, ...otherQuery } = query;
	const [, bearer] = /^Bearer (.+)/.exec(String(headers.authorization)) ?? [];
	const inHeader = tokenHeader ? headers[tokenHeader.toLowerCase()] : bearer;
	const inQuery = tokenHeader ? undefined : parameter;
	const found = [inQuery ?? [], inHeader ?? []].flat();

	const problems: string[] = [];
	if (found.length === 0) problems.push('no token where it belongs');
	if (found.length > 1) problems.push('the token is given more than once');
	return { token: found[0], isInHeader: inQuery === undefined && found.length > 0, otherQuery, problems };
}
