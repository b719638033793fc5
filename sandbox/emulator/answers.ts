/** Answers as they are sent, the HTML that a client may receive instead of JSON, refusals, and pages of a listing. */

import { STATUS_CODES } from 'node:http';

import type { Call } from './exchange';
import type { Dialect } from './services';

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

/**
 * The page that a request asks for, as the framework's paginator builds it. The URLs in `links` repeat its query, the token included, as the framework's do. Some services
 * do not number their pages, or always send the first one.
 */
export function pageOf<T>(all: T[], call: Call, perPage = 50, pages: Dialect['pages'] = 'numbered') {
	const { input, query, url: path } = call;
	const page = pages === 'repeated' ? 1 : Number(input.page ?? 1);
	const last = Math.max(1, Math.ceil(all.length / perPage));
	const start = (page - 1) * perPage;
	const data = all.slice(start, start + perPage);
	if (pages === 'unnumbered' || pages === 'repeated') return { data };
	const link = (number: number) => {
		const search = new URLSearchParams(query as Record<string, string>);
		search.delete('page');
		search.append('page', String(number));
		return `${path}?${search}`;
	};
	const prev = page > 1 ? link(page - 1) : null;
	const next = page < last ? link(page + 1) : null;
	const links = { first: link(1), last: link(last), prev, next };
	const [from, to] = data.length ? [start + 1, start + data.length] : [null, null];
	const meta = { current_page: page, from, last_page: last, path, per_page: perPage, to, total: all.length };
	return { data, links, meta };
}
