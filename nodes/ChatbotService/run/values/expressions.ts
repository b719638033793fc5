import type { IDataObject } from 'n8n-workflow';

import { isExpression } from '../../shared/values';
import { readInParts, readPlainly, type CodePart } from './template';

/*
 * Reads the values of an item's parameters. n8n evaluates every expression, except for the plain names of fields. What contains none is
 * read once for the whole run.
 */

export interface Source {
	/** The parameters as they stand in the workflow. */
	raw: Record<string, unknown>;
	/** n8n's value of the parameter at a path for an item. @throws n8n's error about an expression */
	parameter(path: string, item: number): unknown;
	/** n8n's value of any expression, without its equals sign. @throws as above */
	evaluated(template: string, item: number): unknown;
	/** The fields of an item that the node received. */
	input(item: number): IDataObject;
	/** What `$json` is for an item; undefined if only n8n knows it. */
	json?(item: number): IDataObject;
}

export interface Values {
	/** The value of the parameter at a path. @throws n8n's error about an expression */
	at(path: string): unknown;
	/** The parts in braces of the text that was read at a path; empty for another value, or if the parts are not known. */
	partsAt(path: string): CodePart[];
	/** n8n's value of any expression, without its equals sign. @throws as above */
	evaluated(template: string): unknown;
	/** Whether the user picked the value at a path from a list of the service. */
	isPickedAt(path: string): boolean;
	readonly input: IDataObject;
}

const holdsExpression = (value: unknown): boolean =>
	isExpression(value) ||
	(typeof value === 'object' && value !== null && Object.values(value).some(holdsExpression));

/** A value that was read, with the parts of the text that it is. */
interface Found {
	value: unknown;
	parts?: CodePart[];
}

/** Reads the values of all items of a run. Keeps those that are the same for all items. */
export class Expressions {
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
			evaluated: (template) => source.evaluated(template, item),
			isPickedAt: (path) => this.pickedAt(path) !== undefined,
		};
	}

	/**
	 * What the user picked from a list; undefined for another value. A name can begin with an equals sign, and n8n would evaluate it. An ID
	 * of the service does not.
	 */
	private pickedAt(path: string): unknown {
		const { mode, value } = this.locatorAt(path) ?? {};
		const isCode = isExpression(value) && (value.includes('{{') || /^=[\da-f]+$/.test(value));
		return mode === 'list' && !isCode ? value : undefined;
	}

	/** Undefined also for a locator that a program or an earlier version has stored as a text. */
	private locatorAt(path: string) {
		const stored = this.isForLocator(path) ? valueAt(this.source.raw, path) : undefined;
		return isLocator(stored) ? stored : undefined;
	}

	private isForLocator(path: string): boolean {
		return this.locators.has(path.replace(/\.\d+(?=\.)/g, ''));
	}

	private read(path: string, item: number): Found {
		if (this.constants.has(path)) return { value: this.constants.get(path) };
		const at = this.locatorAt(path) ? `${path}.value` : path;
		const { source } = this;
		const raw = valueAt(source.raw, at);
		const json = source.json?.(item);
		const known = (template: string) => (json ? readPlainly(json, template) : undefined);
		const template = isExpression(raw) ? raw.slice(1) : undefined;
		const inParts = template && readInParts(template, (each) => known(each) ?? source.evaluated(each, item));
		if (inParts) return inParts;
		const value = this.pickedAt(path) ?? (template ? known(template) : undefined) ?? this.evaluate(at, item);
		if (!holdsExpression(raw)) this.constants.set(path, value);
		return { value };
	}

	private evaluate(at: string, item: number): unknown {
		const value = this.source.parameter(at, item);
		return this.isForLocator(at) ? heldIn(value) : value;
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
