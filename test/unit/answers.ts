import { sleep } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/http/answer';

/* Answers of the service, for tests in virtual time. */

export const answer = (statusCode: number, body: unknown, retryAfter?: number): ServiceAnswer => ({
	statusCode,
	headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
	body,
});
export const failing = (status: number, message: string, retryAfter?: number) =>
	answer(status, { message }, retryAfter);

export const ok = answer(200, { success: true });
export const refused = failing(422, 'Нет контакта.');
export const broken = failing(500, 'Server Error');
export const forbidden = failing(403, 'Forbidden');
export const limited = (seconds?: number) => failing(429, 'Too Many Attempts.', seconds);
export const closed = (seconds?: number) => failing(503, 'Service Unavailable', seconds);
export const busy = (seconds: number) => answer(503, '', seconds);

export const later = async (milliseconds: number, answer = ok) =>
	await sleep(milliseconds).then(() => answer);

/** The error of Node.js for a failed step: a connection cannot be made, or it breaks. */
export function lost(code: string) {
	const step = ['ECONNREFUSED', 'ENOTFOUND'].includes(code) ? 'connect' : 'read';
	return Object.assign(new Error(`${step} ${code}`), { code });
}
