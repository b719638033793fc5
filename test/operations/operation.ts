import type { Data } from '../../sandbox/emulator';

/*
 * What the tests expect of an operation of the node: written by hand from the intended editor, never from the code of the node. Only
 * words come from there (words.ts); method, place, type and necessity of parameters come from docs/openapi.yaml (documented.ts). Every
 * suite runs for each operation. All samples can run in one emulator with its seed (sandbox/emulator/seed.yaml), in any order after the
 * reading ones. If an operation does something that no other does, it has a test of its own too.
 */

/** An operation with one variant, or with several: the usual one first. */
export type OperationFixture = OperationPart & (VariantFixture | { variants: VariantFixture[] });

export interface OperationPart {
	/** The last part of its path. */
	endpoint: string;
	/** The kind of answer: rows, one record, the created record, or nothing that the API documents. */
	answer: 'many' | 'one' | 'created' | 'done' | 'deleted';
	/** How the first of its requests is answered, if it only looks for something. */
	first?: 'many';
	/** Whether it may be repeated when its outcome is unknown, although it changes something. */
	idempotent?: true;
	/** Whether it asks a person and waits: it takes one item, adds a link to the text, and outputs its input until there is an answer. */
	question?: true;
}

export type Place = 'query' | 'body';

/** Variants differ in their fields. */
export interface VariantFixture {
	title?: string;
	fields: FieldFixture[];
	/** Parameters that no field has: how many rows of a list are requested at once. */
	adds?: Record<string, number>;
	/** Its requests, if they are others than one with the values of its fields. */
	requests?: RequestFixture[];
	/** Values of the body that its request repeats in the query. */
	repeats?: Record<string, string>;
	/** The output, if it is not only that something was done or deleted. */
	items?: object[];
	/** For operations that change something: whether the emulator shows the effect of the sample. */
	isDone?: (data: Data) => boolean;
	notice?: string;
	/** What the editor shows for each set of choices, where the fields do not determine it. */
	states?: EditorState[];
}

/** One of several requests of an item. Values are those that the emulator reads. */
interface RequestFixture {
	endpoint: string;
	query?: Record<string, string>;
	body?: object;
}

/** A parameter of the node, and a sample of its value. */
export interface FieldFixture {
	/** Its name in the node; `fieldOptions.hidden` means `hidden` in the collection `fieldOptions`. */
	name: string;
	/** The value that a user enters in the editor; undefined for an empty field. */
	value: unknown;
	/** The same value as it is sent, if it differs in more than its documented type. */
	sent?: unknown;
	/** Its API name; `field.slug` means `slug` in the object `field`. Undefined for a field that is not sent. */
	wire?: string;
	/** Whether an item without it is refused, if the document says something else. */
	required?: boolean;
	/** Whether the editor flags it when it is empty, if this differs from `required`. */
	flagged?: false;
	/** Whether other fields depend on its value. */
	decides?: true;
	/** The mode for entering it, for a field with a list. */
	mode?: 'name' | 'id' | 'slug';
	/** Whether the service looks for what it names, so that the error names it when there is no such thing. */
	isSought?: true;
}

/** The editor after some choices. */
export interface EditorState {
	choices: Record<string, boolean | string | string[]>;
	/** The parameters, in the editor's order. */
	shown: string[];
	/** Flagged when they are empty. */
	required: string[];
}
