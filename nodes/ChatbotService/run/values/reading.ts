/*
 * The values of an item's parameters, as n8n would give them, in a fraction of its time.
 *
 * n8n sets up all that an expression may use (other nodes, dates, the item) anew for each expression of each item: with its
 * default engine 1 to 2 ms, in which nothing else in the process gets on. So a parameter that holds no expression is read once
 * for the run; `{{ $json.a.b }}`, which n8n writes when a field is dragged in, is read from the item itself; and what is left
 * of an item is evaluated in one go. Wherever that might not be what n8n gives, n8n is asked: for values that are no plain text,
 * number or boolean, for names and notations with a meaning of their own, and for each expression alone as soon as one fails.
 */

/** What values are read from: n8n, of the node that is run. */
export interface Source {
	/** The parameters as they stand in the workflow. */
	raw: Record<string, unknown>;
	/** The value of the parameter at a path for an item, expressions evaluated. @throws what n8n says of an expression */
	evaluated(path: string, item: number): unknown;
	/** The data of an item, `$json` in an expression; absent where it is not known for sure. */
	json?(item: number): unknown;
	/** The value of a template for an item; absent where templates cannot be evaluated. */
	template?(template: string, item: number): unknown;
}

/** Yields an item's value of the parameter at a path. @throws Unreadable */
export type Values = (path: string) => unknown;

/** n8n could not evaluate an expression; what it says is the cause. */
export class Unreadable extends Error {
	constructor(cause: unknown) {
		// Stryker disable next-line StringLiteral: what is told of it is the cause.
		super('An expression cannot be evaluated', { cause });
	}
}

/** A piece of a template: its own text, or code between braces. */
type Piece = { text: string } | { code: string; names: string[] | undefined };

/** How a parameter's value comes about where n8n need not be asked for every item. */
type Recipe =
	| { how: 'once' }
	/** Put together from its pieces. */
	| { how: 'here'; pieces: Piece[] };

const isExpression = (value: unknown): value is string => typeof value === 'string' && value.startsWith('=');

const holdsExpression = (value: unknown): boolean =>
	isExpression(value) ||
	(typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression));

/** Undefined where n8n has to be asked for every item. */
function recipeOf(raw: unknown): Recipe | undefined {
	if (!holdsExpression(raw)) return { how: 'once' };
	const pieces = isExpression(raw) ? piecesOf(raw.slice(1)) : undefined;
	if (!pieces) return undefined;
	return pieces.every((piece) => 'text' in piece) ? { how: 'once' } : { how: 'here', pieces };
}

/** Half of an emoji, what stands for it elsewhere, and a zero that ends texts in C: one of n8n's engines hands on something else. */
const fragile = /[\0\ufffd\p{Surrogate}]/u;

/** Undefined for what n8n reads in a way of its own, such as backslashes and braces within braces. */
function piecesOf(template: string): Piece[] | undefined {
	if (template.includes('\\') || fragile.test(template)) return undefined;
	const [first, ...rest] = template.split('{{');
	const pieces: Piece[] = [{ text: first! }];
	for (const part of rest) {
		const [code, text, ...more] = part.split('}}');
		if (text === undefined || more.length || !code!.trim()) return undefined;
		pieces.push({ code: code!, names: namesIn(code!) }, { text });
	}
	return pieces.filter((piece) => !('text' in piece) || piece.text !== '');
}

