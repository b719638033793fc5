/** How services differ in the same operation. The emulator speaks one of the ways at a time. */

/** The default comes first. In parentheses: the services that do so, or "possible" if none is known. */
const WAYS = {
	/** Whether `getContacts` adds the tags and variables that `with` names. Ignored: never tags, always variables (WatBot). */
	with: ['understood', 'ignored'],
	/**
	 * Named: variables have `name`, `value` and `deletable`, and `getContactVariables` has no pages. Nested: the name is in `variable`, in
	 * contacts too, and pages have 100 variables (OneBot, LEADTEX).
	 */
	variables: ['named', 'nested'],
	/**
	 * Numbered: `getContacts` and `getListItems` send `links` and `meta`. Unnumbered: neither (possible). Repeated: neither, and always the
	 * first page (possible at CleverApp). Shifting: before each further page of `getContacts`, a new contact comes in front of all others,
	 * so the last row of a page comes again (any service, while people write).
	 */
	pages: ['numbered', 'unnumbered', 'repeated', 'shifting'],
	/** Whether `getListItems` reads `filters`. Ignored: it sends all items (possible; WatBot ignores a filter of `getContacts`). */
	filters: ['understood', 'ignored'],
	/** Wrapped: all successful answers have `data`, `errors`, `message` and `success` (LEADTEX). */
	answers: ['usual', 'wrapped'],
	/** What `createListSchema` needs besides the name: nothing, `bot_id` (WatBot), or `is_menu` (LEADTEX). */
	newList: ['free', 'ofBot', 'inMenu'],
	/** Ignored: the answer to a token in a header is 500, `Server Error` (LEADTEX). */
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
