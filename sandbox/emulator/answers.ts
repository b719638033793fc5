/** Answers as they are sent, the HTML that a client may receive instead of JSON, and refusals. */

import { STATUS_CODES } from 'node:http';

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

/** Ends a request without its effect: thrown anywhere, and answered by exchange.ts. */
export class Refusal extends Error {
	constructor(readonly answer: Answer) {
		super(`refused with ${answer.status}`);
	}
}

export const refusal = (status: number, message: string) => new Refusal(json({ message }, status));

/** The record that a request names, or 404. */
export function found<T>(record: T | undefined, otherwise: string): T {
	if (record === undefined) throw refusal(404, otherwise);
	return record;
}

export const page = (title: string, body: string) =>
	`<!DOCTYPE html>\n<html>\n<head><title>${title}</title></head>\n<body>${body}</body>\n</html>\n`;

/** An error page of the web server in front of the framework. */
export function serverPage(status: number): string {
	const title = `${status} ${status === 503 ? 'Service Temporarily Unavailable' : STATUS_CODES[status]}`;
	return page(title, `<center><h1>${title}</h1></center>\n<hr><center>nginx</center>`);
}
