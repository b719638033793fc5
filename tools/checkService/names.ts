import { readOperations } from '../../sandbox/emulator/document';
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
	...fields.map(({ displayName }) => displayName),
	...documented.flatMap(({ parameters }) => parameters.map(({ name }) => name)),
	...propertiesIn(documented),
]);

/** Shows names in a report, and remembers those that it hides. */
export class Names {
	readonly hidden = new Set<string>();

	/** A name as it may be shown; the index of an array as `*`. */
	readonly shown = (name: string): string => {
		if (/^\d*$/.test(name)) return name && '*';
		if (known.has(name)) return name;
		this.hidden.add(name);
		return '…';
	};

	/** A text with only those quoted names that may be shown. */
	quotedIn = (text: string) => text.replace(/'([^']*)'/g, (_, name: string) => `'${this.shown(name)}'`);
}

/** The names of all properties in a description. */
function propertiesIn(description: unknown): string[] {
	if (typeof description !== 'object' || description === null) return [];
	const { properties = {} } = description as { properties?: object };
	return [...Object.keys(properties), ...Object.values(description).flatMap(propertiesIn)];
}
