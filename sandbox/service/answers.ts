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

const DONE_SHAPES = [
	...(['[]', '{}', 'empty body', 'no content', 'success'] as const),
	...(['text 1', 'text true', 'text ok', 'text null', 'json true', 'json 1', 'json null', 'rows'] as const),
] as const;

/**
 * An answer to a request that changed something, where the interface says "Response: not shown". A text is what the
 * framework makes of a controller's plain value, sent as a page: `return true` becomes "1".
 */
export type DoneShape = (typeof DONE_SHAPES)[number];

const ONE_SHAPES = ['data', 'bare'] as const;

/** An answer that gives one schema: alone, or as `{ data: … }` as the framework's resources do. */
export type OneShape = (typeof ONE_SHAPES)[number];

/** How each operation with an answer that may differ is answered. Tests may change every one. */
export interface AnswerShapes {
	attachTagToContact: DoneShape;
	detachTagFromContact: DoneShape;
	setContactVariable: DoneShape;
	deleteContactVariable: DoneShape;
	/** The interface shows 'success'. */
	sendMessage: DoneShape;
	sendMessageToWhatsApp: DoneShape;
	addListSchemaField: DoneShape;
	deleteListSchemaField: DoneShape;
	deleteListSchema: DoneShape;
	getListSchema: OneShape;
	/** A DoneShape says nothing of the schema. */
	createListSchema: OneShape | DoneShape;
}

// The framework's controllers end in `return response()->json()` ({}), `json([])` ([]) or no return at all (an empty
// HTML body); which one differs from method to method, so the defaults do too.
export const DEFAULT_SHAPES: Readonly<AnswerShapes> = {
	attachTagToContact: '[]',
	detachTagFromContact: '[]',
	setContactVariable: '{}',
	deleteContactVariable: 'empty body',
	sendMessage: 'success',
	sendMessageToWhatsApp: '{}',
	addListSchemaField: '[]',
	deleteListSchemaField: '{}',
	deleteListSchema: 'empty body',
	getListSchema: 'data',
	createListSchema: 'data',
};

/** @returns the same shape for every operation that changes something */
export function allAnswered(shape: DoneShape): Omit<AnswerShapes, 'getListSchema'> {
	const { getListSchema: _, ...changing } = DEFAULT_SHAPES;
	return Object.fromEntries(Object.keys(changing).map((operation) => [operation, shape])) as typeof changing;
}

/** Shapes that come over HTTP: by operation, or one for all that change something. */
export const SHAPES_SCHEMA = {
	type: ['object', 'string'],
	additionalProperties: false,
	properties: {
		...Object.fromEntries(Object.keys(DEFAULT_SHAPES).map((operation) => [operation, { enum: DONE_SHAPES }])),
		getListSchema: { enum: ONE_SHAPES },
		createListSchema: { enum: [...ONE_SHAPES, ...DONE_SHAPES] },
	},
	if: { type: 'string' },
	then: { enum: DONE_SHAPES },
};

/** A record as a controller hands it on that ends in `return $rows`. */
const ROW = { id: 7301, name: 'Анна Соколова', updated_at: '2026-11-05T09:30:00+03:00' };

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
		case 'text 1':
			return html('1');
		case 'text true':
			return html('true');
		case 'text ok':
			return html('ok');
		case 'text null':
			return html('null');
		case 'json true':
			return json(true);
		case 'json 1':
			return json(1);
		case 'json null':
			return json(null);
		case 'rows':
			return json([ROW]);
	}
}

export function one(shape: OneShape | DoneShape, value: object): Answer {
	if (shape === 'data') return json({ data: value });
	return shape === 'bare' ? json(value) : done(shape);
}
