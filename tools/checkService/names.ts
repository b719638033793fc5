import { readOperations } from '../../sandbox/emulator/document';

/*
 * Which names may be shown. Many names in answers are made by people: the slugs of a list, or, at a service that differs, the names of
 * variables and tags. So only names that docs/openapi.yaml has are shown, and the others are told to the person alone.
 */

const documented = readOperations();
const known = new Set([
	...documented.flatMap(({ parameters }) => parameters.map(({ name }) => name)),
	...propertiesIn(documented),
]);

/** Shows names in a report, and remembers those that it hides. */
export class Names {
	readonly hidden = new Set<string>();

	/** A name as it may be shown; the index of an array as `*`. */
	readonly shown = (name: string): string => {
		if (/^\d+$/.test(name)) return '*';
		if (known.has(name)) return name;
		this.hidden.add(name);
		return '…';
	};
}

/** The names of all properties in a description. */
function propertiesIn(description: unknown): string[] {
	if (typeof description !== 'object' || description === null) return [];
	const { properties = {} } = description as { properties?: object };
	return [...Object.keys(properties), ...Object.values(description).flatMap(propertiesIn)];
}
