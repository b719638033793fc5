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

/** A value, and the groups of fields that take or refuse it. */
export type Pasted = { groups: string[]; value: unknown } & ({ travels: unknown } | { said: string });

/** Short texts, separated by bars and line ends. */
export const texts = (written: string): string[] => written.trim().split(/\s*[|\n]\s*/);

/** A text with bars in it stands for several. */
const listed = (values: unknown[]) =>
	values.flatMap((value): unknown[] =>
		typeof value === 'string' && value.includes(' | ') ? texts(value) : [value],
	);

/** @param groups names with blanks between them */
export const takes = (groups: string, travels: unknown, ...values: unknown[]): Pasted[] =>
	listed(values).map((value) => ({ groups: groups.split(' '), value, travels }));

export const takesAsIs = (groups: string, ...values: unknown[]): Pasted[] =>
	listed(values).flatMap((value) => takes(groups, value, value));

export const refuses = (groups: string, said: string, ...values: unknown[]): Pasted[] =>
	listed(values).map((value) => ({ groups: groups.split(' '), value, said }));

export const withoutLabel = ([problem]: Problem[]) => problem!.message.slice("'".length);

/** The message for a value that is certainly wrong. The code has the words. */
export function saidOf(kind: Kind, value: unknown): string {
	const checked = checkAs(kind, value, '');
	if ('value' in checked) throw new Error(`The node accepts ${inspect(value)}`);
	return withoutLabel(checked.problems);
}
