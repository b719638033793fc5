import type { Data, Messenger } from '../../sandbox/emulator';

/*
 * What the tests know of an operation of the node. Each operation has a file in this folder, `<resource>.<operation>.ts`, which
 * exports its `fixture`: written by hand, from docs/openapi.yaml and from what the editor is to show, never from the code of
 * the node. Every suite finds it by itself (index.ts) and runs over it.
 *
 * The values are such that all samples can be done in one emulator as it is seeded, in any order, those that read first.
 */

export interface OperationFixture {
	/** As the Operation parameter names it. */
	label: string;
	method: 'GET' | 'POST';
	/** The last part of its path. */
	endpoint: string;
	/** Where all its parameters travel. */
	place: Place;
	/** What the service answers with: rows, one record, the record that it has created, or nothing that the interface shows. */
	answer: 'many' | 'one' | 'created' | 'done' | 'deleted';
	/** Whether doing it twice leaves the service as doing it once does, so that it may be repeated when nobody knows. */
	idempotent: boolean;
	/** What is said first when nobody knows whether it was done; nothing of one that only reads. */
	unknown?: string;
	/** The ways to ask for it, which differ in their fields; the usual one first. */
	variants: VariantFixture[];
	/** What a second item has in place of the values of the usual variant, for an execution that is retried; nothing: the same. */
	secondItem?: Record<string, string>;
}

export type Place = 'query' | 'body';

export interface VariantFixture {
	/** What tells it from the others, such as 'by ID'; nothing where there is only one. */
	title?: string;
	/** All its parameters, in the editor's order. */
	fields: Field[];
	/** What comes out of the sample. */
	items: object[];
	/** For one that changes something: whether it shows in the emulator that the sample was done. */
	isDone?: (data: Data) => boolean;
	/** The notice that the editor shows with it. */
	notice?: string;
	/** What the editor shows by what is chosen, where that does not follow from the fields. */
	states?: EditorState[];
	/** Its part in the soak test; each operation has one at least. */
	soak?: SoakPart[];
}

/** A parameter of the node, and a sample of its value. */
export interface Field {
	/** Its name in the node; `fieldOptions.hidden` is `hidden` in the collection `fieldOptions`. */
	name: string;
	label: string;
	/** As somebody enters it in the editor; undefined where the sample leaves it empty. */
	value: unknown;
	/** The same as an item's data may hold it, where that can differ. */
	given?: unknown;
	/** The same as it travels, where that differs. */
	sent?: unknown;
	/** Its name in the interface; `field.slug` is `slug` in the object `field`. One that does not travel has none. */
	wire?: string;
	/** Whether an item without it is refused. */
	required?: true;
	/** Whether the editor flags it when it is empty, if not as it is required. */
	flagged?: false;
	/** Whether other fields are there or not by its value. */
	decides?: true;
	/** The values it offers. */
	offers?: readonly string[];
	/** How it is entered, for one that can be picked from a list, too. */
	mode?: 'name' | 'id' | 'slug';
	/** What there is none of when the service finds nothing under it, such as 'contact with this ID'. */
	whatItIs?: string;
}

/** The editor after some choices. */
export interface EditorState {
	choices: Record<string, boolean | string | string[]>;
	/** The parameters, in the editor's order. */
	shown: string[];
	/** Those that are flagged when they are empty. */
	required: string[];
}

/** Items of the soak test, which are about something of their own each. */
export interface SoakPart {
	/** How many of a hundred items, about; 5 unless it says otherwise. */
	weight?: number;
	/** In which messenger the items write to somebody. */
	messenger?: Messenger;
	/** In place of the sample's values; a function yields each item's own. */
	values: Record<string, boolean | number | string | string[] | ((item: SoakItem) => number | string)>;
}

/** What the emulator has for an item of the soak test. */
export interface SoakItem {
	number: number;
	/** Of a contact, of a variable of this contact, and of a bot. */
	id: number;
	/** Of a list with the field `phone`. */
	schemaId: string;
	/** Ends in the number of the item, by which its requests are found again. One of text, name and value needs it without an ID. */
	marked: (text: string) => string;
	/** Somebody in the messenger; several items have the same. */
	recipient: { contactId: number; externalId: string; phone: string };
}
