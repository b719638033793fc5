import type { Problem } from '../../client/failure/failure';
import { ofModel } from '../../resources/kind';
import type { Field, OptionsOfRun, RunOption } from '../../resources/operation';
import type { ItemValues } from './itemValues';
import { fromModel, mustBeSame } from './valueProblems';

/* The options that belong to the whole run. A run keeps those of its first item, and refuses items with others. */

type Name = keyof OptionsOfRun;

export type OptionsAdded = Array<[Name, RunOption<OptionsOfRun[Name]>]>;

export class RunOptions {
	/** Those of the first item. An option that the user has added and that is missing here is wrong for the first item. */
	ofFirst: OptionsOfRun = {};
	/** Those that are wrong for an item, or not the same for all of them. */
	private readonly wrong = new Set<Name>();
	/** Those that a model would fill in. */
	private readonly ofModel: Problem[];

	/** @param added those that the user has added @param problemsOf what is wrong with an option that a model would fill in */
	constructor(
		private readonly added: OptionsAdded,
		problemsOf: (option: Field) => Problem[],
	) {
		this.ofModel = added.flatMap(([, { field }]) => problemsOf(field));
	}

	/** Reads them for the first item. */
	begin(first: ItemValues) {
		this.ofFirst = Object.fromEntries(this.added.map(([name, option]) => [name, option.read(first)]));
	}

	/** Whether the user has added an option, also if its value is wrong. */
	has(name: Name): boolean {
		return this.added.some(([each]) => each === name);
	}

	/** What is wrong with those of an item becomes a problem of the item. */
	check(item: ItemValues) {
		item.problems.push(...this.ofModel);
		for (const [name, option] of this.added) {
			const found = option.read(item);
			// Without a value of the first item there is nothing to compare with, so the others are refused too.
			const isSame = JSON.stringify(found) === JSON.stringify(this.ofFirst[name]);
			if (found !== undefined && isSame) continue;
			this.wrong.add(name);
			if (found !== undefined) item.problems.push(this.differs(name, found));
		}
	}

	/** What is wrong with an option that is not the same for all items that were checked; undefined if it is. */
	whyNotSame(name: Name): Problem | undefined {
		return this.wrong.has(name) ? this.differs(name, this.ofFirst[name]) : undefined;
	}

	private differs(name: Name, found: unknown): Problem {
		const { field, instead } = this.added.find(([each]) => each === name)![1];
		return mustBeSame(field.displayName, found, instead);
	}
}

/** What a tool gets instead of the item of an earlier node: the values that the model passes. */
const ofTool = /\$(?:json|input)(?![\w$])/;

/** A model could allow itself everything. @param raw the option as it stands in the workflow @param forModel whether the node is a tool */
export function problemsOfModel({ displayName }: Field, raw: unknown, forModel: boolean): Problem[] {
	const written = JSON.stringify(raw);
	return ofModel.test(written) || (forModel && ofTool.test(written)) ? [fromModel(displayName)] : [];
}
