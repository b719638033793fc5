/**
 * What people paste of the service's address, with or without a slash at the end, `/api/v1` or the scheme, becomes the
 * address alone. One list for code and for expressions, so that both read the credential alike.
 */
const replacements: Array<[RegExp, string]> = [
	[/^(?!https?:\/\/)/i, 'https://'],
	// Never the slashes behind the scheme: "http://api" is a host.
	[/(?<!:\/*)\/+$/, ''],
	[/(?<!:\/*)\/api(\/v1)?$/i, ''],
	[/(?<!:\/*)\/+$/, ''],
];

/** Where the methods of the service lie, for `baseURL` in a description; reads `$credentials`. */
export const baseUrlExpression = `={{ $credentials.baseUrl.trim()${replacements
	.map(([pattern, replacement]) => `.replace(${String(pattern)}, '${replacement}')`)
	.join('')} }}/api/v1`;

/** The same for code. */
export const baseUrlOf = (baseUrl: unknown): string =>
	`${replacements.reduce(
		(address, [pattern, replacement]) => address.replace(pattern, replacement),
		String(baseUrl ?? '').trim(),
	)}/api/v1`;

/** Whether the base URL of a credential is an address at all; "https:///api" would be read as the host "api". */
export const isAddress = (baseUrl: unknown): boolean =>
	/^https?:\/\/[^/]/i.test(baseUrlOf(baseUrl)) && URL.canParse(baseUrlOf(baseUrl));
