/**
 * How services differ in the same operation, and how each differs from the interface that docs/openapi.yaml describes, as far as anything
 * public shows it. The emulator speaks one of the ways at a time. What nothing shows is no difference of a service, such as `with` at
 * CleverApp, OneBot and JetBot, or where WatBot reads the values of a new item: for that, set a way by hand.
 *
 * The mark of a difference says how sure it is: V, a page of the service; I, a reference that integrators wrote; U, seen in public
 * programs; L, an answer of the service that is public; 1×, seen only once. Letters name the programs. At WatBot, A1 is a food shop and
 * N has lists as its database. At LEADTEX, A2 is for broadcasts, A3 is a landing page, and C and C2 show people their balance.
 */

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

export interface Difference {
	way: Partial<Dialect>;
	mark: 'V' | 'I' | 'U' | 'L' | 'L, 1×';
	/** Letters of programs. */
	from?: string;
}

export const SERVICES: Readonly<Record<string, Difference[]>> = {
	watbot: [
		{ way: { with: 'ignored' }, mark: 'L', from: 'A1' },
		{ way: { itemPages: 'upTo500' }, mark: 'L', from: 'N' },
		{ way: { newList: 'ofBot' }, mark: 'I' },
		{ way: { updatedItem: 'ofList' }, mark: 'I' },
	],
	cleverapp: [],
	onebot: [{ way: { variables: 'nested' }, mark: 'V' }],
	jetbot: [{ way: { newVariable: 'deletable' }, mark: 'V' }],
	leadtex: [
		{ way: { filters: 'inQuery' }, mark: 'U', from: 'C, C2' },
		{ way: { variables: 'nested' }, mark: 'I', from: 'A2' },
		{ way: { answers: 'wrapped' }, mark: 'I' },
		{ way: { changes: 'answered' }, mark: 'I' },
		{ way: { newTag: 'created' }, mark: 'I' },
		{ way: { newList: 'inMenu' }, mark: 'I' },
		{ way: { header: 'ignored' }, mark: 'L, 1×', from: 'A3' },
	],
};

/** @param service by its name in SERVICES; undefined for the interface itself */
export function dialectOf(service?: string): Dialect {
	if (service !== undefined && !Object.hasOwn(SERVICES, service)) {
		const names = Object.keys(SERVICES).join(', ');
		throw new Error(`no such service: ${JSON.stringify(service)}; there are ${names}`);
	}
	const defaults = Object.fromEntries(Object.entries(WAYS).map(([name, [first]]) => [name, first]));
	const ofService = (SERVICES[service!] ?? []).map(({ way }) => way);
	return Object.assign(defaults as Dialect, ...ofService) as Dialect;
}
