import type { INodeExecutionData } from 'n8n-workflow';

import { brokenHere, invalidValues, type Failure, type Problem } from '../client/failure/failure';
import { wordsOf } from '../shared/quote';
import { sendingHours } from '../resources/message/hours';
import { isReading } from '../resources/operation';
import { Delivery, type RunControl } from './delivery';
import type { ReadyItem } from './lane';
import { Outcomes } from './outcome';
import {
	canceledError,
	hintOf,
	hintOfEmptyParts,
	hintOfNotices,
	isTool,
	itemsOf,
	stoppingError,
	tally,
	troubleOf,
	waitingItems,
} from './output';
import { prepare, type Prepared, type RunContext } from './prepare';
import { Slices } from './slices';
import { hoursDiffer, withoutStore } from './values/problems';

/*
 * A run of the node, from items to items:
 *
 *     items ─ read ─ check ─┐ hold ┌─ order ─ ledger ─ client ─ outcome ─ items out, errors, hints
 *             slices        └──────┘
 *
 * `prepare` collects what the items have in common. This file reads and checks each item, in slices. In stop mode it holds the items
 * until all are checked, and sends none if one is wrong. In the continue modes each item leaves as soon as it is checked. `Delivery`
 * takes a ready item to its outcome. An item that an earlier run left in doubt does not stop the others. A run that ends with its
 * sending hours has not failed, also in stop mode.
 */

const reportEveryMs = 30_000;

/** @throws NodeApiError or NodeOperationError that names the item, in stop mode */
export async function run(context: RunContext): Promise<INodeExecutionData[]> {
	return await new Run(context).run();
}

class Run implements RunControl {
	private readonly stopping = new AbortController();
	readonly signal = this.stopping.signal;
	/** Whether the other items continue after one has failed. */
	private readonly mayContinue: boolean;
	private readonly outcomes: Outcomes;
	private readonly slices = new Slices();
	private prepared: Prepared | undefined;
	private hasWrongValues = false;
	/** Why no message may leave now, as soon as one had to leave outside of the sending hours. */
	private closed: Failure | undefined;
	/** For how many items each part of a text was empty. */
	private readonly emptyParts = new Map<string, number>();

	constructor(private readonly context: RunContext) {
		this.mayContinue = context.continues || isForModel(context);
		this.outcomes = new Outcomes(context.count, () => performance.now());
	}

	async run(): Promise<INodeExecutionData[]> {
		const { context } = this;
		const cancel = () => this.stopping.abort();
		context.signal?.addEventListener('abort', cancel);
		if (context.signal?.aborted) cancel();
		try {
			await this.runItems();
			// Only an execution whose question was accepted waits. After Stop, a person cannot answer.
			const isAsked = this.outcomes.done === this.outcomes.expected && !this.isCanceled();
			const hint = isAsked && (await this.prepared?.asking?.wait());
			if (hint) context.hint(hint);
		} finally {
			context.signal?.removeEventListener('abort', cancel);
		}
		return this.output();
	}

	private async runItems() {
		const { context } = this;
		const prepared = await prepare(context).catch((error: unknown) => ({
			failure: brokenHere(error, 'notDone'),
		}));
		if ('failure' in prepared) {
			for (let index = 0; index < context.count; index++) this.outcomes.record(index, prepared);
			return;
		}
		this.prepared = prepared;
		// Also if the user has stopped the execution between two tries.
		for (const [index, result] of prepared.ledger.endedInEarlierTries)
			this.outcomes.record(index, result, 'earlier');
		try {
			await this.deliver(prepared);
		} finally {
			const lost = await prepared.ledger.close(context.signal);
			if (lost) this.tell(`n8n could not record the outcome for ${lost} recipients; they are in doubt`);
		}
	}

	private async deliver(prepared: Prepared) {
		const delivery = new Delivery(prepared, this.outcomes, this);
		const over = new AbortController();
		void prepared.hours?.end(over.signal).then((ended) => ended && delivery.endOutsideHours());
		try {
			await this.deliverItems(prepared, delivery);
		} finally {
			over.abort();
		}
	}

	private async deliverItems(prepared: Prepared, delivery: Delivery) {
		const held: ReadyItem[] = [];
		for (let index = 0; index < this.outcomes.expected; index++) {
			await this.slices.next();
			if (this.signal.aborted) break;
			const item = this.read(prepared, index);
			if (!item) continue;
			if (this.mayContinue) delivery.add(item);
			else held.push(item);
		}
		if (this.hasWrongValues) this.gaveUp();
		for (const item of held) {
			await this.slices.next();
			if (this.signal.aborted) break;
			delivery.add(item);
		}
		await delivery.end();
	}

