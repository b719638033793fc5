import type { Problem } from '../../client/failure/failure';
import type { Field, PlacedField } from '../../resources/operation';
import type { ItemValues } from './itemValues';
import { notAllowed } from './valueProblems';
import { problemsOfModel } from './runOptions';
import { spelling } from './target';

/** 'Allowed Recipients', with the people of the list that was read last, because most items have the same. */
export class AllowedRecipients {
	private given: unknown;
	private people: ReadonlySet<string> = new Set();
	/** Entries that name nobody of the kind that the run writes to. */
	private unreadable: string[] = [];
	private readonly ofModel: Problem[];

	/** Parameters: `RunOptions`. */
	constructor(
		private readonly option: PlacedField,
		raw: Record<string, unknown>,
		forModel: boolean,
	) {
		this.ofModel = problemsOfModel(option, raw, forModel);
	}

	/** A recipient who is not among them is a problem. @param recipient the field that names the recipient @param value as it is sent */
	check(item: ItemValues, recipient: Field, value: unknown) {
		const { problems } = item;
		const problemsBefore = problems.length;
		const { field, path } = this.option;
		problems.push(...this.ofModel);
		const given = valueIn(item, path);
		if (given === undefined || given !== this.given) {
			const list = item.read(field, path) as string[] | undefined;
			const read = (list ?? []).map((entry) => ({ entry, people: spellingOf(recipient, entry) }));
			this.people = new Set(read.flatMap(({ people }) => people));
			this.unreadable = read.filter(({ people }) => !people.length).map(({ entry }) => entry);
		}
		const isWrong = problems.length > problemsBefore;
		this.given = isWrong ? undefined : given;
		if (!isWrong && !this.people.has(spelling(recipient, String(value))))
			problems.push(notAllowed(field.displayName, recipient.displayName, value, this.unreadable));
	}
}

/** Undefined if it cannot be evaluated. Then reading it as a field says why. */
function valueIn({ values }: ItemValues, path: string): unknown {
	try {
		return values.at(path);
	} catch {
		return undefined;
	}
}

/** An entry as the recipient would be sent; none if it names a recipient of another kind. */
function spellingOf(recipient: Field, entry: string): string[] {
	const checked = recipient.kind!(entry, recipient.displayName);
	return 'value' in checked && checked.value !== undefined
		? [spelling(recipient, String(checked.value))]
		: [];
}
