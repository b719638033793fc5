import type { IDataObject } from 'n8n-workflow';

import type { Expected } from './advice';
import * as failures from './failure';
import type { Failure } from './failure';
import { withoutRemarks } from './php';
import { isEmpty, isObject } from './values';

/** What an answer is read for. */
export type AnswerShape =
	/** One row per element of `data`, over all pages. Tags, plain strings at the service, become `{ name }`. */
	| 'many'
	/** One row: the object answered, taken out of `data` when it is wrapped. */
	| 'one'
	/** One row: as 'one', or `{ success: true }` when the service answered with nothing. */
	| 'created'
	/** One row: what the service answered, or `{ success: true }` when it answered with nothing. */
	| 'done'
	/** One row: as 'done', of an answer that is documented. Only `success: true`, or nothing, says that it was done. */
	| 'confirmed'
	/** One row: `{ deleted: true }`. */
	| 'deleted';

/** How the editor names the parameters of a request, for what the service says of them. */
export interface Labels {
	/** By wire name. */
	all: ReadonlyMap<string, string>;
	/** What must be there already. */
	expected: readonly Expected[];
}

/** A whole answer of the service, whatever its status. */
export interface ServiceAnswer {
	statusCode: number;
	headers: Record<string, unknown>;
	/** Parsed when it was JSON, else the text. */
	body: unknown;
}

/** What an answer comes to: rows of data, and the page they were on, or the reason why there are none. */
export type ReadAnswer =
	{ rows: IDataObject[]; page?: { current: number; last: number } } | { failure: Failure };

/**
 * Reads an answer. The interface does not state status codes, so the bodies of its errors are recognised under any of them,
 * 200 included.
 *
 * @param now in milliseconds since 1970, for a `Retry-After` that is a date
 */
export function readAnswer(
	answer: ServiceAnswer,
	shape: AnswerShape,
	labels: Labels,
	now: number,
): ReadAnswer {
	const { body, fatal } = withoutRemarks(answer.body);
	const { statusCode: status } = answer;
	if (fatal && (status < 300 || status >= 500))
		return { failure: failures.serviceFailed(status, undefined, fatal) };
	const cleared = { ...answer, body };
	const failure = failureIn(cleared, labels, now);
	if (failure) return { failure };
	if (shape === 'many') return readPage(cleared);
	if (shape === 'one') return readRecord(cleared);
	return shape === 'confirmed' ? readConfirmed(cleared) : readDone(cleared, shape);
}

function failureIn(
	{ statusCode: status, headers, body }: ServiceAnswer,
	labels: Labels,
	now: number,
): Failure | undefined {
	const retryAfterMs = readRetryAfter(headers, now);
	const words = wordsIn(body);
	const message = isObject(body) ? body.message : undefined;

	if (status >= 300 && status < 400) return failures.redirected(status, targetOf(headers.location));
	if (status === 429 || message === 'Too Many Attempts.' || message === 'Too Many Requests')
		return failures.tooManyRequests(status, retryAfterMs, words);
	if (status === 401 || message === 'Unauthenticated.') return failures.tokenRefused(status, words);
	if (status === 403 || message === 'Forbidden' || message === foreign)
		return failures.accessRefused(
			status,
			{ expected: labels.expected, isForeign: message === foreign },
			words,
		);
	if (isMaintenance(status, headers, body)) return failures.underMaintenance(status, retryAfterMs, words);
	if (isObject(body) && isObject(body.errors) && saysSomething(body.errors))
		return validationFailure(status, body.errors, labels.all, words);
	if (status === 407) return failures.proxyRefused(status);
	if (status === 414 || status === 413 || status === 431) return failures.requestTooLong(status);
	if (status >= 500 || isException(status, body)) return failures.serviceFailed(status, retryAfterMs, words);
	if (isWebPage(body)) return failures.webPage(status, titleOf(body));
	const isMissing = status === 404 || isNotFound(message);
	if (status === 405 || (isMissing && (isOfRouting(message, words) || !labels.expected.length)))
		return failures.unknownMethod(status, labels.expected, words);
	if (isMissing) return failures.notFound(status, labels.expected, words);
	if (status >= 400) return failures.valuesRefused(status, [], words ?? '');
	if (isObject(body) && denies(body)) return failures.valuesRefused(status, [], words ?? '');
	return undefined;
}

/** Whether an answer says that the service did not do what it was asked for, under whatever status. */
function denies(body: Record<string, unknown>): boolean {
	const { success, ok, status, error, errors } = body;
	return (
		('success' in body && isNo(success)) ||
		('ok' in body && isNo(ok)) ||
		(typeof status === 'string' && /^\s*(?:error|fail|failed)\s*$/i.test(status)) ||
		saysSomething(error) ||
		saysSomething(errors)
	);
}

const plain = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : value);

