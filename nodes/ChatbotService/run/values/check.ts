import { NodeHelpers, type INodeParameters, type INodePropertyOptions } from 'n8n-workflow';

import type { Labels } from '../../client/answer';
import { digestOf } from '../../client/digest';
import type { Expected } from '../../client/advice';
import type { Problem } from '../../client/failure';
import { quote } from '../../client/quote';
import type { Limits } from '../../client/pace/limits';
import type { WireParameter } from '../../client/placement';
import { isEmpty } from '../../client/values';
import { limit, returnAll } from '../../resources/fields';
import { isReading, expectedBy, type Field, type Operation } from '../../resources/operation';
import { valueAt, type Values } from './reading';
import { namedBy, namesTarget } from './recipient';

/*
 * An item's values against the interface: what applies, has its type and is complete. The display options show the same rules
 * before running; here they are applied to what the expressions really yielded.
 */

/** An item's values as they may be sent. */
export interface CheckedValues {
	parameters: WireParameter[];
	/** How many results the user wants at most; undefined for all of them. */
	limit: number | undefined;
	labels: Labels;
	/** The limits of the service that the request counts towards, beside the account's. */
	limits: Limits;
	/** Requests with the same target change the same thing, and so keep the order of their items. */
	target: string | undefined;
	/** What a request that must not be repeated is known by when its execution is retried: see `identityOf`. */
	identity: string;
	/** Stands for the target under the item's value of 'Send Once Per'; undefined where the item has none. */
	dedupKey: string | undefined;
}

/** A field that travels. */
interface WireField {
	field: Field;
	name: string;
	path: string;
	applies: Condition;
}

/** Whether a field applies, by the values of the parameters that it depends on. */
type Condition = (values: Values) => boolean;

/** Whether a field offers options and takes no expression: it decides what travels. */
const isChoice = ({ type, kind }: Field) => ['options', 'multiOptions'].includes(type) && !kind;

/** A field that does not travel, and whose value the request depends on all the same. */
interface Control {
	field: Field;
	applies: Condition;
}

/** Fields that go together for an item, with what is the same for all such items. */
interface Applicable {
	wireFields: WireField[];
	controls: Field[];
	labels: Labels;
}

/** The check of an operation; what is the same for all its items is put together once. */
export class Check {
	/** Paths of all parameters that it may ask for. */
	readonly paths: string[];

	/** Those of them that are picked from a list or typed. */
	readonly locators: ReadonlySet<string>;

	private readonly wireFields: WireField[];

	private readonly controls: Control[];

	/** Parameters on which it depends what applies. */
	private readonly deciding: Field[];

	private latest: { decided: unknown[]; applicable: Applicable } | undefined;

	/** The parameter of 'Send Once Per', if the user has added it. */
	readonly sendOncePer: Operation['sendOncePer'];

	/** @param raw the parameters as they stand in the workflow */
	constructor(
		private readonly operation: Operation,
		raw: Record<string, unknown>,
	) {
		const { fields, sendOncePer } = operation;
		// An option that is absent reads like an expression that yields nothing.
		this.sendOncePer = sendOncePer && valueAt(raw, sendOncePer.path) !== undefined ? sendOncePer : undefined;
		this.wireFields = wireFieldsIn(fields);
		const deciders = new Set(fields.flatMap(decidersOf));
		this.deciding = fields.filter(({ name }) => deciders.has(name));
		this.controls = fields
			.filter((field) => field.kind && !field.routing && field !== limit && field !== returnAll)
			.map((field) => ({ field, applies: conditionOf(field) }));
		this.paths = [
			...new Set([
				...this.wireFields.map(({ path }) => path),
				...fields.filter(({ type }) => type !== 'notice' && type !== 'collection').map(({ name }) => name),
				...(this.sendOncePer ? [this.sendOncePer.path] : []),
			]),
		];
		this.locators = new Set(fields.filter(({ type }) => type === 'resourceLocator').map(({ name }) => name));
	}

