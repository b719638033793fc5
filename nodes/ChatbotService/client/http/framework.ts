import { parsed } from '../../shared/json';
import { isEmpty, isObject } from '../../shared/values';

/*
 * What an answer says that is not the application's own: PHP's texts, the pages of its framework Laravel during maintenance, and the wait
 * that a server asks for.
 */

/** PHP's text about an error that ended the application, at the beginning or on its own line. */
const fatal =
	/(?:^|\n|<b>)(?:PHP )?((?:Fatal|Parse|Recoverable fatal|Catchable fatal) error(?:<\/b>)?:[^\n]*)/i;

/** Where JSON begins: with the text, or in it with a bracket before a quotation mark or another bracket. */
const beginningOfJson = /^["[{]|[[{]\s*["{]/;

/** Whether a text that is no JSON contains JSON that was cut off. */
export const isTruncated = (text: string): boolean => beginningOfJson.test(text);

/**
 * Finds the JSON behind other text. If its settings allow it, PHP writes its warnings before the application's output; forgotten debug
 * output and byte order marks look similar.
 *
 * @param body parsed if it is JSON, otherwise the text
 * @returns the same if there is no other JSON, and PHP's fatal error if there is one: the application may then have written a part of
 * its answer
 */
export function withoutRemarks(body: unknown): { body: unknown; fatal?: string } {
	if (typeof body !== 'string') return { body };
	const words = fatal.exec(body)?.[1];
	if (words) return { body, fatal: words.replace(/<[^<>]*>/g, '') };
	const text = body.trim();
	const json = text.slice(Math.max(0, text.search(beginningOfJson)));
	const value = parsed(json);
	return { body: value === json ? text : value };
}

const maintenanceTitle = /^(?:503\s*[|:–—-]\s*)?(?:service unavailable|сервис недоступен)$/i;
const maintenanceWords =
	/maintenance|be right back|техническ\S* (?:работ|обслуж)|профилактическ\S* работ|регламентн\S* работ/i;

/**
 * Whether the service refused the request because of maintenance, before it processed anything. Laravel then sends a message or page
 * that it uses for nothing else, and does not count the request. A page of a server in front of it proves nothing: gateways use the
 * same words for a request that takes too long but continues.
 */
export function isMaintenance(status: number, headers: Record<string, unknown>, body: unknown): boolean {
	if ('x-ratelimit-limit' in headers || Object.keys(headers).some((name) => /^(?:x-amz|apigw)/.test(name)))
		return false;
	if (isObject(body)) return body.message === 'Service Unavailable' && (status === 503 || status < 300);
	if (status !== 503) return false;
	// Pages for people have short ones.
	const title = titleOf(body).slice(0, 200);
	const heading = (/<h1[^<>]*>([^<]*)/i.exec(String(body))?.[1]!.trim() ?? '').slice(0, 200);
	const isFramework =
		maintenanceTitle.test(title) &&
		/^(?:503)?$/.test(heading.replace(maintenanceTitle, '')) &&
		!/HTTP Error 503/i.test(String(body));
	return isFramework || maintenanceWords.test(`${title} ${heading}`);
}

/** Title of a web page; undefined for another body. Ignores the content type, because Laravel sends every text as HTML. */
export const titleOfPage = (body: unknown): string | undefined =>
	typeof body === 'string' && /<[a-z!?/][^<>]*>/i.test(body) ? titleOf(body) : undefined;

const titleOf = (page: unknown) => /<title[^<>]*>([^<]*)/i.exec(String(page))?.[1]!.trim() ?? '';

/**
 * How long the service wants to be left alone, in milliseconds.
 *
 * @param now in milliseconds since 1970, for a `Retry-After` that is a date
 */
export function readRetryAfter(headers: Record<string, unknown>, now: number): number | undefined {
	const header = headers['retry-after'];
	if (isEmpty(header)) return undefined;
	const seconds = Number(header);
	// A date refers to the service's clock, because the clock of this machine may differ or jump.
	const since = Date.parse(String(headers.date)) || now;
	const milliseconds = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(String(header)) - since;
	return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
