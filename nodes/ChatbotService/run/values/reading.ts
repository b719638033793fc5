import type { IDataObject } from 'n8n-workflow';

import { isExpression } from '../../shared/values';
import { fragile, mark, templateOf, type Part, type Template } from './template';
import { referencesIn } from './wordsOfCode';

/*
 * Reads the values of an item's parameters as n8n would evaluate them, in a fraction of the time.
 *
 * For each expression of each item, n8n sets up everything that an expression may use: other nodes, dates, the item. With its
 * default engine this takes 1 to 2 ms, during which the process does nothing else. So this file evaluates the simple cases itself:
 *
 * - A parameter without expressions is read once for the whole run.
 * - `{{ $json.a.b }}`, which n8n writes when you drag in a field, is read from the item, also within a text.
 *
 * n8n evaluates everything else for each item: other code, values that are not a plain text, number or boolean, and names and
 * notations that have a special meaning in n8n. Of a text with code in it, n8n evaluates a copy with marks around each code, so that
 * one evaluation also shows what each part is.
 */

export interface Source {
	/** The parameters as they stand in the workflow. */
	raw: Record<string, unknown>;
	/** n8n's value of the parameter at a path for an item. @throws n8n's error about an expression */
	evaluated(path: string, item: number): unknown;
	/** n8n's value of any expression, without its equals sign; absent if it may differ from that of a parameter. @throws as above */
	evaluatedText?(template: string, item: number): unknown;
	/** The data of an item, `$json` in an expression; absent if it is not certain. */
	json?(item: number): unknown;
	/** The fields of an item that the node received. */
	input(item: number): IDataObject;
}

export interface Values {
	/** The value of the parameter at a path. @throws n8n's error about an expression */
	at(path: string): unknown;
	/** The parts in braces of the text that was read at a path; empty for another value, or if the parts are not known. */
	partsAt(path: string): Part[];
	/** The data that code reads. */
	dataOf(code: string): unknown[];
	/** Whether the user picked the value at a path from a list of the service. */
	isPickedAt(path: string): boolean;
	readonly input: IDataObject;
}

/** How to read a parameter: once for the run, by its template, or (undefined) by asking n8n for each item. */
type Recipe = 'constant' | Template | undefined;

const holdsExpression = (value: unknown): boolean =>
	isExpression(value) ||
	(typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression));

function recipeOf(raw: unknown): Recipe {
	if (!holdsExpression(raw)) return 'constant';
	if (!isExpression(raw)) return undefined;
	const template = templateOf(raw.slice(1));
	return template.pieces.every((piece) => 'text' in piece) ? 'constant' : template;
}

/** Whether every engine of n8n returns the value unchanged. */
const isPlain = (value: unknown): value is string | number | boolean =>
	typeof value === 'string' ? !fragile.test(value) : typeof value === 'boolean' || Number.isFinite(value);

/** A value that was read, with the parts of the text that it is. */
interface Found {
	value: unknown;
	parts?: Part[];
}

/** The plain value of an object's own properties; undefined for any other value. */
function plainValueAt(json: unknown, names: string[]): string | number | boolean | undefined {
	let value = json;
	for (const name of names) {
		if (typeof value !== 'object' || value === null) return undefined;
		value = Object.getOwnPropertyDescriptor(value, name)?.value as unknown;
	}
	return isPlain(value) ? value : undefined;
}

/** Reads the values of all items of a run. Keeps how to read each parameter, and the values that are the same for all items. */
export class Reader {
	private readonly recipes = new Map<string, Recipe>();
	private readonly constants = new Map<string, unknown>();

	/** @param locators paths, without row numbers, of resource locators: n8n stores them as an object that holds the value */
	constructor(
		private readonly source: Source,
		private readonly locators: ReadonlySet<string> = new Set(),
	) {}

	/** The values of an item, each read on first use. */
	valuesOf(item: number): Values {
		const known = new Map<string, Found>();
		const find = (path: string) => {
			if (!known.has(path)) known.set(path, this.read(path, item));
			return known.get(path)!;
		};
		const { source } = this;
		return {
			get input() {
				return source.input(item);
			},
			at: (path) => find(path).value,
			partsAt: (path) => known.get(path)?.parts ?? [],
			dataOf: (code) => referencesIn(code).map((reference) => this.dataAt(reference, item)),
			isPickedAt: (path) => {
				const stored = this.locatorAt(path);
				return stored?.mode === 'list' && (!isExpression(stored.value) || this.pickedAt(path) !== undefined);
			},
		};
	}

