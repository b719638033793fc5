import type { Count } from '../pace/bursts';
import { isEmpty } from '../../shared/values';

/* What the headers of an answer say about the limits of the service. */

type Headers = Record<string, unknown>;

/** The service's own count of requests; undefined if the headers are missing or are not numbers. */
export function readCount(headers: Headers): Count | undefined {
	const [limit, remaining] = ['x-ratelimit-limit', 'x-ratelimit-remaining'].map((name) =>
		/^\d{1,9}$/.test(String(headers[name])) ? Number(headers[name]) : NaN,
	) as [number, number];
	return limit > 0 && remaining <= limit ? { limit, remaining } : undefined;
}

/**
 * How long the service wants to be left alone, in milliseconds.
 *
 * @param now in milliseconds since 1970, for a `Retry-After` that is a date
 */
export function readRetryAfter(headers: Headers, now: number): number | undefined {
	const header = headers['retry-after'];
	if (isEmpty(header)) return undefined;
	const seconds = Number(header);
	// A date refers to the service's clock, because the clock of this machine may differ or jump.
	const since = Date.parse(String(headers.date)) || now;
	const milliseconds = Number.isFinite(seconds) ? seconds * 1000 : Date.parse(String(header)) - since;
	return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
