import type { Problem } from '../../client/failure/failure';
import type { Field } from '../../resources/operation';
import type { ItemValues } from './itemValues';
import { asTarget } from './target';
import { notAllowed } from './valueProblems';

/** 'Allowed Recipients', with the people of the list that was read last, because most items have the same. */
export class AllowedRecipients {
	private given: string | undefined;
	private people: ReadonlySet<string> = new Set();
	/** Entries that name nobody of the kind that the run writes to. */
	private unreadable: string[] = [];

	/** @param ofModel what is wrong with it if a model would fill it in */
	constructor(
		private readonly option: Field,
		private readonly ofModel: Problem[],
	) {}

	/** A recipient who is not among them is a problem. @param recipient the field that names the recipient @param value as it is sent */
	check(item: ItemValues, recipient: Field, value: unknown) {
		const { problems } = item;
		const problemsBefore = problems.length;
		const { option } = this;
		problems.push(...this.ofModel);
		const list = (item.read(option) ?? []) as string[];
		if (problems.length > problemsBefore) return;
		const given = list.join('\n');
		if (given !== this.given) {
			const read = list.map((entry) => ({ entry, people: spellingOf(recipient, entry) }));
			this.people = new Set(read.flatMap(({ people }) => people));
			this.unreadable = read.filter(({ people }) => !people.length).map(({ entry }) => entry);
			this.given = given;
		}
		if (!this.people.has(asTarget(recipient, String(value))))
			problems.push(notAllowed(option.displayName, recipient.displayName, value, this.unreadable));
	}
}

/** An entry as the recipient would be sent; none if it names a recipient of another kind. */
function spellingOf(recipient: Field, entry: string): string[] {
	const checked = recipient.kind!(entry, recipient.displayName);
	return 'value' in checked && checked.value !== undefined
		? [asTarget(recipient, String(checked.value))]
		: [];
}
