/**
 * Where the methods of the service lie, from whatever part of its address people paste into the credential: with or
 * without a slash at the end, `/api/v1`, or the scheme.
 */
export const baseUrlExpression =
	'={{ $credentials.baseUrl.trim().replace(/^(?!https?:\\/\\/)/i, "https://").replace(/\\/+$/, "").replace(/\\/api(\\/v1)?$/i, "").replace(/\\/+$/, "") }}/api/v1';
