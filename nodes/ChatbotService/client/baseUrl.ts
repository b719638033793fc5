/** Services known to offer this API. */
export const services = [
	{ name: 'WatBot', host: 'watbot.ru' },
	{ name: 'CleverApp', host: 'app.cleverapp.pro' },
	{ name: 'OneBot', host: 'app.onebot.tech' },
	{ name: 'JetBot', host: 'app.jetbot24.ru' },
	{ name: 'LEADTEX', host: 'app.leadteh.ru' },
];

const knownHost = services.map(({ host }) => host.replace(/\./g, '\\.')).join('|');

/**
 * Users paste the service's address with or without a final slash, `/api/v1` or the scheme, or the URL of one of its pages. The
 * replacements keep the scheme, the host, the port and any unknown path, which may belong to a reverse proxy. Code and
 * expressions use the same list, so that both read the credential alike.
 */
const replacements: Array<[RegExp, string]> = [
	[/[\u200b-\u200f\u2060\ufeff]/g, ''],
	[/^[\s"'<«]+|[\s"'>»]+$/g, ''],
	[/[?#].*/s, ''],
	[/^\/\/(?=[^/])/, ''],
	[/^(?![a-z][a-z\d+.-]*:\/)/i, 'https://'],
	// The known services have no path.
	[new RegExp(`^(https?:\\/\\/(?:${knownHost})(?::\\d+)?)(?:\\/.*)?$`, 'is'), '$1'],
	// URL of an endpoint.
	[/(\/api\/v1)\/+[a-z]+[A-Z]\w*\/*$/, '$1'],
	// Pages: the bot's editor, unless the path continues to the API, and the page that shows the token. The slashes after the
	// scheme do not start a path: "http://api" is a host.
	[/(?<!:\/*)\/bots\/+\d+(?!.*\/api(?:\/v1)?\/*$)(?:\/.*)?$/is, ''],
	[/(?<!:\/*)\/account\/+api\/*$/i, ''],
	[/(?<!:\/*)\/+$/, ''],
	[/(?<!:\/*)\/api(\/v1)?$/i, ''],
	[/(?<!:\/*)\/+$/, ''],
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

/** Matches "https//example.com" without the colon, which parsers read as the host "https". */
const schemeAsHost = /^https?:\/\/https?[:/]/i;

/** Matches "anna@example.com", which parsers read as the host "example.com". */
const withNameAlone = /^https?:\/\/[^/:@]*@/i;

/** Whether the base URL of a credential is a valid URL. Parsers read "https:///api" as the host "api". */
export function isAddress(baseUrl: unknown): boolean {
	const address = baseUrlOf(baseUrl);
	return (
		/^https?:\/\/[^/]/i.test(address) &&
		!schemeAsHost.test(address) &&
		!withNameAlone.test(address) &&
		URL.canParse(address)
	);
}