	/** The item's values as they may be sent, or what is wrong with them. */
	of(values: Values): CheckedValues | { problems: Problem[] } {
		const { operation } = this;
		const problems: Problem[] = [];
		const decided = this.deciding.map((field) =>
			this.attempt(problems, field.displayName, () => {
				const value = values(field.name);
				if (isChoice(field)) problems.push(...wrongChoice(field, value));
				return value;
			}),
		);
		// As long as these are wrong, nobody knows what else the item needs.
		if (problems.length) return { problems };
		const found = this.applicableTo(values, decided);

		const parameters: WireParameter[] = [];
		const alternatives = operation.atLeastOneOf ?? [];
		for (const { field, name, path } of found.wireFields) {
			const isNeeded = field.required === true && !alternatives.includes(name);
			const value = this.read(problems, field, () => values(path), isNeeded);
			if (value !== undefined) parameters.push({ name, place: operation.place, value });
		}
		const controls = new Map<string, unknown>();
		for (const field of found.controls) {
			controls.set(
				field.name,
				this.read(problems, field, () => values(field.name)),
			);
		}
		const limit = this.limitIn(values, problems);
		const onceValue = this.onceIn(values, problems);
		const misses = (names: string[]) =>
			names.length > 0 && !parameters.some((parameter) => names.includes(parameter.name));
		if (!problems.length && misses(alternatives)) problems.push(this.nothingToSend(alternatives));
		if (problems.length) return { problems };
		const byName = new Map(parameters.map(({ name, value }) => [name, value]));
		const ofTarget = found.wireFields.filter(({ field }) => namesTarget(field));
		const target = isReading(operation) ? undefined : namedBy(ofTarget, byName);
		return {
			parameters,
			limit,
			labels: this.labelsFor(found, byName),
			limits: operation.limits?.(byName, (parameter) => controls.get(parameter)) ?? noLimits,
			target,
			identity: this.identityIn(found, byName),
			dedupKey: onceValue === undefined ? undefined : digestOf([onceValue, target]),
		};
	}

	/**
	 * What an item's request changes, whatever else it says: the recipient of a message, not its text. A deletion is told by
	 * everything that it names. Asked before anything else of the item is read, so that an item which is done needs nothing else.
	 *
	 * @returns undefined where this cannot be read
	 */
	identityOf(values: Values): string | undefined {
		try {
			const found = this.applicableTo(
				values,
				this.deciding.map(({ name }) => values(name)),
			);
			const byName = new Map<string, unknown>();
			for (const { field, name, path } of found.wireFields) {
				if (!this.tellsApart(field) || isEmpty(values(path))) continue;
				const checked = field.kind!(values(path), field.displayName);
				if (!('value' in checked)) return undefined;
				byName.set(name, checked.value);
			}
			return this.identityIn(found, byName);
		} catch {
			return undefined;
		}
	}

	private identityIn({ wireFields }: Applicable, values: ReadonlyMap<string, unknown>): string {
		const fields = wireFields.filter(({ field }) => this.tellsApart(field));
		return namedBy(fields, values) ?? '';
	}

	private tellsApart(field: Field): boolean {
		return namesTarget(field) || (this.operation.answer === 'deleted' && field.names !== undefined);
	}

	/** Everything that an expression or its value may do to whoever reads it ends as a problem of its field. */
	private attempt<T>(problems: Problem[], label: string, read: () => T): T | undefined {
		try {
			return read();
		} catch (error) {
			problems.push(unreadableProblem(label, error));
			return undefined;
		}
	}

	/** The value of a field as its kind reads it; undefined where it is empty, or wrong, which is noted as a problem. */
	private read(
		problems: Problem[],
		field: Field,
		valueOf: () => unknown,
		isNeeded = false,
	): WireParameter['value'] {
		const label = field.displayName;
		return this.attempt(problems, label, () => {
			const value = valueOf();
			if (isEmpty(value)) {
				if (isNeeded) problems.push(emptyField(label));
				return undefined;
			}
			const checked = field.kind!(value, label);
			if ('value' in checked) return checked.value;
			problems.push(...checked.problems);
			return undefined;
		});
	}

	private applicableTo(values: Values, decided: unknown[]): Applicable {
		// Mostly the same for all items: then n8n's rules for display are asked once.
		if (!this.latest?.decided.every((value, index) => Object.is(value, decided[index]))) {
			const wireFields = this.wireFields.filter(({ applies }) => applies(values));
			const controls = this.controls.filter(({ applies }) => applies(values)).map(({ field }) => field);
			this.latest = {
				decided,
				applicable: { wireFields, controls, labels: labelsOf(wireFields, this.operation) },
			};
		}
		return this.latest.applicable;
	}

	/** What was left empty cannot be what the service has not found. */
	private labelsFor({ wireFields, labels }: Applicable, values: ReadonlyMap<string, unknown>): Labels {
		const sent = wireFields.filter(({ name }) => values.has(name));
		return sent.length === wireFields.length
			? labels
			: { ...labels, expected: expectedIn(sent, this.operation) };
	}

	private nothingToSend(names: string[]): Problem {
		const labels = this.wireFields
			.filter(({ name }) => names.includes(name))
			.map(({ field }) => `'${field.displayName}'`);
		return {
			message: `There is nothing to send: ${labels.join(', ')} are all empty`,
			advice: 'Enter at least one of them for this item.',
		};
	}

