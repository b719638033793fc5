/** Answers as they are sent, and the shapes of those that the API does not document. */

import type { Refusal } from './refusal';

/** An answer ready to be sent. */
export interface Answer {
	status: number;
	headers: Record<string, string>;
	body: string;
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Answer {
	return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

export function html(page: string, status = 200, headers: Record<string, string> = {}): Answer {
	return { status, headers: { 'content-type': 'text/html; charset=UTF-8', ...headers }, body: page };
}

export function refused({ status, body, headers }: Refusal): Answer {
	return typeof body === 'string' ? html(body, status, headers) : json(body, status, headers);
}

/** A record as a controller that ends in `return $rows` returns it. */
const ROW = { id: 7301, name: 'Анна Соколова', updated_at: '2026-11-05T09:30:00+03:00' };

/**
 * Answers to a request that changed something, for which the API documents "Response: not shown". A string is what the
 * framework makes of a controller's plain value, sent as a page: `return true` becomes "1".
 */
const DONE = {
	'[]': json([]),
	'{}': json({}),
	success: json({ success: true }),
	'empty body': html(''),
	'no content': { status: 204, headers: {}, body: '' },
	'text 1': html('1'),
	'text true': html('true'),
	'text ok': html('ok'),
	'text null': html('null'),
	'json true': json(true),
	'json 1': json(1),
	'json null': json(null),
	rows: json([ROW]),
} satisfies Record<string, Answer>;

export type DoneShape = keyof typeof DONE;

// The framework's controllers end in `return response()->json()` ({}), `json([])` ([]) or no return at all (an empty
// HTML body). This differs from method to method, so it does here too.
const USUAL = {
	attachTagToContact: '[]',
	detachTagFromContact: '[]',
	setContactVariable: '{}',
	deleteContactVariable: 'empty body',
	/** The API documents this one. */
	sendMessage: 'success',
	sendMessageToWhatsApp: '{}',
	addListSchemaField: '[]',
	deleteListSchemaField: '{}',
	deleteListSchema: 'empty body',
} satisfies Record<string, DoneShape>;

/** The shape of each operation's answer, where it can differ. Tests may change each of them. */
export interface AnswerShapes extends Record<keyof typeof USUAL, DoneShape> {
	/** data: `{ data: … }` with the new schema, like the framework's resources; the others contain no schema. */
	createListSchema: DoneShape | 'data';
}

export const DEFAULT_SHAPES: Readonly<AnswerShapes> = { ...USUAL, createListSchema: 'data' };

/** @returns the same shape for every operation that changes something */
export function allAnswered(shape: DoneShape): Partial<AnswerShapes> {
	return Object.fromEntries(Object.keys(DEFAULT_SHAPES).map((operation) => [operation, shape]));
}

export function done(shape: DoneShape): Answer {
	return DONE[shape];
}
