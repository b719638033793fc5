import { isObject } from '../../shared/values';

/* How an answer during maintenance is told from other failures. */

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

export const titleOf = (page: unknown) => /<title[^<>]*>([^<]*)/i.exec(String(page))?.[1]!.trim() ?? '';
