import type { IDataObject } from 'n8n-workflow';

import type { Problem } from '../../client/failure/failure';
import type { WireParameter } from '../../client/http/placement';
import { isEmpty, isExpression, isRounded, singleValue } from '../../shared/values';
import { checkAs, ofModel, type TimeOf } from '../../resources/kind';
import type { Field, FieldReader } from '../../resources/operation';
import { emptyField, looksAlike, lostPart, lostWord, unreadableProblem, wrongChoice } from './problems';
import { heldIn, valueAt, type Part, type Values } from './reading';
import { typedIn } from './template';

/* One item's values: what check.ts and an operation's own functions read, and what is wrong with it. */

/** What the items of a run have in common. */
export interface Setting {
	forModel: boolean;
	timeOf: TimeOf;
	timezone: string;
}

/** What JavaScript writes in a text for nothing. */
const lost = /undefined|NaN$|(?<![\w\u00c0-\u1fff])(?:null|NaN)(?![\w\u00c0-\u1fff])/;

export class ItemValues implements FieldReader {
	readonly problems: Problem[] = [];
	readonly emptyParts = new Set<string>();
	/** Values that were read, by path, so that nothing is said twice. */
	private readonly known = new Map<string, WireParameter['value']>();

	/** @param raw the parameters as they stand in the workflow */
	constructor(
		readonly values: Values,
		private readonly raw: Record<string, unknown>,
		private readonly setting: Setting,
	) {}

	rawAt(path: string): unknown {
		return valueAt(this.raw, path);
	}

	get input(): IDataObject {
		return this.values.input;
	}

	get forModel(): boolean {
		return this.setting.forModel;
	}

	readDecision(field: Field): unknown {
		return this.orProblem(field, () => {
			const value = this.values.at(field.name);
			if (isChoice(field)) this.problems.push(...wrongChoice(field, value));
			return value;
		});
	}

	readNeeded(field: Field, path = field.name): WireParameter['value'] {
		return this.read(field, path, () => [emptyField(field.displayName, field.whenEmpty)]);
	}

	/**
	 * The value of a field as its kind reads it; undefined if it is empty or wrong.
	 *
	 * @param whenEmpty says what is wrong with an empty value
	 */
	read(
		field: Field,
		path = field.name,
		whenEmpty: (found: unknown) => Problem[] = () => [],
	): WireParameter['value'] {
		if (this.known.has(path)) return this.known.get(path);
		const problemsBefore = this.problems.length;
		const value = this.orProblem(field, () => {
			const given = this.values.at(path);
			const parts = this.values.partsAt(path);
			for (const { code, value: part } of parts)
				if (isEmpty(part)) this.emptyParts.add(`In '${field.displayName}', \`${code}\``);
			// A number that has lost digits before it became a part of a text.
			const rounded = field.kind?.takesLists ? undefined : parts.find((part) => isRounded(part.value))?.value;
			return this.checkedValue(field, rounded ?? given, whenEmpty, path);
		});
		// An empty value can be read again by a caller who needs it.
		if (value !== undefined || this.problems.length > problemsBefore) this.known.set(path, value);
		return value;
	}

	readCondition(field: Field, path = field.name): WireParameter['value'] {
		if (this.known.has(path)) return this.known.get(path);
		const mayBeEmpty = this.setting.forModel && ofModel.test(String(heldIn(this.rawAt(path))));
		const value = mayBeEmpty ? this.read(field, path) : this.readNeeded(field, path);
		if (value === undefined && !mayBeEmpty) return undefined;
		const isLost = this.refuseLost(field, path, { value, harm: 'other records could match than you mean' });
		if (isLost) this.known.set(path, undefined);
		return isLost ? undefined : value;
	}

	readWhole(field: Field, path = field.name): WireParameter['value'] {
		return this.readCondition(field, path) ?? this.readNeeded(field, path);
	}

	/** Refuses a value, as it was read, if an expression has lost a part of it. @returns whether it has */
	refuseLost(
		{ displayName: label }: Field,
		path: string,
		{ value: read, harm }: { value: unknown; harm?: string },
	): boolean {
		const template = heldIn(this.rawAt(path));
		if (!isExpression(template)) return false;
		const parts = this.values.partsAt(path);
		const isMissing = ({ code, value }: Part) =>
			isEmpty(value) && !(this.setting.forModel && ofModel.test(code));
		const empty = parts.filter(isMissing).map(({ code }) => code);
		if (empty.length) {
			this.problems.push(this.withLookAlike(lostPart(label, empty, harm), path));
			return true;
		}
		if (typeof read !== 'string' || !lost.test(read)) return false;
		const part = parts.find(({ value }) => lost.test(String(value)));
		this.problems.push(lostWord(label, part?.code ?? template.slice(1), read, harm));
		return true;
	}

	readAs(field: Field, path: string, isNeeded: boolean): WireParameter['value'] {
		const isCondition = !field.required && field.whenEmpty !== undefined;
		if (isCondition && isExpression(this.rawAt(path))) return this.readCondition(field, path);
		if (!field.compose) return isNeeded ? this.readNeeded(field, path) : this.read(field, path);
		const problemsBefore = this.problems.length;
		const value = this.orProblem(field, () => field.compose!(this));
		if (value === undefined && isNeeded && this.problems.length === problemsBefore)
			this.problems.push(emptyField(field.displayName, field.whenEmpty));
		return value;
	}

	check(field: Field, found: unknown, isNeeded: boolean): WireParameter['value'] {
		const whenEmpty = () => (isNeeded ? [emptyField(field.displayName, field.whenEmpty)] : []);
		return this.orProblem(field, () => this.checkedValue(field, found, whenEmpty));
	}

	/** @param path of the parameter with the value, if it stands in one */
	private checkedValue(
		{ kind, displayName }: Field,
		given: unknown,
		whenEmpty: (found: unknown) => Problem[],
		path?: string,
	): WireParameter['value'] {
		const { problems, values, setting } = this;
		const found = kind?.takesLists ? given : singleValue(given);
		const { timeOf, timezone } = setting;
		const circumstances = {
			...{ timeOf, timezone },
			isPicked: path !== undefined && values.isPickedAt(path),
			...(path !== undefined && { typed: () => typedIn(heldIn(this.rawAt(path))) }),
		};
		const checked = isEmpty(found) ? { value: undefined } : checkAs(kind!, found, displayName, circumstances);
		if ('problems' in checked) problems.push(...checked.problems);
		else if (checked.value !== undefined) return checked.value;
		else problems.push(...whenEmpty(found).map((each) => this.withLookAlike(each, path)));
		return undefined;
	}

	/** Names the field of the item that was probably meant, if there is one. */
	withLookAlike(problem: Problem, path: string | undefined): Problem {
		const name = path === undefined ? undefined : this.values.lookAlikeAt(path);
		return name === undefined ? problem : looksAlike(problem, name);
	}

	/** An expression can throw anything, and its value can throw when it is read. */
	private orProblem<T>({ displayName }: Pick<Field, 'displayName'>, read: () => T): T | undefined {
		try {
			return read();
		} catch (error) {
			this.problems.push(unreadableProblem(displayName, error));
			return undefined;
		}
	}
}

const isChoice = ({ type }: Field) => ['options', 'multiOptions'].includes(type);
