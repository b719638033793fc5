/** How services differ in the same operation. The emulator speaks one of the ways at a time. */

/** The default comes first. */
const WAYS = {
	/**
	 * What getContacts does with the parameter `with`. ignored: contacts come without tags, and always with variables, as at WatBot.
	 */
	with: ['understood', 'ignored'],
	/**
	 * Variables, also those within contacts. named: with `name`, `value` and `deletable`; in one answer. nested: the name is in
	 * `variable`, times are added and `deletable` is missing; getContactVariables has pages of 100, as at OneBot and LEADTEX.
	 */
	variables: ['named', 'nested'],
	/**
	 * The pages of getContacts. unnumbered: without `links` and `meta`. repeated: the service knows no `page` and always sends
	 * the first one, also without `links` and `meta`. shifting: before each page after the first, a contact is added in front
	 * of all others, so that the last row of the page before comes again.
	 */
	pages: ['numbered', 'unnumbered', 'repeated', 'shifting'],
} as const;

export type Dialect = { -readonly [Name in keyof typeof WAYS]: (typeof WAYS)[Name][number] };

/** @param differences from the defaults */
export function dialectOf(differences: Partial<Dialect> = {}): Dialect {
	for (const [name, way] of Object.entries(differences)) {
		const ways: readonly string[] | undefined = WAYS[name as keyof Dialect];
		// Other processes send dialects as JSON.
		if (!ways?.includes(way)) throw new Error(`no such dialect: ${JSON.stringify({ [name]: way })}`);
	}
	return { with: WAYS.with[0], variables: WAYS.variables[0], pages: WAYS.pages[0], ...differences };
}
