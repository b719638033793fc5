import { inspect } from 'node:util';

import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import { checkAs, type Kind } from '../../nodes/ChatbotService/resources/kind';

/* How the tables of this folder are written. */

export interface PastedInto {
	/** Title of the variant of an operation. */
	variant: string;
	/** Name of the field, and its label in the editor. */
	field: string;
	label: string;
	/** Accepted values, and what is sent for each. */
	taken: Array<[received: unknown, travels: unknown]>;
	/** Refused values, each with its message without the label. */
	refused: Array<[received: unknown, withoutLabel: string]>;
}

export const readAs = (travels: unknown, values: unknown[]): PastedInto['taken'] =>
	values.map((value) => [value, travels]);

export const unchanged = (values: unknown[]): PastedInto['taken'] => values.map((value) => [value, value]);

/** Short texts, separated by bars and line ends. */
export const texts = (written: string): string[] => written.trim().split(/\s*[|\n]\s*/);

export const withoutLabel = ([problem]: Problem[]) => problem!.message.slice("'".length);

/** The message for a value that is certainly wrong. The code has the words. */
export function saidOf(kind: Kind, value: unknown): string {
	const checked = checkAs(kind, value, '');
	if ('value' in checked) throw new Error(`The node accepts ${inspect(value)}`);
	return withoutLabel(checked.problems);
}

export const refusedAs = (withoutLabel: string, values: unknown[]): PastedInto['refused'] =>
	values.map((value) => [value, withoutLabel]);
