import type { IDataObject } from 'n8n-workflow';

import type { Caller } from '../client/client';
import { adviceIn } from '../client/failure/advice';
import { brokenHere, testFailed, type Failure } from '../client/failure/failure';
import { hasFailed, isDone } from '../client/failure/result';
import { durationOf } from '../shared/duration';
import { requestOf } from '../resources/request';
import { Estimate } from './estimate';
import type { Halt } from './halt';
import type { Outcomes } from './outcome';
import type { Prepared } from './prepare';
import type { ReadyItem } from './queue';
import { Slices } from './slices';

/*
 * A run with 'Test Run': its items are read, checked and looked up as usual. Then nobody gets a message except the person who tries it, and
 * each item shows what would be sent. Nothing is recorded: recipients are claimed to look them up, and released at once.
 */

/** Recipients that are looked up at once. A process that dies meanwhile leaves them in doubt. */
const lookedUpAtOnce = 50;

/** Why a real run would not send the message of an item. */
type Known = 'alreadySent' | 'inDoubt' | 'repeated';

interface TestedRun {
	prepared: Prepared;
	outcomes: Outcomes;
	halt: Halt;
	caller: Caller;
}

/** @param items that a real run would take to their lanes @returns what came of it, in words; undefined if the run has ended before */
export const tryOut = async (items: ReadyItem[], run: TestedRun): Promise<string | undefined> =>
	await new TestRun(items, run).run();

class TestRun {
	private readonly known = new Map<ReadyItem, Known>();
	private readonly estimate: Estimate;
	/** Test messages that the service has accepted. */
	private accepted = 0;

	constructor(
		private readonly items: ReadyItem[],
		private readonly tested: TestedRun,
	) {
		this.estimate = new Estimate(tested.prepared.client);
	}

	async run(): Promise<string | undefined> {
		try {
			const failure = (await this.lookUp()) ?? (await this.sendToTester());
			if (failure) return this.fail(failure);
			await this.show();
		} catch (error) {
			return this.fail(brokenHere(error, 'notDone'));
		}
		return this.isOver ? undefined : this.notice();
	}

	private get isOver(): boolean {
		return this.tested.halt.reason !== undefined;
	}

	private fail(failure: Failure): string {
		for (const { index } of this.items) this.tested.outcomes.record(index, { failure });
		return `Test run failed. ${failure.message}. ${adviceIn(failure)}`;
	}

	/** Finds those who would get no message. */
	private async lookUp(): Promise<Failure | undefined> {
		const { known } = this;
		const { ledger } = this.tested.prepared;
		const keys = new Set<string>();
		const asked: ReadyItem[] = [];
		for (const item of this.items) {
			const { dedupKey } = item.values;
			if (dedupKey === undefined) continue;
			if (keys.has(dedupKey)) known.set(item, 'repeated');
			else asked.push(item);
			keys.add(dedupKey);
		}
		// The first broadcast of a node needs no entries that would have to be removed.
		while (!ledger.isEmpty && asked.length && !this.isOver) {
			const part = asked.splice(0, lookedUpAtOnce);
			const found = await ledger.look(part);
			if ('failure' in found) return found.failure;
			for (const [index, item] of part.entries()) if (found[index]) known.set(item, found[index]);
		}
		return undefined;
	}

	/** The person who tries the run gets the messages that would leave first, and if there are not enough, others. */
	private async sendToTester(): Promise<Failure | undefined> {
		const { prepared, outcomes, halt, caller } = this.tested;
		const { operation, client, testRun } = prepared;
		if (testRun?.tester === undefined) return undefined;
		const isKnown = (item: ReadyItem) => this.known.has(item);
		const inOrder = [...this.items.filter((item) => !isKnown(item)), ...this.items.filter(isKnown)];
		for (const item of inOrder.slice(0, testRun.messages)) {
			if (this.isOver) return undefined;
			const { sending, values } = item;
			const message = operation.broadcast!.toTester(values.parameters, testRun.tester);
			const request = requestOf(operation, { ...message, sending, limits: values.limits });
			const result = await client.request(caller, request);
			if (isDone(result)) this.accepted++;
			// The request was in progress when the user stopped the execution.
			else if (result !== 'notSent' && halt.reason?.why === 'canceled')
				outcomes.recordInterrupted(item.index);
			else if (hasFailed(result)) return testFailed(result.failure);
		}
		return undefined;
	}

	/** Each item shows what would be sent. */
	private async show() {
		const { outcomes } = this.tested;
		const slices = new Slices();
		for (const item of this.items) {
			await slices.next();
			if (this.isOver) return;
			const { limits, notice } = item.values;
			if (!this.known.has(item)) this.estimate.add(limits);
			outcomes.record(item.index, { rows: [this.rowOf(item)], notice });
		}
	}

	private rowOf(item: ReadyItem): IDataObject {
		const row = this.tested.prepared.operation.broadcast!.preview(item.values.parameters);
		const known = this.known.get(item);
		return known ? { ...row, [known === 'inDoubt' ? known : 'alreadySent']: true } : row;
	}

	private notice(): string {
		const { expected } = this.tested.outcomes;
		const { accepted, estimate } = this;
		const numbers = { alreadySent: 0, inDoubt: 0, repeated: 0 };
		for (const each of this.known.values()) numbers[each]++;
		const { alreadySent, inDoubt, repeated } = numbers;
		const can = this.items.length - inDoubt;
		const rest = this.known.size ? 'The rest takes' : estimate.count === 1 ? 'It takes' : 'They take';
		const { milliseconds } = estimate;
		return [
			`Test run: ${written(can)} of ${counted(expected, 'message')} can be sent, ${written(expected - can)} cannot.`,
			alreadySent &&
				`${counted(alreadySent, 'recipient')} already ${alreadySent === 1 ? 'has' : 'have'} this message.`,
			inDoubt && `${counted(inDoubt, 'recipient')} may have it, so the node would not send it to them again.`,
			repeated &&
				`${counted(repeated, 'message')} would be skipped, because an earlier item has the same recipient.`,
			milliseconds && `${rest} about ${durationOf(milliseconds)} at the credential's limits.`,
			this.hoursInWords(),
			accepted
				? `${accepted === 1 ? 'One test message was' : `${accepted} test messages were`} accepted.`
				: 'Nothing was sent.',
			`To send the messages, remove 'Test Run'.`,
		]
			.filter(Boolean)
			.join(' ');
	}

	private hoursInWords(): string | undefined {
		const { hours } = this.tested.prepared;
		const { count } = this.estimate;
		if (!hours || !count) return undefined;
		const fitting = this.estimate.within(hours.leftMs);
		const some = fitting ? `About ${written(fitting)} of them fit` : 'None of them fits';
		const all = count === 1 ? 'It fits' : 'All of them fit';
		return `${fitting < count ? some : all} into what is left of today's sending hours, ${hours.inWords}.`;
	}
}

const written = (count: number) => count.toLocaleString('en-US');
const counted = (count: number, noun: string) => `${written(count)} ${noun}${count === 1 ? '' : 's'}`;
