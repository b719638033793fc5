import type { INodeExecutionData } from 'n8n-workflow';

import type { Client } from '../client/client';
import {
	brokenHere,
	invalidValues,
	tooManyRecipients,
	type Failure,
	type Problem,
} from '../client/failure/failure';
import type { Wait } from '../client/pace/gate';
import { wordsOf } from '../shared/quote';
import { wait } from '../client/pace/clock';
import { isReading, WireValues } from '../resources/operation';
import { testerIsRecipient } from '../resources/problems';
import { Delivery } from './delivery';
import { Halt } from './halt';
import type { ReadyItem } from './lane';
import { countOne, Outcomes } from './outcome';
import {
	canceledError,
	earlyEndOf,
	hintOf,
	hintOfEmptyParts,
	hintOfResults,
	isTool,
	itemsOf,
	stoppingError,
	tally,
	waiting,
	waitingItems,
	warning,
	warningsFirst,
} from './output';
import { prepare, type Prepared, type RunContext } from './prepare';
import { Recipients } from './ledger/execution';
import { endOf } from './ledger/ledger';
import { Slices } from './slices';
import { TestRun } from './testRun';
import { withoutStore } from './values/valueProblems';

/*
 * A run of the node, from items to items; CONTRIBUTING.md follows one message on its way. This file reads and checks each item, in slices.
 * In stop mode it holds the items until all are checked, and sends none if one is wrong. In the continue modes each item leaves as soon as
 * it is checked. An item that an earlier run left in doubt does not stop the others. A run that ends with its sending hours has not failed,
 * also in stop mode.
 */

const reportEveryMs = 30_000;

/** How often a run looks whether it waits because of trouble. */
const lookEveryMs = 5000;

/** @throws NodeApiError or NodeOperationError that names the item, in stop mode */
export async function run(context: RunContext): Promise<INodeExecutionData[]> {
	return await new Run(context).run();
}

class Run {
	private readonly halt: Halt;
	private readonly outcomes: Outcomes;
	private readonly slices = new Slices();
	private readonly recipients: Recipients;
	private prepared: Prepared | undefined;
	private hasWrongValues = false;
	/** The notice of a test run. */
	private tested: string | undefined;
	/** For how many items each part of a text was empty. */
	private readonly emptyParts = new Map<string, number>();

	constructor(private readonly context: RunContext) {
		this.halt = new Halt(context.signal, context.continues || isForModel(context));
		this.outcomes = new Outcomes(context.count, () => performance.now());
		this.recipients = new Recipients(context.kept);
	}

	async run(): Promise<INodeExecutionData[]> {
		try {
			await this.runItems();
			// Only an execution whose question was accepted waits. After Stop, a person cannot answer.
			const isAsked = this.outcomes.counts.done === this.outcomes.expected && !this.isCanceled;
			const hint = isAsked && (await this.prepared?.question?.wait());
			if (hint) this.context.hint(warning(hint));
		} finally {
			this.halt.close();
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
			const lost = await prepared.ledger.close(this.halt.canceled);
			if (lost) this.tell(`n8n could not record the outcome for ${lost} recipients; they are in doubt`);
		}
	}

	private async deliver(prepared: Prepared) {
		const { halt } = this;
		const delivery = new Delivery(prepared, this.outcomes, halt, {
			progress: () => this.progressed(),
			tell: (text) => this.tell(text),
		});
		const { check, isTest } = prepared;
		void this.lookAtWaits(prepared.client, delivery);
		const waits = !halt.mayContinue || isTest || check.runOptions.has('mostRecipients');
		const held: ReadyItem[] = [];
		for (let index = 0; index < this.outcomes.expected; index++) {
			await this.slices.next();
			if (this.isStopped) break;
			const item = this.read(prepared, index);
			if (!item) continue;
			if (waits) held.push(item);
			else delivery.add(item);
		}
		if (this.hasWrongValues) halt.failed();
		const failure = this.whyNone(held, prepared);
		if (failure) {
			for (const { index } of held) this.outcomes.record(index, { failure });
			halt.failed();
		} else if (isTest) {
			this.tested = await new TestRun(held, delivery, this.outcomes, this.context.kept ?? {}).run();
		}
		for (const item of failure || isTest ? [] : held) {
			await this.slices.next();
			delivery.add(item);
		}
		await delivery.drain();
		await delivery.completeRows();
		if (failure || !check.runOptions.has('mostRecipients')) return;
		// When the run fails, its user may correct items and retry the execution: then those count to whom something may have been sent.
		const counts = ({ index }: ReadyItem) => halt.mayContinue || endOf(this.outcomes.of(index)) !== 'notSent';
		this.recipients.keep(peopleOf(held.filter(counts)));
	}

