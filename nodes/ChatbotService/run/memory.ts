import type { IDataObject } from 'n8n-workflow';

import { answerOfNothing, type AnswerShape } from '../client/answer';
import { leftUnknown } from '../client/failure';
import { hasFailed, type Ended } from './outcome';

/*
 * What outlives a run of the node. With Retry On Fail n8n runs it again for all items, and so does Retry of a failed execution,
 * which may be weeks later and with values that the user has edited meanwhile. What was answered is not asked for again, and
 * what may have been done all the same is not done twice.
 */

/** What an item was asked for with. */
export interface Prints {
	/** What stands in the node, and the item: the same even where an expression tells the time. */
	written(): string | undefined;
	/** What the service was asked. */
	request(): string;
}

/** The execution's own data for the node, which n8n saves with it and has again when the execution is retried. */
export interface Kept {
	/** By index: 'a' for answered or 'u' for unknown, then both prints. */
	items?: Record<string, string>;
	/** What was answered, by index, where that was more than that it is done. */
	rows?: Record<string, IDataObject[]>;
}

/** Characters of a print: enough to tell edited values from those before. */
export const printLength = 8;

type Tries = Map<number, Ended>;

/** By the data of the run, which is the same object in all tries. */
const triesByRun = new WeakMap<object, Tries>();

function triesOf(key: object | null): Tries {
	const known = key && triesByRun.get(key);
	if (known) return known;
	const tries: Tries = new Map();
	if (key) triesByRun.set(key, tries);
	return tries;
}

/** How items ended before, where that must not be tried again. */
export class Memory {
	private readonly tries: Tries;

	/**
	 * @param triesKey the same object in all tries of a run; null where there is only one
	 * @param kept the same in all executions that were retried from one; null where none is
	 */
	constructor(
		triesKey: object | null,
		private readonly kept: Kept | null,
	) {
		this.tries = triesOf(triesKey);
	}

	/** How an item ended in an earlier try. */
	ofTry(item: number): Ended | undefined {
		return this.tries.get(item);
	}

	/** How an item ended when the execution ran before, if it was asked for with the same. */
	ofExecution(item: number, { written, request }: Partial<Prints>, shape: AnswerShape): Ended | undefined {
		const found = this.kept?.items?.[item];
		if (found === undefined) return undefined;
		const printed = found.slice(1);
		const isSame =
			(written && printed.slice(0, printLength) === written()) ||
			(request && printed.slice(printLength) === request());
		if (!isSame) return undefined;
		if (found.startsWith('u')) return { failure: leftUnknown() };
		return { rows: this.kept?.rows?.[item] ?? [answerOfNothing(shape)] };
	}

	keepForTries(item: number, ended: Ended) {
		this.tries.set(item, ended);
	}

	keepForExecution(item: number, ended: Ended, { written, request }: Prints, shape: AnswerShape) {
		const { kept } = this;
		if (!kept) return;
		kept.items ??= {};
		// One place for each print, whatever it holds.
		kept.items[item] = (hasFailed(ended) ? 'u' : 'a') + (written() ?? none) + request();
		if (!hasFailed(ended) && !saysNothing(ended.rows, shape)) (kept.rows ??= {})[item] = ended.rows;
	}

	/** Once the node has succeeded, nothing of it is retried. It may run again in the same execution, as in a loop. */
	forgetExecution() {
		delete this.kept?.items;
		delete this.kept?.rows;
	}
}

const saysNothing = (rows: IDataObject[], shape: AnswerShape) =>
	JSON.stringify(rows) === JSON.stringify([answerOfNothing(shape)]);

const none = ' '.repeat(printLength);
