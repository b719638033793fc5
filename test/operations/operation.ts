import type { Data, Messenger } from '../../sandbox/emulator';

/*
 * What the tests expect of an operation of the node. Each operation has a file in this folder, `<resource>.<operation>.ts`, which
 * exports its `fixture`: written by hand, from docs/openapi.yaml and from the intended editor, never from the code of
 * the node. Only its words come from the node (words.ts). Every suite finds the fixtures automatically (index.ts) and runs for
 * each of them.
 *
 * With these values, all samples can run in one emulator with its seed, in any order after the reading ones.
 */

export interface OperationFixture {
	method: 'GET' | 'POST';
	/** The last part of its path. */
	endpoint: string;
	/** The place of all its parameters in the request. */
	place: Place;
	/** The kind of answer: rows, one record, the created record, or nothing that the API documents. */
	answer: 'many' | 'one' | 'created' | 'done' | 'deleted';
	/** Whether the operation is idempotent, so that it may be repeated when its outcome is unknown. */
	idempotent: boolean;
	/** Whether it asks a person and waits: it takes one item, adds a link to the text, and outputs its input until there is an answer. */
	asks?: true;
	/** The variants, which differ in their fields; the usual one first. */
	variants: VariantFixture[];
	/** Values of a second item, for a retried execution; without them, the second item is the same. */
	secondItem?: Record<string, string>;
}

export type Place = 'query' | 'body';

export interface VariantFixture {
	/** The difference to other variants, for example 'by ID'; undefined for a single variant. */
	title?: string;
	fields: Field[];
	/** Parameters that no field has: how many rows of a list are requested at once. */
	adds?: Record<string, number>;
	items: object[];
	/** For operations that change something: whether the emulator shows the effect of the sample. */
	isDone?: (data: Data) => boolean;
	/** The notice that the editor shows with it. */
	notice?: string;
	/** What the editor shows for each set of choices, where the fields do not determine it. */
	states?: EditorState[];
	/** Its items in the soak test; each operation has at least one. */
	soak?: SoakPart[];
}

/** A parameter of the node, and a sample of its value. */
export interface Field {
	/** Its name in the node; `fieldOptions.hidden` means `hidden` in the collection `fieldOptions`. */
	name: string;
	/** The value that a user enters in the editor; undefined for an empty field. */
	value: unknown;
	/** The same value in the data of an item, if it can differ. */
	given?: unknown;
	/** The same value as it is sent, if it differs. */
	sent?: unknown;
	/** Its API name; `field.slug` means `slug` in the object `field`. Undefined for a field that is not sent. */
	wire?: string;
	/** Whether an item without it is refused. */
	required?: true;
	/** Whether the editor flags it when it is empty, if this differs from `required`. */
	flagged?: false;
	/** Whether other fields depend on its value. */
	decides?: true;
	offers?: readonly string[];
	/** Another value with which the sample stays valid, if that is not obvious; null if there is none. */
	other?: string | null;
	/** The modes for entering it, for a field with a list. */
	mode?: 'name' | 'id' | 'slug';
	/** Whether the service looks for what it names, so that the error names it when there is no such thing. */
	isSought?: true;
}

/** The editor after some choices. */
export interface EditorState {
	choices: Record<string, boolean | string | string[]>;
	/** The parameters, in the editor's order. */
	shown: string[];
	/** The parameters that are flagged when they are empty. */
	required: string[];
}

/** Items of the soak test, each with its own target. */
export interface SoakPart {
	/** The approximate share of a hundred items; 5 by default. */
	weight?: number;
	messenger?: Messenger;
	/** Values instead of the sample's; a function returns the value of each item. */
	values: Record<
		string,
		boolean | number | string | string[] | undefined | ((item: SoakItem) => number | string)
	>;
}

/** The emulator's records for an item of the soak test. */
export interface SoakItem {
	number: number;
	/** Of a contact, of a variable of this contact, and of a bot. */
	id: number;
	/** Of a list with the field `phone`. */
	schemaId: string;
	/** Of the only item of this list. */
	listItemId: string;
	/** Ends in the number of the item, which identifies its requests. Without an ID, one of text, name and value needs it. */
	marked: (text: string) => string;
	/** A recipient in the messenger; several items share one. */
	recipient: { contactId: number; externalId: string; phone: string };
}
