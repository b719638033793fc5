import { isObject } from '../shared/values';
import type { OpenQuestion } from './openQuestion';
import { closedPage, questionPage, thanksPage } from './page';
import type { PageWords } from './words';

/* The responses to a person who opens the link of a question or answers it. */

export interface PageRequest {
	method: string;
	/** In the link. */
	id: unknown;
	/** The parsed body. Can be anything, because anybody who has the link can send a request. */
	body: unknown;
	words: PageWords;
}

type Answer = { approved: boolean } | { text: string };

/** With its question, so that a workflow can tell it from the answer to an earlier one. */
type NamedAnswer = Answer & { question: string };

export interface PageResponse {
	status: number;
	html: string;
	/** Absent while the question is open, so the execution continues to wait. */
	answer?: NamedAnswer;
}

/** Longest answer in characters. A message in a messenger has at most 4,096. */
const longestText = 10_000;

/**
 * A GET only shows the question: messengers open links by themselves to show a preview. Only a POST with one of the offered answers
 * answers it.
 *
 * @param question that the execution waits for, if any
 */
export function respond({ method, id, body, words }: PageRequest, question?: OpenQuestion): PageResponse {
	if (!question || id !== question.id) return stale(words);
	if (method !== 'POST') return { status: 200, html: questionPage(words, question) };
	const found = answerIn(isObject(body) ? body : {}, question, words);
	if ('note' in found) return { status: 400, html: questionPage(words, question, found) };
	const answer = { ...found.answer, question: question.text };
	return { status: 200, html: thanksPage(words, question, found.shown), answer };
}

/** The answer in the fields of a form, as data and as the page shows it, or what is wrong with it. */
function answerIn(
	fields: Record<string, unknown>,
	{ form }: OpenQuestion,
	words: PageWords,
): { answer: Answer; shown: string } | { note: string; text?: string } {
	if (form.type === 'approval') {
		if (fields.answer === 'approve') return { answer: { approved: true }, shown: form.approve };
		if (fields.answer === 'decline' && form.decline !== undefined)
			return { answer: { approved: false }, shown: form.decline };
		return { note: words.noButton };
	}
	const text = typeof fields.text === 'string' ? fields.text.replace(/\r\n?/g, '\n').trim() : '';
	if (!text) return { note: words.emptyText };
	if (text.length > longestText) return { note: words.tooLong(longestText), text };
	return { answer: { text }, shown: text };
}

const closed =
	(status: number, why: 'stale' | 'answeredAlready' | 'notShown') =>
	(words: PageWords): PageResponse => ({ status, html: closedPage(words, words[why]) });

/** The link belongs to an earlier question of the same execution. */
const stale = closed(410, 'stale');

export const answeredAlready = closed(409, 'answeredAlready');

/** The question cannot be read. The execution continues to wait. */
export const notShown = closed(500, 'notShown');

/** After this time, n8n has resumed the execution and refuses further answers. If it could not resume, the next answer counts. */
const longestStartMs = 10_000;

/** By the ID of the question. */
const firstAnswers = new Map<string, { text: string; at: number }>();

/**
 * Lets only the first answer to a question count. n8n resumes an execution some milliseconds after an answer. If a second answer
 * arrives in between, n8n calls the webhook again but drops the answer, so the page must not say that it was received. The same answer
 * again is a double click: the browser shows only the second response, so the person is thanked there too.
 */
export function onlyFirst(
	id: string,
	response: PageResponse,
	words: PageWords,
	now = performance.now(),
): PageResponse {
	const { answer, ...page } = response;
	if (!answer) return response;
	for (const [each, { at }] of firstAnswers) {
		if (now - at > longestStartMs) firstAnswers.delete(each);
	}
	const text = JSON.stringify(answer);
	const first = firstAnswers.get(id);
	if (first) return first.text === text ? page : answeredAlready(words);
	firstAnswers.set(id, { text, at: now });
	return response;
}