	/** Why no item of the run may leave although each of them is valid; undefined if they may. */
	private whyNone(items: ReadyItem[], { operation, check }: Prepared): Failure | undefined {
		const { runOptions } = check;
		const { mostRecipients: most, testRun } = runOptions.ofFirst;
		const { tester, ofRun } = operation.broadcast ?? {};
		// Otherwise, the person who tries the run could be a recipient.
		const unequal = runOptions.whyNotSame('testRun');
		if (unequal) return invalidValues([unequal]);
		if (testRun && !testRun.isFixed && check.isRecipient(tester!, testRun.tester))
			return invalidValues([testerIsRecipient(tester!.displayName)]);
		if (most === undefined) return undefined;
		const { before, all } = this.recipients.with(peopleOf(items));
		return all > most
			? tooManyRecipients(all, ofRun!.mostRecipients.field.displayName, most, before)
			: undefined;
	}

	/** Whether the values of other items no longer matter. After trouble, wrong ones and what was done before still count. */
	private get isStopped(): boolean {
		const { reason } = this.halt;
		return reason !== undefined && !('failure' in reason);
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
		{ operation, expressions, check, ledger, question, fingerprintOf }: Prepared,
		index: number,
	): ReadyItem | { problems: Problem[] } | undefined {
		const read = expressions.valuesOf(index);
		const earlier = ledger.earlier(index, fingerprintOf(read));
		if (earlier) {
			this.outcomes.record(index, earlier, 'earlier');
			return undefined;
		}
		const values = check.valuesOf(read);
		if ('problems' in values) return values;
		if (values.dedupKey !== undefined && !ledger.canClaim) {
			const label = operation.broadcast!.sendOncePer.displayName;
			return { problems: [withoutStore(label, wordsOf(ledger.storeError))] };
		}
		for (const part of values.emptyParts) countOne(this.emptyParts, part);
		const opened = question ? question.open(values) : values;
		if ('problems' in opened) return opened;
		return { index, values: opened, fingerprint: fingerprintOf(values) };
	}

	private output(): INodeExecutionData[] {
		const { context, outcomes, prepared, isCanceled } = this;
		const { counts, expected } = outcomes;
		const { mayContinue } = this.halt;
		const { operation, includesInput, sentOncePer } = prepared ?? {};
		const { node, first, source } = context;
		// No expression can decide it, so the items do not differ.
		const reads =
			operation !== undefined && isReading(operation, new WireValues(Object.entries(source.raw) as never));
		const unknown = reads ? undefined : operation?.advice?.unknown;
		const verb = operation?.message ? 'sent' : 'done';
		const origin = { node, first, input: source.input, unknown, includesInput, verb } as const;
		const early = earlyEndOf(outcomes, prepared?.hours, prepared?.check.sendOncePer !== undefined);
		if (early) this.tell([tally(outcomes, verb), ...early.reasons, early.next].filter(Boolean).join(' '));
		if (this.tested) this.tell(this.tested);
		const { assumedLimits } = operation?.advice ?? {};
		const hints = [
			hintOfResults(outcomes.warnings, expected, 'warning'),
			...(prepared?.check.warningsOf(expected) ?? []).map(warning),
			hintOfResults(outcomes.notices, expected),
			hintOfEmptyParts(this.emptyParts, expected),
			this.tested === undefined
				? hintOf(outcomes, { verb, reads, early, sentOncePer, assumedLimits })
				: warning(this.tested),
		];
		for (const hint of warningsFirst(hints)) context.hint(hint);
		if (!mayContinue && isCanceled && counts.ended < expected)
			throw canceledError(origin, outcomes.firstLeft, tally(outcomes, verb));
		if (!mayContinue && counts.failed > 0)
			throw stoppingError(origin, outcomes, prepared?.ledger.execution.save(expected));
		prepared?.ledger.execution.forget();
		if (prepared?.question && counts.done === expected) return waitingItems(prepared.question.host.items);
		return itemsOf(origin, outcomes, { isCanceled });
	}

	private get isCanceled(): boolean {
		return this.halt.reason?.why === 'canceled';
	}

	private progressed(wait?: Wait) {
		const text = this.outcomes.progress(reportEveryMs);
		if (text) this.tell(`${text}${wait ? `. ${waiting(wait)}` : ''}`);
	}

	/** While a run waits because of trouble, no item ends. Its user then wants to know why. */
	private async lookAtWaits(client: Client, delivery: Delivery) {
		while (!this.halt.signal.aborted) {
			await wait(lookEveryMs, this.halt.signal);
			const found = client.waitOf(delivery.caller);
			if (!found) continue;
			this.progressed(found);
			delivery.giveBack();
		}
	}

	private tell(text: string) {
		this.context.log(`${this.context.node.name}: ${text}`);
	}
}

const peopleOf = (items: ReadyItem[]) => items.map(({ values }) => values.target!);

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
