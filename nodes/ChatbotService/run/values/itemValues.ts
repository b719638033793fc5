import type { Problem } from '../../client/failure';
import type { WireParameter } from '../../client/placement';
import { isEmpty, isRounded } from '../../client/values';
import type { Field, FieldReader } from '../../resources/operation';
import { emptyField, looksAlike, unreadableProblem, wrongChoice } from './problems';
import { valueAt, type Values } from './reading';

/** Reads the values of an item and collects what is wrong with them. */
export class ItemValues implements FieldReader {
	readonly problems: Problem[] = [];

	/** @param raw the parameters as they stand in the workflow */
	constructor(
		readonly values: Values,
		private readonly raw: Record<string, unknown>,
	) {}

	/** The parameter at a path as it stands in the workflow. */
	rawAt(path: string): unknown {
		return valueAt(this.raw, path);
	}

	isAdded(path: string): boolean {
		return this.rawAt(path) !== undefined;
	}

	/** The value of a field that decides which fields apply. */
	readDecision(field: Field): unknown {
		return this.attempt(field, () => {
			const value = this.values.at(field.name);
			if (isChoice(field)) this.problems.push(...wrongChoice(field, value));
			return value;
		});
	}

	/** The value of a field that must not be empty. */
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
		return this.attempt(field, () => {
			const given = this.values.at(path);
			const found = takesLists(field) ? given : (this.roundedPartAt(path) ?? alone(given));
			const checked = isEmpty(found)
				? { problems: whenEmpty(found).map((problem) => this.withLookAlike(problem, path)) }
				: field.kind!(found, field.displayName, this.values.isPickedAt(path));
			if ('value' in checked) return checked.value;
			this.problems.push(...checked.problems);
			return undefined;
		});
	}

	/** A number that has lost digits before it became a part of a text. */
	private roundedPartAt(path: string): unknown {
		return this.values.partsAt(path).find(({ value }) => isRounded(value))?.value;
	}

	/** Names the field of the item that was probably meant, if there is one. */
	withLookAlike(problem: Problem, path: string): Problem {
		const name = this.values.lookAlikeAt(path);
		return name === undefined ? problem : looksAlike(problem, name);
	}

	/** An expression can throw anything, and its value can throw when it is read. */
	private attempt<T>({ displayName }: Field, read: () => T): T | undefined {
		try {
			return read();
		} catch (error) {
			this.problems.push(unreadableProblem(displayName, error));
			return undefined;
		}
	}
}

const isChoice = ({ type }: Field) => ['options', 'multiOptions'].includes(type);

/** Fields of a list, and any JSON. */
const takesLists = ({ type }: Field) => ['fixedCollection', 'json'].includes(type);

/** A list that contains only one simple value means this value, and an empty list means nothing. */
function alone(value: unknown): unknown {
	if (!Array.isArray(value) || value.length > 1) return value;
	const [only] = value as unknown[];
	return typeof only === 'object' && only !== null ? value : only;
}