	/** The item's value of 'Send Once Per', if it has one. An empty text is one that the user means to have none. */
	private onceIn(values: Values, problems: Problem[]): string | undefined {
		if (!this.sendOncePer) return undefined;
		const { path, field } = this.sendOncePer;
		const value = this.read(problems, field, () => {
			const found = values(path);
			if (found === undefined || found === null) problems.push(unprotected(field.displayName));
			return found;
		});
		return value as string | undefined;
	}

	/** 'Return All' and 'Limit' do not travel: they say when to stop asking for pages. */
	private limitIn(values: Values, problems: Problem[]): number | undefined {
		if (!this.operation.fields.includes(limit)) return undefined;
		const all = this.read(problems, returnAll, () => values(returnAll.name));
		if (all === true) return undefined;
		return this.read(problems, limit, () => values(limit.name), true) as number | undefined;
	}
}

const noLimits: Limits = {};

/** The fields that travel, those inside collections included. */
function wireFieldsIn(fields: Field[], parent?: Field): WireField[] {
	return fields.flatMap((field) => {
		if (field.type === 'collection') return wireFieldsIn((field.options ?? []) as Field[], field);
		if (!field.routing) return [];
		const name = field.routing.send.property;
		const path = parent ? `${parent.name}.${field.name}` : field.name;
		return { field, name, path, applies: conditionOf(field) };
	});
}

const labelsOf = (wireFields: WireField[], operation: Operation): Labels => ({
	all: new Map(wireFields.map(({ name, field }) => [name, field.displayName])),
	expected: expectedIn(wireFields, operation),
});

const expectedIn = (wireFields: WireField[], { creates }: Operation): Expected[] =>
	wireFields.flatMap(({ field }) => (field === creates ? [] : expectedBy(field)));

/** The parameters that a field's display depends on; they are always of the same operation. */
const decidersOf = ({ displayOptions }: Field): string[] => Object.keys(displayOptions?.show ?? {});

/** n8n's own reading of display options. */
function conditionOf(field: Field): Condition {
	const deciders = decidersOf(field);
	return (values) => {
		const decided = Object.fromEntries(deciders.map((name) => [name, values(name)])) as INodeParameters;
		return NodeHelpers.displayParameter(decided, field, null, null);
	};
}

const emptyField = (label: string): Problem => ({
	message: `'${label}' is empty`,
	advice: `Enter a value for '${label}'. If the field contains an expression, check its result for this item.`,
});

/** The item would be sent without the protection that the user asked for. */
const unprotected = (label: string): Problem => ({
	message: `'${label}' has no value`,
	advice: `The expression of '${label}' returns nothing for this item, so the node would send the message without protection. Correct the expression. If you want no protection for this item, let the expression return an empty text.`,
});

/** 'Send Once Per' is set where n8n has no store for it; `words` are what n8n says of that. */
export const withoutStore = (label: string, words: string): Problem => ({
	message: `'${label}' is not available here: n8n cannot store who received a message`,
	advice: `Save the workflow and run it again: n8n stores this only for saved workflows. If an AI agent calls the node, use a newer version of the agent. To send without protection, leave '${label}' empty.${words ? ` n8n says: ${quote(words)}.` : ''}`,
});

/** What n8n says of an expression, or what came of looking at its value. */
export function unreadableProblem(label: string, error: unknown): Problem {
	const words = wordsOf(error);
	return {
		message: `'${label}' cannot be evaluated`,
		advice: `Correct the expression of '${label}'.${words ? ` n8n says: ${quote(words)}.` : ''}`,
	};
}

/** An expression can throw anything, also what throws at whoever looks at it. */
export function wordsOf(error: unknown): string {
	try {
		const { message, description } = error as Error & {
			description?: unknown;
		};
		const words = [message, description].filter((text) => typeof text === 'string');
		return [...new Set(words)].join(' ').trim();
	} catch {
		return '';
	}
}

/** What decides must hold one of its options, or several where it takes them. */
function wrongChoice(field: Field, found: unknown): Problem[] {
	const options = (field.options as INodePropertyOptions[]).map(({ value }) => value as unknown);
	const chosen = field.type === 'multiOptions' ? [found].flat() : [found];
	if (!chosen.length) return [emptyField(field.displayName)];
	if (chosen.every((each) => options.includes(each))) return [];
	return [
		{
			message: `'${field.displayName}' must be one of ${options.join(', ')}`,
			advice: `Choose one of them for '${field.displayName}', or let its expression return one. Received: ${quote(found)}.`,
		},
	];
}
