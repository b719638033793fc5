import type { IDataObject, INodePropertyCollection } from 'n8n-workflow';

import type { Problem } from '../../client/failure/failure';
import type { WireParameter } from '../../client/http/placement';
import { parsed } from '../../shared/json';
import { isEmpty, isExpression, isObject, isRounded, singleValue } from '../../shared/values';
import { checkAs, ofModel, type TimeOf } from '../../resources/kind';
import type { Demand, Field, FieldReader } from '../../resources/operation';
import { anyRow, type FieldPlace } from '../../resources/places';
import { emptyField, lostPart, unreadableProblem, wrongChoice, wroteWord } from './valueProblems';
import { heldIn, valueAt, type Values } from './expressions';
import { codes, typedIn, type CodePart } from './template';
import { wordOfCode } from './wordsOfCode';

/* One item's values: what check.ts and an operation's own functions read, and what is wrong with it. */

/** What the items of a run have in common. */
export interface Setting {
	forModel: boolean;
	timeOf: TimeOf;
	timezone: string;
}

interface Common extends Setting {
	/** The parameters as they stand in the workflow. */
	raw: Record<string, unknown>;
	places: ReadonlyMap<Field, FieldPlace>;
}

/** A model only in what it fills in itself: it passes an empty text for what it does not want. */
type Who = 'anybody' | 'model' | 'nobody';

/**
 * Who may leave a value empty, and who may leave out a part of it: code in braces, in an expression, that gives nothing. A field with
 * `target` or `whole` loses no part anyway, and one with `narrows` is a condition if it is an expression.
 */
const demands: Record<Demand, { empty: Who; part: Who }> = {
	optional: { empty: 'anybody', part: 'anybody' },
	needed: { empty: 'nobody', part: 'anybody' },
	condition: { empty: 'model', part: 'model' },
	whole: { empty: 'nobody', part: 'nobody' },
};

/** What is said of a value that does not meet a demand, if not the usual. */
interface Said {
	/** What is wrong with an empty value. */
	ofEmpty(found: unknown): Problem[];
	/** What a value with an empty part would do. */
	harm: string;
}

export class ItemValues implements FieldReader {
	readonly problems: Problem[] = [];
	readonly emptyParts = new Set<string>();
	/** Values that were read, by path, so that nothing is said twice. */
	private readonly known = new Map<string, WireParameter['value']>();
	/** For the values of one row: its number. */
	private readonly row: number | undefined;

	constructor(
		readonly values: Values,
		private readonly common: Common,
	) {}

	rowsOf(field: Field): ItemValues[] {
		const [group] = field.options as INodePropertyCollection[];
		const stored = [this.rawAt(`${this.pathOf(field)}.${group!.name}`) ?? []].flat();
		return stored.map((_, row) => Object.create(this, { row: { value: row } }) as ItemValues);
	}

	rawOf(field: Field): unknown {
		return this.rawAt(this.pathOf(field));
	}

	labelOf(field: Field): string {
		const label = this.common.places.get(field)?.label ?? field.displayName;
		return this.row === undefined ? label : label.replace(anyRow, String(this.row + 1));
	}

	pathOf(field: Field): string {
		const path = this.common.places.get(field)?.path ?? field.name;
		return this.row === undefined ? path : path.replace(anyRow, String(this.row));
	}

	get input(): IDataObject {
		return this.values.input;
	}

	get forModel(): boolean {
		return this.common.forModel;
	}

	readDecision(field: Field): unknown {
		return this.orProblem(field, () => {
			const value = this.values.at(field.name);
			if (isChoice(field)) this.problems.push(...wrongChoice(field, value));
			return value;
		});
	}

	read(field: Field, demand: Demand = 'optional', said?: Said): WireParameter['value'] {
		const path = this.pathOf(field);
		if (this.known.has(path)) return this.known.get(path);
		if (this.isDefault(field)) return field.default as WireParameter['value'];
		const problemsBefore = this.problems.length;
		const value = this.orProblem(field, () => {
			const given = this.values.at(path);
			const parts = this.values.partsAt(path);
			for (const { code, value: part } of parts)
				if (isEmpty(part)) this.emptyParts.add(`In '${this.labelOf(field)}', \`${code}\``);
			// A number that has lost digits before it became a part of a text.
			const rounded = field.kind?.takesLists ? undefined : parts.find((part) => isRounded(part.value))?.value;
			const mayBeEmpty = this.may(demands[demand].empty, String(heldIn(this.rawAt(path))));
			if (!isEmpty(given) || mayBeEmpty) this.refuseLost(field, demand, said?.harm);
			if (typeof given === 'number' && !Number.isFinite(given)) this.refuseWords(field);
			if (this.problems.length > problemsBefore) return undefined;
			const ofEmpty = mayBeEmpty ? undefined : (said?.ofEmpty ?? (() => [this.emptyField(field)]));
			const checked = this.checkedValue(field, rounded ?? given, ofEmpty, path);
			const isStrict = demands[demand].part !== 'anybody' && typeof checked === 'string';
			if (checked !== undefined) this.refuseWords(field, isStrict, said?.harm);
			return checked;
		});
		const isWrong = this.problems.length > problemsBefore;
		// An empty value can be read again by a caller who needs it.
		if (value !== undefined || isWrong) this.known.set(path, isWrong ? undefined : value);
		return isWrong ? undefined : value;
	}

	/** Whether an expression, or code in it, may give nothing. */
	private may(who: Who, code: string): boolean {
		return who === 'anybody' || (who === 'model' && this.forModel && ofModel.test(code));
	}