/** As PHP, and what is made of it, writes "no" and "yes". */
const isNo = (value: unknown): boolean => [false, 0, null, 'false', '0'].includes(plain(value) as never);
const isYes = (value: unknown): boolean => [true, 1, 'true', '1'].includes(plain(value) as never);

/** Services name an error in every answer, empty where there is none. */
const saysSomething = (value: unknown): boolean =>
	typeof value === 'object' && value !== null
		? Object.keys(value).length > 0
		: !isEmpty(value) && !isNo(value);

/** A message names so many fields; the words of the service tell of the others. */
const mostLabels = 5;

/** More of the service's words than a quote holds. */
const mostTexts = 500;

/** Laravel's validation texts by parameter, said with the labels of the editor. */
function validationFailure(
	status: number,
	errors: Record<string, unknown>,
	labels: ReadonlyMap<string, string>,
	fallback: string | undefined,
): Failure {
	const entries = Object.entries(errors);
	const texts = entries
		.flatMap(([, messages]) => [messages].flat())
		.filter((text) => typeof text === 'string');
	const named = new Set(
		entries.map(([parameter]) => labels.get(parameter) ?? labels.get(parameter.split('.')[0]!) ?? parameter),
	);
	return failures.valuesRefused(
		status,
		[...named].slice(0, mostLabels),
		texts.length ? texts.slice(0, mostTexts).join(' ') : (fallback ?? ''),
	);
}

function readPage({ statusCode, body }: ServiceAnswer): ReadAnswer {
	if (isEmpty(body)) return { failure: failures.emptyAnswer(statusCode) };
	const elements = elementsOf(isObject(body) ? body.data : undefined);
	if (!elements) return { failure: unexpected(statusCode, body) };
	const rows: IDataObject[] = [];
	for (const element of elements) {
		if (isObject(element)) rows.push(withoutLinks(element));
		else if (typeof element === 'object') return { failure: failures.malformedAnswer(statusCode, body) };
		// PHP makes numbers of names such as 2024, and true of names such as "true".
		else rows.push({ name: String(element) });
	}
	const meta = isObject(body) && isObject(body.meta) ? body.meta : {};
	const [current, last] = [Number(meta.current_page), Number(meta.last_page)];
	return current > 0 && last > 0 ? { rows, page: { current, last } } : { rows };
}

/** The elements of an array. PHP writes one with gaps, such as one of which something was removed, as an object keyed by numbers. */
function elementsOf(data: unknown): unknown[] | undefined {
	if (Array.isArray(data)) return data;
	const isArray = isObject(data) && Object.keys(data).every((key) => /^\d+$/.test(key));
	return isArray ? Object.values(data) : undefined;
}

/** An answer that gives one record. */
function readRecord({ statusCode, body }: ServiceAnswer): ReadAnswer {
	if (isNothing(body)) return { failure: failures.emptyAnswer(statusCode) };
	if (!isObject(body)) return { failure: failures.malformedAnswer(statusCode, body) };
	const record = isObject(body.data) ? body.data : body;
	// A lone message where a schema was asked for is the service's way to say that there is none.
	if (Object.keys(record).every((key) => key === 'message' || key === 'data'))
		return { failure: unexpected(statusCode, body) };
	return { rows: [withoutLinks(record)] };
}

/**
 * An answer to a request that changes something. What it says then is up to who wrote the method: nothing, `1`, `ok`, the record.
 * All of that is success; only what is broken, or denies it, is not.
 */
function readDone(
	{ statusCode, body }: ServiceAnswer,
	shape: Exclude<AnswerShape, 'many' | 'one' | 'confirmed'>,
): ReadAnswer {
	if (body === false || isBroken(body)) return { failure: failures.malformedAnswer(statusCode, body) };
	if (shape === 'deleted' || !isObject(body) || isNothing(body)) return { rows: [answerOfNothing(shape)] };
	return { rows: [withoutLinks(shape === 'created' && isObject(body.data) ? body.data : body)] };
}

/** Texts that frameworks make of an answer which says nothing. */
const nothingInWords = ['', '1', 'true', 'ok', 'null'];

/**
 * An answer to a message, of which the API says what it is. Denials have been read before. What neither confirms nor denies that the
 * message was taken, such as a sentence under 200, is an unknown outcome.
 */
function readConfirmed({ statusCode, body }: ServiceAnswer): ReadAnswer {
	const isSilent =
		isNothing(body) || (typeof body !== 'object' && nothingInWords.includes(String(plain(body))));
	if (isSilent) return { rows: [answerOfNothing('confirmed')] };
	if (isObject(body) && isYes(body.success)) return { rows: [withoutLinks(body)] };
	return {
		failure: isBroken(body)
			? failures.malformedAnswer(statusCode, body)
			: failures.unconfirmed(statusCode, body, wordsIn(body)),
	};
}

