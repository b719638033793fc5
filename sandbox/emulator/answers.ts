/** Answers as they are sent, and what the emulator answers where the API does not document it. */

import { parseJson } from './recording';
import type { Refusal } from './refusal';
import { isObject } from './validation';

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

/**
 * Answers to a request that changed something. The API documents most of them as "Response: not shown". The framework's controllers end
 * in `return response()->json()` ({}), `json([])` ([]) or no return at all (an empty page). This differs from method to method, so it
 * does here too.
 */
const DONE = {
	'[]': json([]),
	'{}': json({}),
	'empty page': html(''),
	success: json({ success: true }),
};

export function done(answer: keyof typeof DONE): Answer {
	return DONE[answer];
}

/** A success in the form that LEADTEX has for all of them. */
export function wrapped({ body }: Answer): Answer {
	const content = parseJson(body);
	return json({ data: null, ...(isObject(content) && content), errors: [], message: '', success: true });
}