const path =
	/^\s*\$json(?:(?:\?\.|\.)[\p{ID_Start}_][\p{ID_Continue}]*|(?:\?\.)?\[(?:"[^"\n]*"|'[^'\n]*'|0|[1-9]\d{0,8})\])+\s*$/u;
const step = /(?:\?\.|\.)([\p{ID_Start}_][\p{ID_Continue}]*)|\[(?:"([^"\n]*)"|'([^'\n]*)'|(\d+))\]/gu;

/** n8n refuses some of these anywhere in an expression, and gives others a meaning of their own. */
const reserved = /__|constructor|prototype|mainModule|binding|_load|prepareStackTrace|toJSON/i;

/** The names in code that is nothing but a path into the item. */
function namesIn(code: string): string[] | undefined {
	if (!path.test(code) || reserved.test(code)) return undefined;
	const names = [...code.matchAll(step)].map(([, ...found]) => found.find((name) => name !== undefined)!);
	return names.some((name) => name in Object.prototype) ? undefined : names;
}

/** What n8n hands on as it is, whichever way it evaluates. */
const isPlain = (value: unknown): value is string | number | boolean =>
	typeof value === 'string' ? !fragile.test(value) : typeof value === 'boolean' || Number.isFinite(value);

/** A plain value that an object holds itself; undefined for anything else. */
function plainValueAt(json: unknown, names: string[]): string | number | boolean | undefined {
	let value = json;
	for (const name of names) {
		if (typeof value !== 'object' || value === null) return undefined;
		value = Object.getOwnPropertyDescriptor(value, name)?.value as unknown;
	}
	return isPlain(value) ? value : undefined;
}

/** A parameter whose value is put together here. */
interface Template {
	at: string;
	pieces: Piece[];
	/** Its code that is no path into the item. */
	codes: string[];
}

/** Joined values of an item, by code; undefined when something in it failed. */
type Joined = ReadonlyMap<string, unknown> | undefined;

/** Items that may show which expressions can be evaluated together. */
const mostLessons = 20;

/** Failures after which expressions are evaluated alone for the rest of the run, if they are most of it. */
const bearableFailures = 10;

/** Reads the values of one item after the other. */
export class Reader {
	private readonly recipes = new Map<string, Recipe | undefined>();

	private readonly once = new Map<string, unknown>();

	/** Of these it is not known yet whether they can be evaluated together with others. */
	private untried: Template[] = [];

	private lessons = 0;

	/** Code that is evaluated in one go. */
	private joinable: string[] = [];

	private joinedWell = 0;

	private joinedBadly = 0;

	/**
	 * @param paths of all parameters that may be asked for
	 * @param locators those of them that are picked from a list or typed; they are stored as an object with the value in it
	 */
	constructor(
		private readonly source: Source,
		paths: Iterable<string>,
		private readonly locators: ReadonlySet<string>,
	) {
		for (const each of paths) {
			const at = this.placeOf(each);
			const recipe = recipeOf(valueAt(source.raw, at));
			this.recipes.set(at, recipe);
			if (recipe?.how !== 'here' || !source.template) continue;
			const { pieces } = recipe;
			const codes = pieces.flatMap((piece) => ('code' in piece && !piece.names ? [piece.code] : []));
			if (codes.length) this.untried.push({ at, pieces, codes });
		}
		// On its own, code takes as long as the parameter it is in.
		if (codesOf(this.untried).length < 2) this.untried = [];
	}

	/** The values of an item, each read when it is first asked for. */
	valuesOf(item: number): Values {
		const known = new Map<string, unknown>();
		let joined: { values: Joined } | undefined;
		const joinedOf = () => (joined ??= { values: this.join(item) }).values;
		return (asked) => {
			if (!known.has(asked)) known.set(asked, this.read(this.placeOf(asked), item, joinedOf));
			return known.get(asked);
		};
	}

	private placeOf(asked: string): string {
		const isStoredAsObject = this.locators.has(asked) && isLocator(valueAt(this.source.raw, asked));
		return isStoredAsObject ? `${asked}.value` : asked;
	}

	private read(at: string, item: number, joinedOf: () => Joined): unknown {
		const recipe = this.recipes.get(at);
		if (recipe?.how === 'once') {
			if (!this.once.has(at)) this.once.set(at, this.alone(at, item));
			return this.once.get(at);
		}
		const value = recipe?.how === 'here' ? this.putTogether(recipe.pieces, item, joinedOf) : undefined;
		return value === undefined ? this.alone(at, item) : value;
	}

	private alone(at: string, item: number): unknown {
		const found = attempt(() => this.source.evaluated(at, item));
		if ('error' in found) throw new Unreadable(found.error);
		const { value } = found;
		return this.locators.has(at) && isLocator(value) ? value.value : value;
	}

	/** Undefined where only n8n knows. */
	private putTogether(pieces: Piece[], item: number, joinedOf: () => Joined): unknown {
		let text = '';
		for (const piece of pieces) {
			const value = 'text' in piece ? piece.text : this.plainValueOf(piece, item, joinedOf);
			if (value === undefined || pieces.length === 1) return value;
			text += String(value);
		}
		return text;
	}

	private plainValueOf(
		{ code, names }: Extract<Piece, { code: string }>,
		item: number,
		joinedOf: () => Joined,
	): string | number | boolean | undefined {
		if (names) return this.source.json && plainValueAt(this.source.json(item), names);
		const value = joinedOf()?.get(code);
		return isPlain(value) ? value : undefined;
	}

	/** Evaluates in one go all code of the item that is no path into it. */
	private join(item: number): Joined {
		if (this.untried.length && this.lessons++ < mostLessons) this.learn(item);
		if (this.joinable.length < 2) return undefined;
		if (this.joinedBadly > bearableFailures && this.joinedBadly > this.joinedWell) return undefined;
		const values = this.together(this.joinable, item);
		if (values) this.joinedWell++;
		else this.joinedBadly++;
		return values;
	}

	/**
	 * Finds what can be evaluated together. Code that cannot be read alone could become readable beside other code, as with a
	 * bracket that is missing here and too much there. So only those take part that n8n has evaluated by themselves for an item,
	 * and that came to the same then.
	 */
	private learn(item: number) {
		const alone = new Map(this.untried.map(({ at }) => [at, this.plainAlone(at, item)]));
		const readable = this.untried.filter(({ at }) => alone.get(at) !== undefined);
		const values = this.together([...new Set([...this.joinable, ...codesOf(readable)])], item);
		if (!values) return;
		const alike = readable.filter(
			({ at, pieces }) => this.putTogether(pieces, item, () => values) === alone.get(at),
		);
		this.joinable = [...new Set([...this.joinable, ...codesOf(alike)])];
		this.untried = this.untried.filter((each) => !readable.includes(each));
	}

	private plainAlone(at: string, item: number): unknown {
		const found = attempt(() => this.alone(at, item));
		return isPlain(found.value) ? found.value : undefined;
	}

	private together(codes: string[], item: number): Joined {
		// Lines of their own, because code may end in a comment.
		const list = codes.map((code) => `(\n${code}\n)`).join(', ');
		const found = attempt(() => this.source.template!(`{{ [${list}] }}`, item));
		if (!Array.isArray(found.value) || found.value.length !== codes.length) return undefined;
		const values = found.value as unknown[];
		return new Map(codes.map((code, index) => [code, values[index]]));
	}
}

function attempt(read: () => unknown): { value: unknown } | { value?: undefined; error: unknown } {
	try {
		return { value: read() };
	} catch (error) {
		return { error };
	}
}

const codesOf = (templates: Template[]): string[] => [...new Set(templates.flatMap(({ codes }) => codes))];

const isLocator = (value: unknown): value is { value: unknown } =>
	typeof value === 'object' && value !== null && 'mode' in value && 'value' in value;

/** The value at a path such as `options.name`; undefined where there is none. */
export function valueAt(values: Record<string, unknown>, at: string): unknown {
	return at
		.split('.')
		.reduce<unknown>(
			(value, name) =>
				typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined,
			values,
		);
}
