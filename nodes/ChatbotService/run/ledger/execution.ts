import type { IDataObject } from 'n8n-workflow';

import { answerOfNothing, type AnswerShape } from '../../client/answer';
import { newId } from '../../client/digest';
import { leftUnknown } from '../../client/failure';
import type { Operation } from '../../resources/operation';
import { hasFailed, type Ended } from '../outcome';

/*
 * What outlives a run of the node. With Retry On Fail n8n runs it again for all items, and so does Retry of a failed execution,
 * which may be weeks later and with values that the user has edited meanwhile. What was answered is not asked for again, and
 * what may have been done all the same is not done twice.
 *
 * What must not be done twice is known by what it changes, never by its content: a user who corrects a text and retries wants the
 * text sent to those who are missing. What does no harm twice is done again with its corrected values.
 *
 * For Retry n8n saves the data of a node with an execution that it has ended with an error, and starts the new execution with a
 * copy of them. What that one does never gets back to the first, which can be retried once more, or again after a crash: then
 * the copies are old, and n8n's store is asked under their common name.
 */

/** What an item was asked for with. */
export interface Fingerprints {
	/** What stands in the node, and the item: the same even where an expression tells the time. */
	written(): string | undefined;
	/** What the service was asked; where that must not be repeated, only what it changes. Undefined where it cannot be read. */
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

interface Tries {
	ended: Map<number, Ended>;
	/** What the execution had in common with others when the first of them began. */
	origin: string | undefined;
}

/** By the data of the run, which is the same object in all tries. */
const triesByRun = new WeakMap<object, Tries>();

/** How items ended before, where that must not be tried again. */
export class Memory {
	/** What the executions have in common that this one is a retry of; undefined when it is none. */
	readonly origin: string | undefined;

	private readonly tries: Tries;

	/** How items of this run ended, as they are kept. */
	private readonly ended = new Map<number, string>();

	/**
	 * @param triesKey the same object in all tries of a run; null where there is only one
	 * @param kept what an execution before has left, if this one is a retry of it; null where nothing can be kept
	 */
	constructor(
		triesKey: object | null,
		private readonly kept: Kept | null,
	) {
		const known = triesKey && triesByRun.get(triesKey);
		this.tries = known ?? { ended: new Map<number, Ended>(), origin: kept?.origin };
		if (triesKey) triesByRun.set(triesKey, this.tries);
		this.origin = this.tries.origin;
	}

	/** How an item ended in an earlier try. */
	ofTry(item: number): Ended | undefined {
		return this.tries.ended.get(item);
	}

	/** How an item ended when the execution ran before, if it was asked for with the same. */
	ofExecution(
		item: number,
		{ written, identity }: Partial<Fingerprints>,
		{ answer, advice }: Operation,
	): Ended | undefined {
		const found = this.kept?.items?.slice(item * width, (item + 1) * width);
		// Stryker disable next-line MethodExpression: no fingerprint is the same as blanks; it need not be made to see that.
		if (!found?.trim()) return undefined;
		const isSame =
			(written && found.slice(1, 1 + fingerprintLength) === written()) ||
			(identity && found.slice(1 + fingerprintLength) === identity());
		if (!isSame) return undefined;
		if (found.startsWith('u')) return { failure: leftUnknown(advice ?? {}) };
		return { rows: this.kept!.rows?.[item] ?? [answerOfNothing(answer)] };
	}

	keepForTries(item: number, ended: Ended) {
		this.tries.ended.set(item, ended);
	}

	keepForExecution(item: number, ended: Ended, { written, identity }: Fingerprints, shape: AnswerShape) {
		const { kept } = this;
		if (!kept) return;
		this.ended.set(
			item,
			(hasFailed(ended) ? 'u' : 'a') + (written() ?? noFingerprint) + (identity() ?? noFingerprint),
		);
		delete kept.rows?.[item];
		if (!hasFailed(ended) && isWorthKeeping(ended.rows, shape)) (kept.rows ??= {})[item] = ended.rows;
	}

	/** The node ends with an error: hands n8n what is to be kept with the execution. @param count number of items */
	save(count: number) {
		const { kept, ended } = this;
		if (!kept) return;
		const before = kept.items ?? '';
		const items = Array.from(
			{ length: count },
			(_, item) => ended.get(item) ?? before.slice(item * width, (item + 1) * width).padEnd(width),
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
