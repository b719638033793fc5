/** How services differ in the same operation. The emulator speaks one of the ways at a time. README.md describes all of them. */

/** The default comes first. */
const WAYS = {
	with: ['understood', 'ignored'],
	variables: ['named', 'nested'],
	pages: ['numbered', 'unnumbered', 'repeated', 'shifting'],
	filters: ['understood', 'ignored'],
	answers: ['usual', 'wrapped'],
	newList: ['free', 'ofBot', 'inMenu'],
	header: ['accepted', 'ignored'],
} as const;

export type Dialect = { -readonly [Name in keyof typeof WAYS]: (typeof WAYS)[Name][number] };

/** @param differences from the defaults */
export function dialectOf(differences: Partial<Dialect> = {}): Dialect {
	for (const [name, way] of Object.entries(differences)) {
		const ways: readonly string[] | undefined = WAYS[name as keyof Dialect];
		// Other processes send dialects as JSON.
		if (!ways?.includes(way)) throw new Error(`no such dialect: ${JSON.stringify({ [name]: way })}`);
	}
	const defaults = Object.fromEntries(Object.entries(WAYS).map(([name, [first]]) => [name, first]));
	return { ...(defaults as Dialect), ...differences };
}
