import type { IDataObject } from 'n8n-workflow';

import type { Expected } from '../failure/advice';
import * as failures from '../failure/failure';
import type { Failed, Failure } from '../failure/result';
import { isMaintenance, isTruncated, readRetryAfter, titleOfPage, withoutRemarks } from './framework';
import { isEmpty, isObject } from '../../shared/values';

/*
 * How an answer of the service is read: its rows, or which failure of failure.ts it is. What an operation's answer looks like is its
 * `answer`. Without any answer: transport.ts. Tests: unit/answer.test.ts for failures, unit/answerRows.test.ts for everything else.
 */

export type AnswerShape =
	/** One row per element of `data`, from all pages. Tags, which the service returns as strings, become `{ name }`. */
	| 'many'
	/** One row: the returned object, without its `data` wrapper. */
	| 'one'
	/** One row: like 'one', or `{ success: true }` if the answer is empty. */
	| 'created'
	/** One row: the answer as it is, or `{ success: true }` if it is empty. */
	| 'done'
	/** One row: like 'done', but only `success: true` or an empty answer means success. For messages, which nobody may get twice. */
	| 'confirmed'
	/** One row: like 'confirmed', for an answer that is not documented: a record, such as the contact, means success too. */
	| 'sent'
	/** One row: `{ deleted: true }`. */
	| 'deleted'
	/** Like 'many' if it is a list, otherwise like 'created'. For an endpoint that the node does not know. */
	| 'any'
	/** The same, but an empty answer is a failure. */
	| 'anyData';

/** Labels of the request's fields in the editor, for errors of the service that name parameters. */
export interface Labels {
	/** By wire name. */
	all: ReadonlyMap<string, string>;
	/** What must exist already. */
	expected: readonly Expected[];
	/** Wire names of the fields that have no value. */
	empty: ReadonlySet<string>;
}

export interface ServiceAnswer {
	statusCode: number;
	headers: Record<string, unknown>;
	/** Parsed if it is JSON, otherwise the text. */
	body: unknown;
}

/** The rows of an answer, and the number of their page if the service numbers its pages. */
export interface Page {
	rows: IDataObject[];
	page?: { current: number; last: number };
}

/**
 * Reads an answer. The API does not document status codes, so errors are recognized by their body under any status, 200 included.
 *
 * @param now in milliseconds since 1970, for a `Retry-After` that is a date
 */
export function readAnswer(
	answer: ServiceAnswer,
	shape: AnswerShape,
	labels: Labels,
	now: number,
): Page | Failed {
	const { body, fatal } = withoutRemarks(answer.body);
	const { statusCode: status } = answer;
	// The fields of a record without its wrapper can have any names, such as `status`.
	const isRecord = ofRecords.includes(shape) && status < 300 && isObject(body) && !isEmpty(body.id);
	const failure = isRecord ? undefined : failureIn({ ...answer, body }, fatal, labels, now);
	const read = failure ?? readRows(body, shape);
	return 'rows' in read ? read : { failure: { ...read, status } };
}

const ofRecords: AnswerShape[] = ['created', 'one', 'any', 'anyData'];

/** @param fatal the error with which PHP has stopped; undefined if it has not */
function failureIn(
	{ statusCode: status, headers, body }: ServiceAnswer,
	fatal: string | undefined,
	labels: Labels,
	now: number,
): Failure | undefined {
	const { expected } = labels;
	if (fatal && (status < 300 || status >= 500)) return failures.serviceFailed(status, undefined, fatal);
	const retryAfterMs = readRetryAfter(headers, now);
	const words = wordsIn(body);
	const message = isObject(body) && typeof body.message === 'string' ? body.message : undefined;
	// Laravel's texts for a record of another account, and for a missing one.
	const isForeign = message === 'This action is unauthorized.';
	const isMissing = status === 404 || message?.startsWith('No query results for model');

	if (status >= 300 && status < 400) return failures.redirected(targetOf(headers.location));
	if (status === 429 || message === 'Too Many Attempts.' || message === 'Too Many Requests')
		return failures.tooManyRequests(retryAfterMs, words);
	if (status === 401 || message === 'Unauthenticated.') return failures.tokenRefused(words);
	if (status === 403 || message === 'Forbidden' || isForeign)
		return failures.accessRefused({ expected, isForeign }, words);
	if (isMaintenance(status, headers, body)) return failures.underMaintenance(retryAfterMs, words);
	if (isObject(body) && isObject(body.errors) && saysSomething(body.errors))
		return validationFailure(body.errors, labels, words);
	if (status === 407) return failures.proxyRefused();
	if (status === 414 || status === 413 || status === 431) return failures.requestTooLong();
	if (status >= 500 || isException(status, body)) return failures.serviceFailed(status, retryAfterMs, words);
	const title = titleOfPage(body);
	if (title !== undefined) return failures.webPage(status, title);
	if (status === 405 || (isMissing && (isOfRouting(message, words) || !expected.length)))
		return failures.unknownEndpoint(status, expected, words);
	if (isMissing) return failures.notFound(expected, words);
	if (status >= 400 || (isObject(body) && denies(body))) return failures.valuesRefused([], words ?? '');
	return undefined;
}