	private placeOf(path: string): string {
		return this.locatorAt(path) ? `${path}.value` : path;
	}

	/** A name that begins with an equals sign, as the user picked it from a list: n8n would evaluate it. An ID of the service does not. */
	private pickedAt(path: string): string | undefined {
		const { mode, value } = this.locatorAt(path) ?? {};
		const isName = isExpression(value) && !value.includes('{{') && !/^=[\da-f]+$/.test(value);
		return mode === 'list' && isName ? value : undefined;
	}

	/** Undefined also for a locator that a program or an earlier version has stored as a text. */
	private locatorAt(path: string) {
		const stored = this.isForLocator(path) ? valueAt(this.source.raw, path) : undefined;
		return isLocator(stored) ? stored : undefined;
	}

	private isForLocator(path: string): boolean {
		return this.locators.has(path.replace(/\.\d+(?=\.)/g, ''));
	}

	private recipeFor(at: string): Recipe {
		if (!this.recipes.has(at)) this.recipes.set(at, recipeOf(valueAt(this.source.raw, at)));
		return this.recipes.get(at);
	}

	private read(path: string, item: number): Found {
		const at = this.placeOf(path);
		const recipe = this.recipeFor(at);
		if (recipe === 'constant') {
			if (!this.constants.has(at)) this.constants.set(at, this.pickedAt(path) ?? this.evaluate(at, item));
			return { value: this.constants.get(at) };
		}
		return (recipe && this.readTemplate(recipe, item)) ?? { value: this.evaluate(at, item) };
	}

	private evaluate(at: string, item: number): unknown {
		const value = this.source.evaluated(at, item);
		return this.isForLocator(at) && isLocator(value) ? value.value : value;
	}

	private dataAt(reference: string, item: number): unknown {
		const { source } = this;
		try {
			return source.evaluatedText ? source.evaluatedText(`{{ ${reference} }}`, item) : source.input(item);
		} catch {
			return undefined;
		}
	}

	/**
	 * Returns undefined if only n8n knows the value and its parts are not known. A single path keeps the type of its value; several
	 * pieces become a text.
	 */
	private readTemplate({ pieces, isPlain, marked }: Template, item: number): Found | undefined {
		const json = this.source.json?.(item);
		const values = pieces.map((piece) =>
			'text' in piece ? piece.text : piece.names && plainValueAt(json, piece.names),
		);
		const isKnown = isPlain && !values.includes(undefined);
		if (pieces.length === 1) return isKnown ? { value: values[0] } : undefined;
		const texts = isKnown ? undefined : this.textsBetweenMarks(marked, item);
		if (!isKnown && !texts) return undefined;
		const parts: Part[] = [];
		for (const [index, piece] of pieces.entries()) {
			if ('code' in piece)
				parts.push({ code: piece.code, value: values[index] ?? texts?.[2 * parts.length + 1] });
		}
		return { value: (texts ?? values).join(''), parts };
	}

	/** Texts and parts in turn, as n8n evaluates them; undefined if n8n cannot tell. */
	private textsBetweenMarks(marked: string | undefined, item: number): string[] | undefined {
		if (marked === undefined || !this.source.evaluatedText) return undefined;
		try {
			const evaluated = this.source.evaluatedText(marked, item);
			const texts = typeof evaluated === 'string' ? evaluated.split(mark) : [];
			return texts.length === marked.split(mark).length ? texts : undefined;
		} catch {
			// n8n gives the reason again when the parameter itself is evaluated.
			return undefined;
		}
	}
}

const isLocator = (value: unknown): value is { mode: unknown; value: unknown } =>
	typeof value === 'object' && value !== null && 'mode' in value && 'value' in value;

/** Where an expression would stand. @param stored can be a resource locator */
export const heldIn = (stored: unknown): unknown => (isLocator(stored) ? stored.value : stored);

/** The value at a path such as `options.name` or `columns.value["order.id"]`, as n8n reads paths; undefined if there is none. */
export const valueAt = (values: Record<string, unknown>, at: string): unknown =>
	[...at.matchAll(step)].reduce<unknown>((value, [name, quoted]) => {
		const key = quoted === undefined ? name : (JSON.parse(quoted) as string);
		return (value as Record<string, unknown> | null)?.[key];
	}, values);

const step = /\[("(?:[^"\\]|\\.)*")\]|[^.[\]]+/g;
