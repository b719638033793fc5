/* Which address requests go to, in whichever form people enter Base URL. */

/** Services known to offer this API. */
export const services = [
	{ name: 'WatBot', host: 'watbot.ru' },
	{ name: 'CleverApp', host: 'app.cleverapp.pro' },
	{ name: 'OneBot', host: 'app.onebot.tech' },
	{ name: 'JetBot', host: 'app.jetbot24.ru' },
	{ name: 'LEADTEX', host: 'app.leadteh.ru' },
];

/**
 * Users paste the address of the service with or without the scheme, with `/api/v1`, or from any of its pages. The replacements keep
 * only the scheme, the host and the port. Code and expressions use the same list, so that both read the credential alike.
 */
const replacements: Array<[RegExp, string]> = [
	[/[\u200b-\u200f\u2060\ufeff]/g, ''],
	[/^[\s"'<«]+|[\s"'>»]+$/g, ''],
	[/^\/\/(?=[^/])/, ''],
	[/^(?![a-z][a-z\d+.-]*:\/)/i, 'https://'],
	[/^(https?:\/\/[^/\\?#]+).*$/is, '$1'],
];

/** URL of the API as an n8n expression that reads `$credentials`, for `baseURL` in a description. */
export const baseUrlExpression = `={{ $credentials.baseUrl${replacements
	.map(([pattern, replacement]) => `.replace(${String(pattern)}, '${replacement}')`)
	.join('')} }}/api/v1`;

/** URL of the API for a credential's base URL. */
export const baseUrlOf = (baseUrl: unknown): string =>
	`${replacements.reduce(
		(address, [pattern, replacement]) => address.replace(pattern, replacement),
		String(baseUrl ?? ''),
	)}/api/v1`;

/**
 * Matches what parsers read as another host than the user means: nothing in "https:///api", the scheme in "https//example.com", and
 * the host of an e-mail address.
 */
const wrongHost = /^https?:\/\/(?:\/|https?[:/]|[^/:@]*@)/i;

export function isAddress(baseUrl: unknown): boolean {
	const address = baseUrlOf(baseUrl);
	return /^https?:\/\//i.test(address) && !wrongHost.test(address) && URL.canParse(address);
}
