/** The services that are known to offer this API. */
export const services = [
	{ name: 'WatBot', host: 'watbot.ru' },
	{ name: 'CleverApp', host: 'app.cleverapp.pro' },
	{ name: 'OneBot', host: 'app.onebot.tech' },
	{ name: 'JetBot', host: 'app.jetbot24.ru' },
	{ name: 'LEADTEX', host: 'app.leadteh.ru' },
];

const knownHost = services.map(({ host }) => host.replace(/\./g, '\\.')).join('|');

/**
 * People paste the address of the service with or without a slash at the end, `/api/v1` or the scheme, or that of one of its pages.
 * What is left is the scheme, the host, the port and a path that is not known to be a page: it may be that of a reverse proxy. One
 * list for code and for expressions, so that both read the credential alike.
 */
const replacements: Array<[RegExp, string]> = [
	[/[\u200b-\u200f\u2060\ufeff]/g, ''],
	[/^[\s"'<«]+|[\s"'>»]+$/g, ''],
	[/[?#].*$/s, ''],
	[/^\/\/(?=[^/])/, ''],
	[/^(?![a-z][a-z\d+.-]*:\/)/i, 'https://'],
	// These services have no path.
	[new RegExp(`^(https?:\\/\\/(?:${knownHost})(?::\\d+)?)(?:\\/.*)?$`, 'is'), '$1'],
	// The URL of a method.
	[/(\/api\/v1)\/+[a-z]+[A-Z]\w*\/*$/, '$1'],
	// Pages: the bot's editor, unless the path goes on to the API, and the page that shows the token. The slashes behind the scheme
	// begin no path: "http://api" is a host.
	[/(?<!:\/*)\/+bots\/+\d+(?!.*\/api(?:\/v1)?\/*$)(?:\/.*)?$/is, ''],
	[/(?<!:\/*)\/+account\/+api\/*$/i, ''],
	[/(?<!:\/*)\/+$/, ''],
	[/(?<!:\/*)\/api(\/v1)?$/i, ''],
	[/(?<!:\/*)\/+$/, ''],
];

/** Where the methods of the service lie, for `baseURL` in a description; reads `$credentials`. */
export const baseUrlExpression = `={{ $credentials.baseUrl${replacements
	.map(([pattern, replacement]) => `.replace(${String(pattern)}, '${replacement}')`)
	.join('')} }}/api/v1`;

/** The same for code. */
export const baseUrlOf = (baseUrl: unknown): string =>
	`${replacements.reduce(
		(address, [pattern, replacement]) => address.replace(pattern, replacement),
		String(baseUrl ?? ''),
	)}/api/v1`;

/** As in "https//example.com" without the colon, which would be read as the host "https". */
const schemeAsHost = /^https?:\/\/https?[:/]/i;

/** As in "anna@example.com", which would be read as the host "example.com". */
const withNameAlone = /^https?:\/\/[^/:@]*@/i;

/** Whether the base URL of a credential is an address at all; "https:///api" would be read as the host "api". */
export function isAddress(baseUrl: unknown): boolean {
	const address = baseUrlOf(baseUrl);
	return (
		/^https?:\/\/[^/]/i.test(address) &&
		!schemeAsHost.test(address) &&
		!withNameAlone.test(address) &&
		URL.canParse(address)
	);
}
