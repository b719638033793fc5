import { isObject } from '../client/values';
import type { Asked } from './asking';
import { closedPage, questionPage, thanksPage } from './page';

/* The responses to a person who opens the link of a question or answers it. */

/** A request to the page of a question. */
export interface PageRequest {
	method: string;
	/** The ID of the question in the link. */
	id: unknown;
	/** The parsed body. Can be anything, because anybody who has the link can send a request. */
	body: unknown;
}

/** The answer of a person. */
export type Answer = { approved: boolean } | { text: string };

export interface PageResponse {
	status: number;
	html: string;
	/** Absent while the question is open, so the execution continues to wait. */
	answer?: Answer;
}

/** Longest answer in characters. A message in a messenger has at most 4,096. */
export const longestText = 10_000;

/**
 * A GET only shows the question: messengers open links by themselves to show a preview. Only a POST with one of the offered answers
 * answers it.
 *
 * @param asked the question that the execution waits for; undefined if there is none
 */
export function respond({ method, id, body }: PageRequest, asked: Asked | undefined): PageResponse {
	if (!asked || id !== asked.id) return stale;
	if (method !== 'POST') return { status: 200, html: questionPage(asked) };
	const found = answerIn(isObject(body) ? body : {}, asked);
	if ('note' in found) return { status: 400, html: questionPage(asked, found) };
	return { status: 200, html: thanksPage(asked, found.words), answer: found.answer };
}

/** The answer in the fields of a form, and its words, or what is wrong with it. */
function answerIn(
	fields: Record<string, unknown>,
	{ form }: Asked,
): { answer: Answer; words: string } | { note: string; text?: string } {
	if (form.type === 'approval') {
		if (fields.answer === 'approve') return { answer: { approved: true }, words: form.approve };
		if (fields.answer === 'decline' && form.decline !== undefined)
			return { answer: { approved: false }, words: form.decline };
		return { note: 'Your answer was not received. Press a button.' };
	}
	const text = typeof fields.text === 'string' ? fields.text.replace(/\r\n?/g, '\n').trim() : '';
	if (!text) return { note: 'Your answer is empty. Enter a text.' };
	if (text.length > longestText)
		return { note: `Your answer is too long. Shorten it to ${longestText} characters.`, text };
	return { answer: { text }, words: text };
}

/** The link belongs to an earlier question of the same execution. */
const stale: PageResponse = {
	status: 410,
	html: closedPage(
		'This question is closed',
		'It was answered already, or a newer question has replaced it.',
	),
};

/** Of several answers at the same time, only the first counts. */
export const answeredAlready: PageResponse = {
	status: 409,
	html: closedPage(
		'This question is already answered',
		'Only the first answer counts. You can close this page.',
	),
};

/** The question cannot be read. The execution continues to wait. */
export const notShown: PageResponse = {
	status: 500,
	html: closedPage('This page cannot be shown', 'Your answer was not received. Open the link again later.'),
};

/** After this time, n8n has resumed the execution and refuses further answers. If it could not resume, the next answer counts. */
const longestStartMs = 10_000;

/** By question. */
const answeredAt = new Map<string, number>();

/**
 * Whether an answer is the first one to its question. n8n resumes an execution some milliseconds after an answer. If a second answer
 * arrives in between, n8n calls the webhook again but drops the answer, so the page must not say that it was received.
 */
export function isFirstAnswer(question: string, now = performance.now()): boolean {
	for (const [each, at] of answeredAt) {
		if (now - at > longestStartMs) answeredAt.delete(each);
	}
	if (answeredAt.has(question)) return false;
	answeredAt.set(question, now);
	return true;
}
