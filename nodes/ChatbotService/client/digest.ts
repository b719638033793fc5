import { createHash, randomUUID } from 'crypto';

/**
 * A short text that is the same for the same value and tells nothing of it.
 *
 * @param value anything JSON can hold
 * @param length characters of it, each of which tells 64 values apart
 */
export const digestOf = (value: unknown, length = 32): string =>
	createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, length);

/** A name that nothing else has. */
export const newId = (): string => randomUUID();
