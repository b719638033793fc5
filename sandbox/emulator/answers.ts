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

/** Ends a request without its effect: thrown anywhere, and converted to the HTTP answer by exchange.ts. */
export class Refusal extends Error {
	/** @param body an object is sent as JSON, a string as an HTML page */
	constructor(
		readonly status: number,
		readonly body: object | string,
		readonly headers: Record<string, string> = {},
	) {
		super(`refused with ${status}`);
	}
}

/** The record that a request names, or 404. */
export function found<T>(record: T | undefined, otherwise: string): T {
	if (record === undefined) throw new Refusal(404, { message: otherwise });
	return record;
}

const page = (title: string, body: string) =>
	`<!DOCTYPE html>\n<html>\n<head><title>${title}</title></head>\n<body>${body}</body>\n</html>\n`;

/** To which a request is redirected if it does not ask for JSON. */
export const LOGIN_PAGE = page('Вход в личный кабинет', '<form method="post" action="/login"></form>');

/** The framework's page while it is under maintenance. */
export const MAINTENANCE_PAGE = page('Service Unavailable', '<strong>503</strong> Service Unavailable');

/** An error page of the web server in front of the framework. */
export function serverPage(status: number): string {
	const title = `${status} ${status === 503 ? 'Service Temporarily Unavailable' : STATUS_CODES[status]}`;
	return page(title, `<center><h1>${title}</h1></center>\n<hr><center>nginx</center>`);
}

const printed = (level: string, message: string, line: number) =>
	`<br />\n<b>${level}</b>:  ${message} in <b>/var/www/app/Http/Kernel.php</b> on line <b>${line}</b><br />\n`;

/** What PHP prints instead of an answer, and before one. */
const TYPE_ERROR = 'Uncaught TypeError: Argument #1 ($account) must not be null';
export const PHP_ERROR = printed('Fatal error', TYPE_ERROR, 41);
export const PHP_WARNING = printed('Warning', 'Undefined variable $tariff', 57);
