/** Answers as they leave, and the shapes of those the interface does not show. */

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

/** An answer to a request that changed something, where the interface says "Response: not shown". */
export type DoneShape = '[]' | '{}' | 'empty body' | 'no content' | 'success';

/** An answer that gives one schema: alone, or as `{ data: … }` as the framework's resources do. */
export type OneShape = 'data' | 'bare';

/** How each operation with an answer the interface does not show is answered. Tests may change every one. */
export interface AnswerShapes {
	attachTagToContact: DoneShape;
	detachTagFromContact: DoneShape;
	setContactVariable: DoneShape;
	deleteContactVariable: DoneShape;
	sendMessageToWhatsApp: DoneShape;
	addListSchemaField: DoneShape;
	deleteListSchemaField: DoneShape;
	deleteListSchema: DoneShape;
	getListSchema: OneShape;
	createListSchema: OneShape;
}

// The framework's controllers end in `return response()->json()` ({}), `json([])` ([]) or no return at all (an empty
// HTML body); which one differs from method to method, so the defaults do too.
export const DEFAULT_SHAPES: Readonly<AnswerShapes> = {
	attachTagToContact: '[]',
	detachTagFromContact: '[]',
	setContactVariable: '{}',
	deleteContactVariable: 'empty body',
	sendMessageToWhatsApp: '{}',
	addListSchemaField: '[]',
	deleteListSchemaField: '{}',
	deleteListSchema: 'empty body',
	getListSchema: 'data',
	createListSchema: 'data',
};

export function done(shape: DoneShape): Answer {
	switch (shape) {
		case '[]':
			return json([]);
		case '{}':
			return json({});
		case 'success':
			return json({ success: true });
		case 'empty body':
			return html('');
		case 'no content':
			return { status: 204, headers: {}, body: '' };
	}
}

export function one(shape: OneShape, value: object): Answer {
	return json(shape === 'data' ? { data: value } : value);
}