function denies(body: Record<string, unknown>): boolean {
	const { success, ok, result, status, error, errors } = body;
	return (
		isNo(success) ||
		isNo(ok) ||
		// Null or 0 can also be the result itself.
		isOneOf([false, 'false'], result) ||
		/^\s*(?:error|fail|failed)\s*$/i.test(String(status)) ||
		saysSomething(error) ||
		saysSomething(errors)
	);
}

const plain = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : value);

const isOneOf = (values: unknown[], value: unknown): boolean => values.includes(plain(value));

/** The values that PHP, and programs that read its output, use for "no" and "yes". */
const isNo = (value: unknown): boolean => isOneOf([false, 0, null, 'false', '0'], value);
const isYes = (value: unknown): boolean => isOneOf([true, 1, 'true', '1'], value);

/** Services may include an error in every answer, which is empty if nothing failed. */
const saysSomething = (value: unknown): boolean =>
	typeof value === 'object' && value !== null
		? Object.keys(value).length > 0
		: !isEmpty(value) && !isNo(value);

/** Laravel's words for a parameter that is missing. */
const isRequired = /\bis required|обязательно для заполнения/;

/** Converts Laravel's validation errors, which are keyed by parameter, to a failure that names the editor's labels. */
function validationFailure(errors: Record<string, unknown>, { all, empty }: Labels, fallback = ''): Failure {
	const labelOf = (name: string) => all.get(name) ?? labelWithin(name, all) ?? name;
	// The quoted texts of the service mention the others.
	const named = [...new Set(Object.keys(errors).map(labelOf))].slice(0, 5);
	const texts = Object.values(errors)
		.flat()
		.filter((text) => typeof text === 'string');
	const isMissing =
		Object.keys(errors).every((name) => empty.has(name)) ||
		(texts.length > 0 && texts.every((text) => isRequired.test(text)));
	const fail = isMissing ? failures.valuesMissing : failures.valuesRefused;
	return fail(named, texts.join(' ') || fallback);
}

/** Such as "Fields: price" for `data.price`. Numbers only count the values of a list. */
function labelWithin(name: string, all: Labels['all']): string | undefined {
	const [parent = '', ...names] = name.split('.');
	const label = all.get(parent);
	const inside = names.filter((each) => !/^\d+$/.test(each)).join('.');
	return label && inside ? `${label}: ${inside}` : label;
}

function readRows(body: unknown, shape: AnswerShape): Page | Failure {
	if (shape === 'many') return readPage(body);
	if (shape === 'any' || shape === 'anyData') return readAny(body, shape);
	return shape === 'one' ? readRecord(body) : readDone(body, shape);
}

function readAny(body: unknown, shape: 'any' | 'anyData'): Page | Failure {
	if (shape === 'any' && isNothing(body)) return readDone(body, 'created');
	if (isEmpty(body)) return failures.emptyAnswer();
	if (shape === 'anyData' && typeof body !== 'object' && !isBroken(body))
		return { rows: [{ data: body as string }] };
	const list = isObject(body) ? body.data : body;
	const isList = Array.isArray(list) && list.every((each) => typeof each !== 'object' || isObject(each));
	const wrapped = Array.isArray(body) ? { data: body } : body;
	return isList ? readPage(wrapped) : readDone(wrapped, 'created');
}

function readPage(body: unknown): Page | Failure {
	if (isEmpty(body)) return failures.emptyAnswer();
	const { data, meta } = (isObject(body) ? body : {}) as { data?: object; meta?: Record<string, unknown> };
	// PHP encodes an array with gaps, for example after a removal, as an object with numeric keys.
	if (!Array.isArray(data) && !(isObject(data) && Object.keys(data).every((key) => /^\d+$/.test(key))))
		return unexpected(body);
	const elements: unknown[] = Object.values(data);
	if (elements.some((element) => typeof element === 'object' && !isObject(element)))
		return failures.malformedAnswer(body);
	// PHP converts names such as "2024" to numbers and "true" to a boolean.
	const rows = elements.map((element) =>
		isObject(element) ? withoutLinks(element) : { name: String(element) },
	);
	const [current, last] = [Number(meta?.current_page), Number(meta?.last_page)];
	return current > 0 && last > 0 ? { rows, page: { current, last } } : { rows };
}

