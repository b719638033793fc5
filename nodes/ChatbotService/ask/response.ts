import { isObject } from '../shared/values';
import type { OpenQuestion } from './openQuestion';
import { closedPage, questionPage, thanksPage } from './page';
import type { PageWords } from './words';

/* The responses to a person who opens the link of a question or answers it. */

interface PageRequest {
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
 * answers it. n8n takes only the first answer. Until it has resumed the execution, some 20 ms later, another one is thanked too.
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

/** The link belongs to an earlier question of the same execution. */
const stale = (words: PageWords): PageResponse => ({ status: 410, html: closedPage(words, words.stale) });

/** The question cannot be read. The execution continues to wait. */
export const notShown = (words: PageWords): PageResponse => ({
	status: 500,
	html: closedPage(words, words.notShown),
});
