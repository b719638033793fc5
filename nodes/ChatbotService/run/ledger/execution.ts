import type { IDataObject } from 'n8n-workflow';

import { answerOfNothing, type AnswerShape } from '../../client/answer';
import { newId } from '../../client/digest';
import { leftUnknown } from '../../client/failure';
import { hasFailed, type Result } from '../../client/result';
import type { Operation } from '../../resources/operation';

/*
 * What outlives an execution that has failed. Retry of such an execution runs the node again for all items, perhaps weeks later and
 * with values that the user has edited. What was answered is not asked for again, and what may have been done is not done twice.
 *
 * What must not be done twice is known by what it changes, never by its content: a user who corrects a text and retries wants the
 * text sent to those who are missing. An idempotent request is sent again with its corrected values.
 *
 * n8n saves the data of a node with an execution that it has ended with an error, and starts the new execution with a copy of them.
 * The first execution never learns what the new one does, and can be retried once more, or again after a crash. Then the copies are old,
 * and n8n's store is asked under their common origin.
 */

/** What an item is recognised by. */
export interface Fingerprints {
	/** Of the node's parameters and the item as they stand: the same even where an expression tells the time. */
	written(): string | undefined;
	/** Of what the service was asked; where that must not be repeated, only of what it changes. Undefined where it cannot be read. */
	identity(): string | undefined;
}

/** The execution's own data of the node. n8n saves every text anew, so that all items are in one. */
export interface Kept {
	/** What all executions that were retried from one have in common. */
	origin?: string;
	/** By index, each in as many characters: 'a' for answered or 'u' for unknown, then both fingerprints. */
	items?: string;
	/** What was answered, by index, where that was more than that it is done. */
	rows?: Record<string, IDataObject[]>;
}

/** Characters of a fingerprint: enough to tell edited values from those before. */
export const fingerprintLength = 6;

const width = 1 + 2 * fingerprintLength;
const noFingerprint = ' '.repeat(fingerprintLength);

/** How items ended when the execution ran before, and how they end now. */
export class ExecutionRecord {
	/** How items of this run ended, as they are kept. */
	private readonly ended = new Map<number, string>();

	/** @param kept what an execution before has left, if this one is a retry of it; null where nothing can be kept */
	constructor(
		private readonly operation: Operation,
		private readonly kept: Kept | null,
	) {}

	/** How an item ended, if it was asked for with the same. */
	of(index: number, { written, identity }: Fingerprints): Result | undefined {
		const { answer, advice = {} } = this.operation;
		const found = this.kept?.items?.slice(index * width, (index + 1) * width);
		// Stryker disable next-line MethodExpression: no fingerprint is the same as blanks; it need not be made to see that.
		if (!found?.trim()) return undefined;
		const isSame =
			found.slice(1, 1 + fingerprintLength) === written() ||
			found.slice(1 + fingerprintLength) === identity();
		if (!isSame) return undefined;
		if (found.startsWith('u')) return { failure: leftUnknown(advice) };
		return { rows: this.kept!.rows?.[index] ?? [answerOfNothing(answer)] };
	}

	keep(index: number, result: Result, { written, identity }: Fingerprints) {
		const { kept } = this;
		if (!kept) return;
		const state = hasFailed(result) ? 'u' : 'a';
		this.ended.set(index, state + (written() ?? noFingerprint) + (identity() ?? noFingerprint));
		delete kept.rows?.[index];
		if (!hasFailed(result) && isWorthKeeping(result.rows, this.operation.answer))
			(kept.rows ??= {})[index] = result.rows;
	}

	/** The node ends with an error: hands n8n what is to be kept with the execution. @param count number of items */
	save(count: number) {
		const { kept, ended } = this;
		if (!kept) return;
		const before = kept.items ?? '';
		const items = Array.from(
			{ length: count },
			(_, index) => ended.get(index) ?? before.slice(index * width, (index + 1) * width).padEnd(width),
		);
		kept.items = items.join('').trimEnd();
		kept.origin ??= newId();
	}

	/** The node has succeeded, and is not retried. It may run again in the same execution, as in a loop. */
	forget() {
		delete this.kept?.origin;
		delete this.kept?.items;
		delete this.kept?.rows;
	}
}

/** Whether rows say more than that it is done, and can be saved: n8n writes them as JSON, which has no place for very deep ones. */
function isWorthKeeping(rows: IDataObject[], shape: AnswerShape): boolean {
	try {
		return JSON.stringify(rows) !== JSON.stringify([answerOfNothing(shape)]);
	} catch {
		return false;
	}
}
