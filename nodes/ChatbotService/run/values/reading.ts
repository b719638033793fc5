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
 * notations that have a special meaning in n8n.
 */

/** The source of an item's values. */
export interface Source {
	/** The parameters as they stand in the workflow. */
	raw: Record<string, unknown>;
	/** n8n's value of the parameter at a path for an item. @throws n8n's error about an expression */
	evaluated(path: string, item: number): unknown;
	/** The data of an item, `$json` in an expression; absent if it is not certain. */
	json?(item: number): unknown;
}

/** Returns an item's value of the parameter at a path. @throws n8n's error about an expression */
export type Values = (path: string) => unknown;

/** Part of a template: text, or the names of a path into the item. */
type Piece = { text: string } | { names: string[] };

/** How to read a parameter: once for the run, as joined pieces, or (undefined) by asking n8n for each item. */
type Recipe = 'constant' | Piece[] | undefined;

const isExpression = (value: unknown): value is string => typeof value === 'string' && value.startsWith('=');

const holdsExpression = (value: unknown): boolean =>
	isExpression(value) ||
	(typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression));

function recipeOf(raw: unknown): Recipe {
	if (!holdsExpression(raw)) return 'constant';
	const pieces = isExpression(raw) ? piecesOf(raw.slice(1)) : undefined;
	return pieces?.every((piece) => 'text' in piece) ? 'constant' : pieces;
}

/** Characters that one of n8n's engines changes: lone surrogates, the replacement character U+FFFD, and U+0000. */
const fragile = /[\0\ufffd\p{Surrogate}]/u;

/** Returns undefined for code other than paths, and for what n8n parses in a special way: backslashes and nested braces. */
function piecesOf(template: string): Piece[] | undefined {
	if (template.includes('\\') || fragile.test(template)) return undefined;
	const [first, ...rest] = template.split('{{');
	const pieces: Piece[] = first ? [{ text: first }] : [];
	for (const part of rest) {
		const [code, ...texts] = part.split('}}');
		const names = namesIn(code!);
		if (!names || texts.length !== 1) return undefined;
		pieces.push({ names });
		if (texts[0]) pieces.push({ text: texts[0] });
	}
	return pieces;
}

const path =
	/^\s*\$json(?:(?:\?\.|\.)[\p{ID_Start}_][\p{ID_Continue}]*|(?:\?\.)?\[(?:"[^"\n]*"|'[^'\n]*'|0|[1-9]\d{0,8})\])+\s*$/u;
const step = /(?:\?\.|\.)([\p{ID_Start}_][\p{ID_Continue}]*)|\[(?:"([^"\n]*)"|'([^'\n]*)'|(\d+))\]/gu;

/** n8n rejects some of these names anywhere in an expression and gives others a special meaning. */
const reserved = /__|constructor|prototype|mainModule|binding|_load|prepareStackTrace|toJSON/i;

/** The names in a path into the item; undefined for other code. */
function namesIn(code: string): string[] | undefined {
	if (!path.test(code) || reserved.test(code)) return undefined;
	const names = [...code.matchAll(step)].map(([, ...found]) => found.find((name) => name !== undefined)!);
	return names.some((name) => name in Object.prototype) ? undefined : names;
}

/** Whether every engine of n8n returns the value unchanged. */
const isPlain = (value: unknown): value is string | number | boolean =>
	typeof value === 'string' ? !fragile.test(value) : typeof value === 'boolean' || Number.isFinite(value);

/** The plain value of an object's own properties; undefined for any other value. */
function plainValueAt(json: unknown, names: string[]): string | number | boolean | undefined {
	let value = json;
	for (const name of names) {
		if (typeof value !== 'object' || value === null) return undefined;
		value = Object.getOwnPropertyDescriptor(value, name)?.value as unknown;
	}
	return isPlain(value) ? value : undefined;
}

export class Reader {
	private readonly recipes: ReadonlyMap<string, Recipe>;

	private readonly constants = new Map<string, unknown>();

	/**
	 * @param paths of all parameters that callers may read
	 * @param locators those of them that are resource locators: n8n stores them as an object that holds the value
	 */
	constructor(
		private readonly source: Source,
		paths: Iterable<string>,
		private readonly locators: ReadonlySet<string>,
	) {
		const places = [...paths].map((path) => this.placeOf(path));
		this.recipes = new Map(places.map((at) => [at, recipeOf(valueAt(source.raw, at))]));
	}

	/** The values of an item, each read on first use. */
	valuesOf(item: number): Values {
		const known = new Map<string, unknown>();
		return (path) => {
			if (!known.has(path)) known.set(path, this.read(this.placeOf(path), item));
			return known.get(path);
		};
	}

	private placeOf(path: string): string {
		const isStoredAsObject = this.locators.has(path) && isLocator(valueAt(this.source.raw, path));
		return isStoredAsObject ? `${path}.value` : path;
	}

	private read(at: string, item: number): unknown {
		const recipe = this.recipes.get(at);
		if (recipe === 'constant') {
			if (!this.constants.has(at)) this.constants.set(at, this.askN8n(at, item));
			return this.constants.get(at);
		}
		const value = recipe && this.putTogether(recipe, item);
		return value === undefined ? this.askN8n(at, item) : value;
	}

	private askN8n(at: string, item: number): unknown {
		const value = this.source.evaluated(at, item);
		return this.locators.has(at) && isLocator(value) ? value.value : value;
	}

	/** Returns undefined if only n8n knows the value. A single path keeps the type of its value; several pieces become a text. */
	private putTogether(pieces: Piece[], item: number): unknown {
		if (!this.source.json) return undefined;
		const json = this.source.json(item);
		const values = pieces.map((piece) => ('text' in piece ? piece.text : plainValueAt(json, piece.names)));
		if (values.includes(undefined)) return undefined;
		return values.length === 1 ? values[0] : values.join('');
	}
}

const isLocator = (value: unknown): value is { value: unknown } =>
	typeof value === 'object' && value !== null && 'mode' in value && 'value' in value;

/** The value at a path such as `options.name`; undefined if there is none. */
export function valueAt(values: Record<string, unknown>, at: string): unknown {
	return at
		.split('.')
		.reduce<unknown>(
			(value, name) =>
				typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
			values,
		);
}
