import { readOperations } from '../../sandbox/emulator/document';
import { slugs } from './ownList';
import { resources } from '../../nodes/ChatbotService/resources';

/*
 * Which names may be shown. Many names in answers are made by people: the slugs of a list, or, at a service that differs, the names of
 * variables and tags. So only known names are shown, and the others are told to the person alone.
 */

/** Of the framework: what it adds to pages and failures. */
const ofFramework = ['active', 'exception', 'file', 'label', 'line', 'page', 'trace', 'url'];

const documented = readOperations();
const fields = resources.flatMap(({ operations }) => operations.flatMap((operation) => operation.fields));
const known = new Set([
	...ofFramework,
	...Object.values(slugs).flatMap((slug) => [slug, `Fields: ${slug}`]),
	...fields.map(({ displayName }) => displayName),
	...documented.flatMap(({ parameters }) => parameters.map(({ name }) => name)),
	...propertiesIn(documented),
]);

/** Whether a name is documented, so that it says nothing about the account. */
export const isKnown = (name: string): boolean => known.has(name);

/** Shows names in a report, and remembers those that it hides. */
export class Names {
	readonly hidden = new Set<string>();

	/** A name as it may be shown; the index of an array as `*`. */
	readonly shown = (name: string): string => {
		if (/^\d*$/.test(name)) return name && '*';
		if (isKnown(name)) return name;
		this.hidden.add(name);
		return '…';
	};

	/** A text with only those quoted names that may be shown. */
	quotedIn = (text: string) => text.replace(/'([^']*)'/g, (_, name: string) => `'${this.shown(name)}'`);
}

/** Headers of any web server. Others may name somebody. */
const usualHeaders =
	/^(age|alt-svc|cache-control|cf-[a-z-]+|connection|content-(type|length|encoding)|date|etag|expires|keep-alive|pragma|referrer-policy|retry-after|server|set-cookie|strict-transport-security|transfer-encoding|vary|via|www-authenticate|access-control-[a-z-]+|(x-)?ratelimit(-(limit|remaining|reset|policy))?|x-(cache|content-type-options|frame-options|powered-by|xss-protection|request-id))$/i;

/** Names of headers. */
export const headersIn = (headers: Record<string, unknown> = {}): string =>
	[...new Set(Object.keys(headers).map((name) => (usualHeaders.test(name) ? name : '…')))].join(', ') ||
	'none';

/** The headers about limits. Their values are small numbers of the service, or the time of a reset. */
export const limitsIn = (headers: Record<string, unknown>): string =>
	Object.entries(headers)
		.filter(([name]) => /^(x-)?ratelimit(-(limit|remaining|reset|policy))?$|^retry-after$/i.test(name))
		.map(([name, value]) => {
			const isTime = /reset$/i.test(name) && Math.abs(Number(value) - Date.now() / 1000) < 86_400;
			return `${name}: ${isTime || /^\d{1,6}$/.test(String(value)) ? String(value) : '…'}`;
		})
		.join(', ') || 'no headers';

/** The names of all properties in a description. */
function propertiesIn(description: unknown): string[] {
	if (typeof description !== 'object' || description === null) return [];
	const { properties = {} } = description as { properties?: object };
	return [...Object.keys(properties), ...Object.values(description).flatMap(propertiesIn)];
}
