import { tryToParseDateTime, WAIT_INDEFINITELY, type INodeExecutionData } from 'n8n-workflow';

import { newId } from '../client/digest';
import { invalidValues, type Failure, type Problem } from '../client/failure';
import type { Operation } from '../resources/operation';
import { noTime, type WaitLimit } from '../resources/question';
import type { Asked } from '../response/asked';
import { withoutOutcome } from './output';
import type { CheckedValues } from './values/check';
import {
	cannotWait,
	pastTime,
	severalQuestions,
	tooLateTime,
	unanswerable,
	wordsOf,
} from './values/problems';

/*
 * A question to a person. n8n's link names the execution and the node only, so all questions of a node in one execution would
 * have the same link, and the first link would answer every later question, for example in a loop. Therefore each question has
 * its own ID in the signed part of the link. The execution keeps this ID and everything that the page shows, because the parameters
 * can have other values when the page is opened.
 */

/** What n8n offers to ask a person. */
export interface Asker {
	/** Time zone of the workflow. */
	timezone: string;
	/** The items that the node received. */
	items: INodeExecutionData[];
	/**
	 * Keeps a question with the execution, in place of the one before.
	 *
	 * @returns the link to its page
	 * @throws if this execution cannot wait for an answer
	 */
	keep(asked: Asked): string;
	/** Lets the execution wait when the node has ended. */
	wait(until: Date): Promise<void>;
}

/** Why the operation cannot ask anybody here; undefined if it can. @param count number of items */
export function cannotAsk(
	{ asks, option }: Operation,
	{ asker, count }: { asker: Asker | undefined; count: number },
): Failure | undefined {
	if (!asks) return undefined;
	if (!asker) return invalidValues([cannotWait(option.name)]);
	return count > 1 ? invalidValues([severalQuestions(option.name, count)]) : undefined;
}

/** A question whose message is about to be sent. */
export interface OpenQuestion {
	/** The values of the item, with the link below the question. */
	values: CheckedValues;
	link: string;
	/** Until when to wait for the answer, if the message is accepted now. */
	deadline(): Date;
}

/** @returns what is wrong, if there could be no answer */
export function openQuestion(
	values: CheckedValues,
	operation: Operation,
	asker: Asker,
): OpenQuestion | { problems: Problem[] } {
	const { waitLimit, ...question } = values.question!;
	const deadline = () => deadlineOf(waitLimit, asker.timezone);
	const wrong = waitLimit && wrongDeadline(waitLimit, deadline());
	if (wrong) return { problems: [wrong] };
	const { property: name } = operation.asks!.text.routing!.send;
	const text = String(values.parameters.find((each) => each.name === name)!.value).trim();
	try {
		const link = asker.keep({ id: newId(), text, ...question });
		const parameters = values.parameters.map((each) =>
			each.name === name ? { ...each, value: `${text}\n\n${link}` } : each,
		);
		return { values: { ...values, parameters }, link, deadline };
	} catch (error) {
		return { problems: [unanswerable(operation.option.name, wordsOf(error))] };
	}
}

/**
 * The output while the execution waits. After the answer, n8n replaces it, and after the time limit, n8n outputs the input items. They
 * are copied, because n8n empties the output when it looks for items with errors.
 */
export const waitingItems = ({ items }: Asker): INodeExecutionData[] =>
	items.map((each, item) => ({ ...each, json: withoutOutcome(each.json), pairedItem: { item } }));

/** An invalid date if the time cannot be read. */
function deadlineOf(limit: WaitLimit | undefined, timezone: string): Date {
	if (!limit) return WAIT_INDEFINITELY;
	if (typeof limit.time === 'number') return new Date(Date.now() + limit.time);
	try {
		return dayFirst.test(limit.time) ? noDate : tryToParseDateTime(limit.time, timezone).toJSDate();
	} catch {
		return noDate;
	}
}

const noDate = new Date(NaN);

/** The node does not accept such a date, because n8n would read 01.12.2030 as January 12. */
const dayFirst = /^\d{1,2}[./-]/;

function wrongDeadline({ label, time }: WaitLimit, deadline: Date): Problem | undefined {
	if (typeof time === 'string') {
		if (Number.isNaN(deadline.getTime())) return noTime(label, time);
		if (deadline.getTime() <= Date.now()) return pastTime(label, time);
	}
	// A very large amount leads to an invalid date.
	return deadline <= WAIT_INDEFINITELY ? undefined : tooLateTime(label);
}