const isNothing = (body: unknown) =>
	isEmpty(body) || body === true || (typeof body === 'object' && !Object.keys(body!).length);

/** Longer ones are no words of a method, and JSON that was cut off stays a text. */
const longestWords = 200;
const isBroken = (body: unknown) =>
	typeof body === 'string' && (body.length > longestWords || /^[[{"]/.test(body));

/** The row of a request that was done, where the service has said nothing more. */
export const answerOfNothing = (shape: AnswerShape): IDataObject =>
	shape === 'deleted' ? { deleted: true } : { success: true };

/** An answer without the data that was asked for: the service's own words, if it has some, say why. */
function unexpected(status: number, body: unknown): Failure {
	const words = wordsIn(body);
	return words ? failures.valuesRefused(status, [], words) : failures.malformedAnswer(status, body);
}

/** The URLs of `links` repeat the query of the request, in which the token can be. */
function withoutLinks({ links: _links, ...rest }: Record<string, unknown>): IDataObject {
	return rest as IDataObject;
}

function wordsIn(body: unknown): string | undefined {
	if (!isObject(body)) return undefined;
	const texts = [body.message, body.error, isObject(body.error) ? body.error.message : undefined]
		.concat(isObject(body.errors) ? Object.values(body.errors).flat() : body.errors)
		.filter((text) => typeof text === 'string' && text.trim() !== '');
	return texts.length ? [...new Set(texts)].slice(0, mostTexts).join(' ') : undefined;
}

/** The type that an answer claims says nothing: the framework sends every text as HTML. */
const isWebPage = (body: unknown): boolean => typeof body === 'string' && /<[a-z!?/][^<>]*>/i.test(body);

/** The framework's words for a path that leads nowhere; older versions of it have none. */
const isOfRouting = (message: unknown, words: string | undefined) =>
	(message === '' && words === undefined) ||
	(typeof message === 'string' && /^The route .* could not be found/s.test(message));

/** The framework's words for a record of somebody else. */
const foreign = 'This action is unauthorized.';

/** The framework's words for a record that is not there. */
const isNotFound = (message: unknown) =>
	typeof message === 'string' && message.startsWith('No query results for model');

/** Redirects have been read before. */
const saysSuccess = (status: number) => status < 400;

/** What the framework says of an exception. Where PHP has written something before it, it comes under 200. */
const isException = (status: number, body: unknown): boolean =>
	isObject(body) &&
	(body.message === 'Server Error' ||
		(saysSuccess(status) &&
			(typeof body.exception === 'string' || (body.message === '' && Object.keys(body).length === 1))));

const maintenanceTitle = /^(?:503\s*[|:–—-]\s*)?(?:service unavailable|сервис недоступен)$/i;
const maintenanceWords =
	/maintenance|be right back|техническ\S* (?:работ|обслуж)|профилактическ\S* работ|регламентн\S* работ/i;

/**
 * Whether the service was closed before it looked at anything. The framework then says so in words that nothing else of it uses,
 * or by a page, and has not counted the request. What a server before it says of itself proves nothing: gateways have the same
 * words for a request that takes too long, and goes on.
 */
function isMaintenance(status: number, headers: Record<string, unknown>, body: unknown): boolean {
	if ('x-ratelimit-limit' in headers || Object.keys(headers).some((name) => /^(?:x-amz|apigw)/.test(name)))
		return false;
	if (isObject(body))
		return body.message === 'Service Unavailable' && (status === 503 || saysSuccess(status));
	if (status !== 503) return false;
	const title = titleOf(body);
	const heading = /<h1[^<>]*>([^<]*)/i.exec(String(body))?.[1]!.trim() ?? '';
	const isFramework =
		maintenanceTitle.test(title) &&
		/^(?:503)?$/.test(heading.replace(maintenanceTitle, '')) &&
		!/HTTP Error 503/i.test(String(body));
	return isFramework || maintenanceWords.test(`${title} ${heading}`);
}

const titleOf = (page: unknown) => /<title[^<>]*>([^<]*)/i.exec(String(page))?.[1]!.trim() ?? '';

/** Address of a redirect without its query, in which the token can be. */
const targetOf = (location: unknown) =>
	typeof location === 'string' ? location.replace(/[?#].*/s, '') : undefined;

function readRetryAfter(headers: ServiceAnswer['headers'], now: number): number | undefined {
	const header = headers['retry-after'];
	if (isEmpty(header)) return undefined;
	const seconds = Number(header);
	if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
	const date = Date.parse(String(header));
	// By the service's own clock where it tells it: that of this machine may differ, and may jump.
	const since = Date.parse(String(headers.date));
	return Number.isNaN(date) ? undefined : Math.max(0, date - (Number.isNaN(since) ? now : since));
}
