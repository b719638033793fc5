/** How services differ in the same operation. The emulator speaks one of the ways at a time. README.md describes them. */

/** The default comes first. */
const WAYS = {
	/** What getContacts does with the parameter `with`; ignored: contacts come with variables and without tags. */
	with: ['understood', 'ignored'],
	/** Variables, also those within contacts; nested: the name is in `variable`, and getContactVariables has pages. */
	variables: ['named', 'nested'],
	/**
	 * Pages of getContacts and getListItems. unnumbered: without `links` and `meta`; repeated: in addition, always the first one.
	 * shifting: before each page of getContacts after the first, a contact is added in front of all others.
	 */
	pages: ['numbered', 'unnumbered', 'repeated', 'shifting'],
	/** What getListItems does with its filters. */
	filters: ['understood', 'ignored'],
	/** wrapped: every successful answer has `data`, `errors`, `message` and `success`. */
	answers: ['usual', 'wrapped'],
	/** What createListSchema requires besides the name: `bot_id` or `is_menu`. */
	newList: ['free', 'ofBot', 'inMenu'],
	/** ignored: the service does not look for its token in headers, and fails without one. */
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