function readRecord(body: unknown): Page | Failure {
	if (isNothing(body)) return failures.emptyAnswer();
	if (!isObject(body)) return failures.malformedAnswer(body);
	const record = isObject(body.data) ? body.data : body;
	// For a missing schema, the service returns an object with only a message.
	if (Object.keys(record).every((key) => key === 'message' || key === 'data')) return unexpected(body);
	return { rows: [withoutLinks(record)] };
}

/**
 * Reads the answer to a change; `failureIn` has already handled denials. Endpoints return nothing, `1`, `ok` or the record, and all of
 * these mean success. A sentence does too, except about a message: it may say that the message was not sent.
 */
function readDone(
	body: unknown,
	shape: Exclude<AnswerShape, 'many' | 'one' | 'any' | 'anyData'>,
): Page | Failure {
	if (body === false || isBroken(body)) return failures.malformedAnswer(body);
	if ((shape === 'confirmed' || shape === 'sent') && !confirms(body, shape))
		return failures.unconfirmed(body, wordsIn(body));
	if (shape === 'deleted' || !isObject(body) || isNothing(body)) return { rows: [answerOfNothing(shape)] };
	if (shape === 'created' && isObject(body.data)) return { rows: [withoutLinks(body.data)] };
	// n8n takes an item with an `error` for a failed one, even if it is an empty list.
	const wrapper = shape === 'done' ? ['data', 'error', 'errors', 'message'] : ['error'];
	const notMeant = shape === 'created' && !isEmpty(body.id) ? [] : wrapper;
	const rest = Object.entries(body).filter(([name, value]) => !notMeant.includes(name) || !isNothing(value));
	return { rows: [rest.length ? withoutLinks(Object.fromEntries(rest)) : answerOfNothing(shape)] };
}

const confirms = (body: unknown, shape: 'confirmed' | 'sent'): boolean =>
	isNothing(body) ||
	// Texts that frameworks send for an empty result.
	(typeof body !== 'object' && ['1', 'true', 'ok', 'null'].includes(String(plain(body)))) ||
	(isObject(body) && isYes(body.success)) ||
	(shape === 'sent' && hasRecord(body));

/** Whether an answer contains more than the service's words, directly, within its wrapper `data` or in a list. */
const hasRecord = (body: unknown): boolean =>
	Array.isArray(body)
		? body.some(hasRecord)
		: isObject(body) &&
			Object.entries(body).some(([name, value]) =>
				name === 'data'
					? hasRecord(value)
					: !['message', 'error', 'errors', 'code'].includes(name) && saysSomething(value),
			);

const isNothing = (body: unknown) =>
	isEmpty(body) || body === true || (typeof body === 'object' && !Object.keys(body!).length);

/** A longer text does not come from an endpoint. */
const longestWords = 200;
const isBroken = (body: unknown) =>
	typeof body === 'string' && (body.length > longestWords || isTruncated(body));

/** The row for a request that succeeded without further data. */
export const answerOfNothing = (shape: AnswerShape): IDataObject =>
	shape === 'deleted' ? { deleted: true } : { success: true };

/** An answer without the requested data. The service's own words, if it has some, say why. */
function unexpected(body: unknown): Failure {
	const words = wordsIn(body);
	return words ? failures.valuesRefused([], words) : failures.malformedAnswer(body);
}

/** The URLs in the framework's `links` repeat the request's query, which can contain the token. A list can have a field of this name. */
function withoutLinks(record: Record<string, unknown>): IDataObject {
	const { links, ...rest } = record;
	// A picture is an object with one URL.
	const isOfFramework = [links].flat().some((each) => isObject(each) && !('url' in each));
	return (isOfFramework ? rest : record) as IDataObject;
}

function wordsIn(body: unknown): string | undefined {
	if (!isObject(body)) return undefined;
	const { message, error, errors } = body;
	const texts = [
		message,
		error,
		isObject(error) && error.message,
		isObject(errors) ? Object.values(errors) : errors,
	]
		.flat(2)
		.filter((text) => typeof text === 'string' && text.trim() !== '');
	return texts.length ? [...new Set(texts)].join(' ') : undefined;
}

/** Whether Laravel does not know the path. Older versions send an empty message. */
const isOfRouting = (message: string | undefined, words: string | undefined) =>
	(message === '' && words === undefined) || /^The route .* could not be found/s.test(message ?? '');

/** Whether Laravel reports an exception. The status is below 300 if PHP wrote something before the answer. */
const isException = (status: number, body: unknown): boolean =>
	isObject(body) &&
	(body.message === 'Server Error' ||
		(status < 300 &&
			(typeof body.exception === 'string' || (body.message === '' && Object.keys(body).length === 1))));

/** URL of a redirect without its query, which can contain the token. */
const targetOf = (location: unknown) =>
	typeof location === 'string' ? location.replace(/[?#].*/s, '') : undefined;