	/** Refuses a value of which an expression leaves a part empty. */
	private refuseLost(field: Field, demand: Demand, harm?: string) {
		const isNamed = field.target !== undefined || field.whole !== undefined;
		const { part } = demands[demand];
		const who = part === 'anybody' && isNamed ? 'nobody' : part;
		if (who === 'anybody') return;
		const path = this.pathOf(field);
		for (const { template, parts } of this.expressionsAt(path)) {
			const empty = parts.filter(({ code, value }) => isEmpty(value) && !this.may(who, code));
			if (!empty.length || !isLostIn(filledIn(template, parts), field.whole)) continue;
			const codesOf = empty.map(({ code }) => code);
			return void this.problems.push(lostPart(this.labelOf(field), codesOf, harm));
		}
	}

	/** Refuses a value in which code has written a word for what is missing. @param isStrict even if the data contains the word */
	private refuseWords(field: Field, isStrict = false, harm?: string) {
		const label = this.labelOf(field);
		for (const { template, parts, value } of this.expressionsAt(this.pathOf(field))) {
			const found = wordOfCode(template, parts, value, isStrict ? undefined : this.values.evaluated);
			if (!found) continue;
			const problem = isStrict ? lostPart(label, [found.code], harm) : wroteWord(label, found, value);
			return void this.problems.push(problem);
		}
	}

	/** The expressions in the parameter at a path, which can be a group of others. */
	private expressionsAt(path: string) {
		return expressionsIn(heldIn(this.rawAt(path)), path).map((at) => ({
			value: this.values.at(at),
			parts: this.values.partsAt(at),
			template: String(heldIn(this.rawAt(at))).slice(1),
		}));
	}

	/** The value of a field that is sent. */
	readToSend(field: Field, isNeeded: boolean): WireParameter['value'] {
		if (field.narrows && isExpression(this.rawOf(field))) return this.read(field, 'condition');
		if (!field.compose) return this.read(field, isNeeded ? 'needed' : 'optional');
		const problemsBefore = this.problems.length;
		const value = this.orProblem(field, () => field.compose!(this));
		if (value === undefined && isNeeded && this.problems.length === problemsBefore)
			this.problems.push(this.emptyField(field));
		return value;
	}

	check(field: Field, found: unknown, demand: Demand = 'optional'): WireParameter['value'] {
		const ofEmpty = demands[demand].empty === 'anybody' ? undefined : () => [this.emptyField(field)];
		return this.orProblem(field, () => this.checkedValue(field, found, ofEmpty));
	}

	private rawAt(path: string): unknown {
		return valueAt(this.common.raw, path);
	}

	private emptyField(field: Field): Problem {
		return emptyField(this.labelOf(field), field.adviceIfEmpty);
	}

	/** Whether n8n has not stored a value because it equals the default. */
	private isDefault(field: Field): boolean {
		const isInGroup = this.common.places.get(field)?.isInGroup === true;
		return isInGroup && !isEmpty(field.default) && this.rawOf(field) === undefined;
	}

	/** @param path of the parameter with the value, if it stands in one */
	private checkedValue(
		field: Field,
		given: unknown,
		ofEmpty: Said['ofEmpty'] | undefined,
		path?: string,
	): WireParameter['value'] {
		const { kind } = field;
		const { problems, values } = this;
		const found = kind?.takesLists ? given : singleValue(given);
		const circumstances = {
			timeOf: this.common.timeOf,
			timezone: this.common.timezone,
			isPicked: path !== undefined && values.isPickedAt(path),
			...(path !== undefined && { typed: () => typedIn(heldIn(this.rawAt(path))) }),
		};
		const label = this.labelOf(field);
		const checked = isEmpty(found) ? { value: undefined } : checkAs(kind!, found, label, circumstances);
		if ('problems' in checked) problems.push(...checked.problems);
		else if (checked.value !== undefined) return checked.value;
		else problems.push(...(ofEmpty?.(found) ?? []));
		return undefined;
	}

	/** An expression can throw anything, and its value can throw when it is read. */
	private orProblem<T>(field: Field, read: () => T): T | undefined {
		try {
			return read();
		} catch (error) {
			this.problems.push(unreadableProblem(this.labelOf(field), error));
			return undefined;
		}
	}
}

const isChoice = ({ type }: Field) => ['options', 'multiOptions'].includes(type);

/** The paths of the expressions in a parameter. */
function expressionsIn(raw: unknown, path: string): string[] {
	if (isExpression(raw)) return [path];
	if (typeof raw !== 'object' || !raw) return [];
	return Object.entries(raw).flatMap(([name, each]) => expressionsIn(heldIn(each), `${path}.${name}`));
}

/** Stands in a text where a part is empty: a character that no text contains. */
const gap = '\ue000';

function filledIn(template: string, parts: CodePart[]): string {
	const rest = parts.values();
	return template.replace(codes, () => {
		const { value } = rest.next().value!;
		return isEmpty(value) ? gap : String(value);
	});
}

/** Whether a gap makes a value another one. */
function isLostIn(text: string, whole: Field['whole']): boolean {
	if (whole === 'each')
		return text.split(/[,;\n]/).some((name) => name.includes(gap) && !isEmpty(name.replaceAll(gap, '')));
	const found = whole === 'keys' ? parsed(text) : undefined;
	return whole !== 'keys' || (isObject(found) && Object.keys(found).some((key) => key.includes(gap)));
}
