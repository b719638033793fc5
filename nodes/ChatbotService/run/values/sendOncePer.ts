import type { Problem } from '../../client/failure/failure';
import type { WireParameter } from '../../client/http/placement';
import { cleaned, digestOf, isExpression, spelling } from '../../shared/values';
import { notEvaluatedIn } from '../../resources/kind';
import type { Field } from '../../resources/operation';
import type { ItemValues } from './itemValues';
import { neverRepeated, unprotected } from './valueProblems';

/*
 * The value of 'Send Once Per'. A value that lacks the part in which items differ is worse than none: the first message of a person
 * is sent, and all later ones are skipped as if they had been sent.
 */

/** What a value with an empty part does. */
const sameForOthers = 'other items could have the same value, and their recipients would get no message';

/** An item's value; undefined without protection. An empty text means no protection. An expression without a value is a mistake. */
export function readSendOncePer(item: ItemValues, field: Field): WireParameter['value'] {
	const label = field.displayName;
	const ofEmpty = (found: unknown) => (typeof found === 'string' ? [] : [unprotected(label)]);
	const value = item.read(field, 'whole', { ofEmpty, harm: sameForOthers });
	// Whatever stands in the braces, it was to be replaced.
	if (String(value ?? '').includes('{{')) item.problems.push(...notEvaluatedIn(label, value).problems);
	return value;
}

/**
 * Identifies a recipient under a value in all the spellings that people take for the same: with other blanks, dashes, quotation marks
 * or capital letters.
 */
export const recipientKey = (value: string, target: string | undefined): string =>
	digestOf([cleaned(spelling(value)) || value, target]);

/** What is wrong with the option for all items of a run: its value is new in every run, and so protects nobody. */
export function neverRepeatedIn(first: ItemValues, field: Field): Problem[] {
	const written = first.rawOf(field);
	return isExpression(written) && isNewInEachRun(written.slice(1), first.values.evaluated, first.forModel)
		? [neverRepeated(field.displayName, written)]
		: [];
}

/** What is new in every run: the time, a random number, or the execution. */
const news =
	/\$now\b|\bDateTime\s*\.\s*(?:now|local|utc)\(\s*\)|\bDate\.now\(\s*\)|\bnew\s+Date\b(?:\(\s*\)|(?!\s*\())|\bDate\(\s*\)|\bMath\.random\(|\brandomUUID\(|\$execution(?:\??\.(?:id|resume\w*)\b|(?:\?\.)?\[[^\]]*\])/g;

/** An expression with the value that it would have in a run at another time. */
function inOtherRun(template: string, seconds: number, isTool: boolean): string {
	return template.replace(news, (found) => {
		if (/^\$now|^DateTime/.test(found)) return `${found}.plus({ seconds: ${seconds} })`;
		// For a tool, an execution is a conversation.
		if (found.startsWith('$')) return isTool ? found : `(${found} + ' ${seconds}')`;
		const time = `(Date.now() + ${seconds * 1000})`;
		if (found.startsWith('new')) return `new Date${time}`;
		return found.replace(/^Date\(.*/, `String(new Date${time})`).replace(/^Date\..*/, time);
	});
}

/** A period, such as the hour, changes between two runs if it ends just then, but not before and after. */
const secondsApart = [0, 63, -67];

/** Whether an expression has another value in a run that starts a minute later. @param evaluate by n8n */
export function isNewInEachRun(
	template: string,
	evaluate: (template: string) => unknown,
	isTool = false,
): boolean {
	if (template.search(news) < 0) return false;
	try {
		const [now, ...others] = secondsApart.map((seconds) =>
			JSON.stringify(evaluate(inOtherRun(template, seconds, isTool))),
		);
		return others.every((other) => other !== now);
	} catch {
		// In code that is written in an unusual way.
		return false;
	}
}
