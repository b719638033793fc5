import { randomUUID } from 'crypto';
import { WAIT_INDEFINITELY, type IDataObject, type INodeExecutionData } from 'n8n-workflow';

import { invalidValues, type Problem } from '../client/failure/failure';
import type { Failed } from '../client/failure/result';
import type { WireParameter } from '../client/http/placement';
import { wordsOf } from '../shared/quote';
import { isObject } from '../shared/values';
import { noticeOfShortened } from '../resources/message/messageLimits';
import { maxDateAndTime } from '../resources/message/waitLimit';
import type { Field, Operation, Question } from '../resources/operation';
import { cannotWait, looksAnswered, pastTime, severalQuestions, unanswerable } from './questionProblems';

/*
 * A question to a person. n8n's link names the execution and the node only, so all questions of a node in one execution would
 * have the same link, and the first link would answer every later question, for example in a loop. Therefore each question has
 * its own ID in the signed part of the link. The execution keeps this ID and everything that the page shows, because the parameters
 * can have other values when the page is opened.
 */

/** A question as an execution keeps it while it waits: with everything that its page shows. */
export interface OpenQuestion extends Omit<Question, 'waitLimit' | 'longest'> {
	/** Random. The link contains it, so that no link answers another question. */
	id: string;
	/** The message may contain only its beginning. */
	text: string;
}

/** What n8n offers to ask a person. */
export interface QuestionHost {
	items: INodeExecutionData[];
	/**
	 * Keeps a question with the execution, in place of the one before.
	 *
	 * @returns the link to its page
	 * @throws if this execution cannot wait for an answer
	 */
	keep(question: OpenQuestion): string;
	/** Lets the execution wait when the node has ended. */
	wait(until: Date): Promise<void>;
}

/**
 * @param count number of items
 * @returns undefined for an operation that asks nobody; the failure of all items, if nobody can be asked here
 */
export function questionOfRun(
	{ question, option: { name } }: Operation,
	{ questionHost, count }: { questionHost: QuestionHost | undefined; count: number },
): QuestionOfRun | Failed | undefined {
	if (!question) return undefined;
	if (!questionHost) return { failure: invalidValues([cannotWait(name)]) };
	if (count > 1) return { failure: invalidValues([severalQuestions(name, count)]) };
	return new QuestionOfRun(questionHost, name, question.text);
}

interface WithQuestion {
	parameters: WireParameter[];
	question: Question | undefined;
	notice: string | undefined;
}

const blankLine = '\n\n';

export class QuestionOfRun {
	/** Undefined until the question can be sent. */
	private opened: { link: string; waitLimit: Question['waitLimit'] } | undefined;

	/** @param operation its label @param field with the text of the question */
	constructor(
		readonly host: QuestionHost,
		private readonly operation: string,
		private readonly field: Field,
	) {}

	/** Keeps the question. @returns the item's values with the link below it, or what is wrong if there could be no answer */
	open<Values extends WithQuestion>(values: Values): Values | { problems: Problem[] } {
		if (!values.question) return values;
		const { waitLimit, longest, ...question } = values.question;
		if (waitLimit instanceof Date && waitLimit.getTime() <= Date.now())
			return { problems: [pastTime(maxDateAndTime.displayName, waitLimit.toISOString())] };
		const answer = waitLimit !== undefined && answerFieldIn(this.host.items[0]!.json);
		if (answer) return { problems: [looksAnswered(answer)] };
		const { displayName, routing } = this.field;
		const isText = ({ name }: WireParameter) => name === routing?.send.property;
		const text = String(values.parameters.find(isText)?.value).trim();
		try {
			const link = this.host.keep({ id: randomUUID(), text, ...question });
			this.opened = { link, waitLimit };
			const sent = shortened(text, longest - link.length - blankLine.length);
			const parameters = values.parameters.map((each) =>
				isText(each) ? { ...each, value: sent + blankLine + link } : each,
			);
			const notice = sent === text ? values.notice : noticeOfShortened(displayName, sent.length);
			return { ...values, parameters, notice };
		} catch (error) {
			return { problems: [unanswerable(this.operation, wordsOf(error))] };
		}
	}

	/** Lets the execution wait, if this run has asked: an earlier try may have. @returns a warning about the link, if any */
	async wait(): Promise<string | undefined> {
		if (!this.opened) return undefined;
		const { link, waitLimit } = this.opened;
		await this.host.wait(deadlineOf(waitLimit));
		return hintOfLink(link);
	}
}

/** The beginning of a text, without half an emoji at its end. @param most characters */
const shortened = (text: string, most: number): string =>
	text.length <= most
		? text
		: `${text
				.slice(0, most - 1)
				.replace(/[\ud800-\udbff]$/, '')
				.trimEnd()}…`;

/** What n8n's agents and workflows read as the answer of a person. */
const answers = ['approved', 'text', 'respondedAt'];

/** The field by which an item looks like an answer, such as `data.approved`; undefined if none does. */
export function answerFieldIn({ approved, data }: IDataObject): string | undefined {
	if (approved === true) return 'approved';
	const name = isObject(data) && answers.find((each) => data[each] !== undefined && data[each] !== null);
	return name ? `data.${name}` : undefined;
}

/** Until when to wait for the answer, if the message is accepted now. */
function deadlineOf(limit: Question['waitLimit'] = Infinity): Date {
	const until = limit instanceof Date ? limit.getTime() : Date.now() + limit;
	return new Date(Math.min(until, WAIT_INDEFINITELY.getTime()));
}

/** A warning about a link that opens only on the server where n8n runs. */
export function hintOfLink(link: string): string | undefined {
	const { hostname, origin } = new URL(link);
	if (!/^(?:(?:.+\.)?localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\])$/.test(hostname)) return undefined;
	return `The link in the message begins with ${origin}, which opens only on the server where n8n runs. Set the environment variable WEBHOOK_URL to the public address of n8n, in all its processes.`;
}
