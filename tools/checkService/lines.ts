import { readFileSync } from 'node:fs';

import { isAlias, isMap, isScalar, LineCounter, parseDocument, visit, type Document, type Node } from 'yaml';

import { DOCUMENT } from '../../sandbox/emulator/document';
import type { Claim } from './claims';

/* Where in docs/openapi.yaml something stands. No line number is written down, so edits of the document change none here. */

export interface Place {
	line: number;
	start: number;
	end: number;
}

interface Opened {
	text: string;
	lines: LineCounter;
	document: Document;
	/** What aliases stand for. The library looks through the whole document for each of them. */
	anchors: Map<string, Node>;
	/** Texts that the document knows as the `message` of a failure. */
	messages: string[];
}

let opened: Opened | undefined;

const open = () => (opened ??= read());

function read(): Opened {
	const text = readFileSync(DOCUMENT, 'utf8');
	const lines = new LineCounter();
	const document = parseDocument(text, { lineCounter: lines });
	const anchors = new Map<string, Node>();
	visit(document, { Value: (_key, node) => void (node.anchor && anchors.set(node.anchor, node)) });
	return { text, lines, document, anchors, messages: messagesIn(document.toJS()) };
}

const placeAt = (start: number, end: number): Place => ({
	line: open().lines.linePos(start).line,
	start,
	end,
});

/** All places of a quotation. There should be one. */
export function placesOf({ in: where, says }: Claim): Place[] {
	const [start, end] = rangeOf(where);
	const words = says.split(' ').map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
	const found = open()
		.text.slice(start, end)
		.matchAll(new RegExp(words.join('\\s+'), 'g'));
	return [...found].map(({ index, 0: { length } }) => placeAt(start + index, start + index + length));
}

function rangeOf(where: string | undefined): [number, number] {
	const { document } = open();
	const path = !where
		? ['info', 'description']
		: where.includes('.')
			? ['components', ...where.split('.')]
			: ['paths', `/api/v1/${where}`];
	const [start, end] = (document.getIn(path, true) as Node).range!;
	return [start, end];
}

/** The line on which an operation describes a status; that of its responses if it does not. */
export function lineOfResponse(endpoint: string, status: number): number {
	const { document, anchors } = open();
	const path = document.getIn(['paths', `/api/v1/${endpoint}`], true);
	const operation = isMap(path) ? (path.get('get', true) ?? path.get('post', true)) : undefined;
	const pair = isMap(operation)
		? operation.items.find(({ key }) => isScalar(key) && key.value === 'responses')
		: undefined;
	const responses = isAlias(pair?.value) ? anchors.get(pair.value.source) : pair?.value;
	const named = [String(status), `${Math.floor(status / 100)}XX`];
	const described = isMap(responses)
		? responses.items.find(({ key }) => isScalar(key) && named.includes(String(key.value)))
		: undefined;
	return placeAt((((described ?? pair)?.key as Node | undefined)?.range ?? [0])[0], 0).line;
}

/** Where the document says that something is only inferred. */
export const inferences = (): Place[] =>
	[...open().text.matchAll(/\(inferred[^)]*\)/g)].map(({ index, 0: { length } }) =>
		placeAt(index, index + length),
	);

/** Whether the document knows it as the `message` of a failure. */
export const isKnownMessage = (message: unknown): message is string =>
	typeof message === 'string' && open().messages.includes(message);

function messagesIn(value: unknown): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
		name === 'message'
			? typeof inner === 'string'
				? [inner]
				: ((inner as { enum?: string[] } | null)?.enum ?? [])
			: messagesIn(inner),
	);
}
