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
	 * The pages of getContacts and getListItems. unnumbered: without `links` and `meta`. repeated: the service knows no `page`
	 * and always sends the first one, also without `links` and `meta`. shifting: before each page of getContacts after the
	 * first, a contact is added in front of all others, so that the last row of the page before comes again.
	 */
	pages: ['numbered', 'unnumbered', 'repeated', 'shifting'],
	/** ignored: getListItems sends all items, whatever its filters are. */
	filters: ['understood', 'ignored'],
	/**
	 * wrapped: every successful answer has `data`, `errors`, `message` and `success`, as at LEADTEX. `data` is null after a
	 * change whose answer has no record.
	 */
	answers: ['usual', 'wrapped'],
	/** What createListSchema requires besides the name. ofBot: `bot_id`, as at WatBot. inMenu: `is_menu`, as at LEADTEX. */
	newList: ['free', 'ofBot', 'inMenu'],
	/** created: attachTagToContact gives the bot a tag that it does not have, as at LEADTEX. */
	unknownTag: ['refused', 'created'],
	/** ignored: a service that does not look for its token in headers, and fails without one, as LEADTEX did. */
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
