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
	/**
	 * Where `getListItems` reads filters. Understood: in `filters` of the body, and in the query only if the body has none, as the framework
	 * does. In the query: `filters[slug]=value` of the address counts alone (LEADTEX). Ignored: it sends all items (possible; WatBot
	 * ignores a filter of `getContacts`).
	 */
	filters: ['understood', 'inQuery', 'ignored'],
	/**
	 * Where `addListItem` reads the values. Flat: beside `schema_id`, so that an item whose values are in `data` is stored without them
	 * (possible at WatBot).
	 */
	newItem: ['inData', 'flat'],
	/**
	 * What `createOrUpdateContact` answers. Whole: the contact (LEADTEX). Without ID: only that it was done, and nothing: an empty page
	 * (both possible at WatBot).
	 */
	savedContact: ['whole', 'withoutId', 'nothing'],
	/** Wrapped: all successful answers have `data`, `errors`, `message` and `success` (LEADTEX). */
	answers: ['usual', 'wrapped'],
	/** What `createListSchema` needs besides the name: nothing, `bot_id` (WatBot), or `is_menu` (LEADTEX). */
	newList: ['free', 'ofBot', 'inMenu'],
	/** Whether `setContactVariable` needs `deletable` (JetBot). */
	newVariable: ['free', 'deletable'],
	/** What `attachTagToContact` does with a tag that the bot does not have: it answers 404, or creates the tag (LEADTEX). */
	newTag: ['refused', 'created'],
	/** Whether `updateListItem` needs `schema_id` (WatBot). */
	updatedItem: ['free', 'ofList'],
	/**
	 * Answered: `setContactVariable`, `sendMessageToWhatsApp` and `addListSchemaField` answer with the variable, the contact and the list
	 * (LEADTEX).
	 */
	changes: ['unsaid', 'answered'],
	/** How many items `getListItems` sends without `limit`, and at most: 50 and 100, or 10 and 500 (WatBot). */
	itemPages: ['upTo100', 'upTo500'],
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