	/** The item as it can be sent; undefined if it has ended because its values are wrong or it was done before. */
	private read(prepared: Prepared, index: number): ReadyItem | undefined {
		let failure: Failure;
		try {
			const item = this.readAndCheck(prepared, index);
			if (!item || !('problems' in item)) return item;
			failure = invalidValues(item.problems);
		} catch (error) {
			failure = brokenHere(error, 'notDone');
		}
		this.hasWrongValues = true;
		this.outcomes.record(index, { failure });
		this.progressed();
		return undefined;
	}

	private readAndCheck(
		{ operation, reader, check, settings, ledger, hours, asking, fingerprintsOf }: Prepared,
		index: number,
	): ReadyItem | { problems: Problem[] } | undefined {
		const read = reader.valuesOf(index);
		const earlier = ledger.earlier(index, fingerprintsOf(index, read));
		if (earlier) {
			this.outcomes.record(index, earlier, 'earlier');
			return undefined;
		}
		const values = check.of(read);
		const sending = settings.of(index);
		if ('problems' in values || 'problems' in sending)
			return { problems: [values, sending].flatMap((each) => ('problems' in each ? each.problems : [])) };
		if (values.dedupKey !== undefined && !ledger.canClaim) {
			const label = operation.sendOncePer!.field.displayName;
			return { problems: [withoutStore(label, wordsOf(ledger.storeError))] };
		}
		// If the hours of the first item are wrong, those of the others differ from them too.
		if (values.hours && !hours?.equal(values.hours))
			return { problems: [hoursDiffer(sendingHours.displayName, values.hours)] };
		for (const part of values.emptyParts) this.emptyParts.set(part, (this.emptyParts.get(part) ?? 0) + 1);
		const opened = asking ? asking.open(values) : values;
		if ('problems' in opened) return opened;
		return { index, values: opened, ...sending, fingerprints: fingerprintsOf(index, values) };
	}

	private output(): INodeExecutionData[] {
		const { context, outcomes, prepared } = this;
		const { operation, includesInput } = prepared ?? {};
		const isCanceled = this.isCanceled();
		const { node, first, source } = context;
		const origin = { node, first, input: source.input, unknown: operation?.advice?.unknown, includesInput };
		const trouble = this.closed
			? prepared?.hours?.notice(outcomes, this.closed)
			: troubleOf(outcomes, prepared?.check.sendOncePer !== undefined);
		if (trouble) this.tell(trouble);
		const reads = operation !== undefined && isReading(operation);
		const hints = [
			hintOf(outcomes, { reads, trouble }),
			hintOfEmptyParts(this.emptyParts, outcomes.expected),
			hintOfNotices(outcomes),
		];
		for (const hint of hints) if (hint) context.hint(hint);
		if (!this.mayContinue && isCanceled && outcomes.ended < outcomes.expected)
			throw canceledError(origin, outcomes.firstLeft, outcomes.expected > 1 && tally(outcomes));
		if (!this.mayContinue && outcomes.failed > 0) {
			prepared?.ledger.save(outcomes.expected);
			throw stoppingError(origin, outcomes);
		}
		prepared?.ledger.forget();
		if (prepared?.asking && outcomes.done === outcomes.expected)
			return waitingItems(prepared.asking.asker.items);
		return itemsOf(origin, outcomes, { isCanceled });
	}

	isCanceled() {
		return this.context.signal?.aborted === true;
	}

	gaveUp() {
		if (!this.mayContinue) this.stopping.abort();
	}

	outsideHours(closed: Failure) {
		this.closed = closed;
		// Without a failure: a run that reaches the end of its hours has not failed.
		if (this.prepared?.hours?.wereOpen) this.gaveUp();
	}

	progressed() {
		const text = this.outcomes.progress(reportEveryMs);
		if (text) this.tell(text);
	}

	private tell(text: string) {
		this.context.log(`${this.context.node.name}: ${text}`);
	}
}

/**
 * Whether an AI agent gets the failure as the answer of its tool, so that its model can read what is wrong and what to do. If the node
 * throws, the agent passes on only the message or nothing, depending on its version.
 */
function isForModel({ node, calledByAgent }: RunContext): boolean {
	if (!isTool(node) || node.onError === 'stopWorkflow') return false;
	// With Retry On Fail, an agent that calls its tools by itself repeats only calls that throw. n8n's engine also repeats calls that
	// answer with a failure.
	return !(node.retryOnFail && calledByAgent);
}
