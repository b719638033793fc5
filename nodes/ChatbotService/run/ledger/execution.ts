import { randomUUID } from 'crypto';
import type { IDataObject } from 'n8n-workflow';

import { answerOfNothing, type AnswerShape } from '../../client/http/answer';
import { leftUnknown } from '../../client/failure/failure';
import { hasFailed, type Result } from '../../client/failure/result';
import type { Operation } from '../../resources/operation';

/*
 * What survives a failed execution. Retry runs the node again for all items, perhaps weeks later and with values that the user
 * has edited. Answered items are not requested again, and what may have been done is not done twice.
 *
 * A request that must not be done twice is recognized by what it changes, never by its content: a user who corrects a text and
 * retries wants to send it to the missing recipients. An idempotent request is sent again with its corrected values.
 *
 * n8n saves the node's data with an execution that ends with an error, and starts the new execution with a copy. The first
 * execution does not learn what the new one does, and can be retried once more, or again after a crash. Its copy is then out of
 * date, so the common origin of all these executions identifies their requests in n8n's store.
 */

/** Identifies the request of an item in a retry; if it must not be repeated, only what it changes. Undefined if its values cannot be read. */
export type Fingerprint = () => string | undefined;

/** The execution's data of the node. One text holds all items, because n8n saves each text separately. */
export interface Kept {
	/** Common ID of an execution and its retries. */
	origin?: string;
	/** By index, with equal lengths: 'a' for answered or 'u' for unknown, blanks, and the fingerprint. */
	items?: string;
	/** Answers by index, if they contain more than success. */
	rows?: Record<string, IDataObject[]>;
	/** The people to whom it has written, if 'Maximum Recipients' limits their number: a line for each. */
	recipients?: string;
	/** Test messages that have left. */
	tested?: number;
}

/** Characters of a fingerprint: enough to tell edited values from the earlier ones. */
export const fingerprintLength = 6;

/** Characters of an item in `Kept.items`. The blanks stand where version 0.3 kept a fingerprint more. */
const width = 1 + 2 * fingerprintLength;

/** How items ended when the execution ran before, and how they end now. */
export class ExecutionRecord {
	/** How items of this run ended, in the format of `Kept.items`. */
	private readonly ended = new Map<number, string>();

	/** @param kept data of the execution that this one retries, if any; null if nothing can be kept */
	constructor(
		private readonly operation: Operation,
		private readonly kept: Kept | null,
	) {}

	/** How an item ended, if its request was the same. */
	of(index: number, fingerprint: Fingerprint): Result | undefined {
		const { answer, advice } = this.operation;
		const found = this.kept?.items?.slice(index * width, (index + 1) * width);
		if (!found?.trim() || found.slice(-fingerprintLength) !== fingerprint()) return undefined;
		// Only changes are kept.
		if (found.startsWith('u')) return advice && { failure: leftUnknown(advice.unknown) };
		return { rows: this.kept!.rows?.[index] ?? [answerOfNothing(answer)] };
	}

	keep(index: number, result: Result, fingerprint: Fingerprint) {
		const { kept } = this;
		if (!kept) return;
		const state = hasFailed(result) ? 'u' : 'a';
		this.ended.set(index, state + (fingerprint() ?? '').padStart(width - 1));
		delete kept.rows?.[index];
		if (!hasFailed(result) && isWorthKeeping(result.rows, this.operation.answer))
			(kept.rows ??= {})[index] = result.rows;
	}

	/** The node ends with an error: prepares the data that n8n saves with the execution. @param count number of items @returns if there is any */
	save(count: number): boolean {
		const { kept, ended } = this;
		if (!kept) return false;
		const before = kept.items ?? '';
		const items = Array.from(
			{ length: count },
			(_, index) => ended.get(index) ?? before.slice(index * width, (index + 1) * width).padEnd(width),
		);
		kept.items = items.join('').trimEnd();
		kept.origin ??= randomUUID();
		return true;
	}

	/** The node has succeeded and is not retried. It may run again in the same execution, for example in a loop. */
	forget() {
		delete this.kept?.origin;
		delete this.kept?.items;
		delete this.kept?.rows;
	}
}

/** The different people to whom an execution writes, in all calls of the node: a loop calls it for each batch. Null as above. */
export class Recipients {
	private readonly earlier: ReadonlySet<string>;

	constructor(private readonly kept: Kept | null) {
		this.earlier = new Set(kept?.recipients?.match(/.+/g));
	}

	/** Their number before a call, and with its own. */
	with(people: string[]): { before: number; all: number } {
		return { before: this.earlier.size, all: new Set([...this.earlier, ...people]).size };
	}

	keep(people: string[]) {
		if (this.kept) this.kept.recipients = [...new Set([...this.earlier, ...people])].join('\n');
	}
}

/** Whether rows contain more than success and can be saved. n8n saves them as JSON, which cannot hold very deep values. */
function isWorthKeeping(rows: IDataObject[], shape: AnswerShape): boolean {
	try {
		return JSON.stringify(rows) !== JSON.stringify([answerOfNothing(shape)]);
	} catch {
		return false;
	}
}
