import { createHash } from 'crypto';

/**
 * Returns a short text that is equal for equal values and does not reveal them.
 *
 * @param value any JSON value
 * @param length in characters, each of which distinguishes 64 values
 */
export const digestOf = (value: unknown, length = 32): string =>
	createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, length);
