import type { IDataObject } from 'n8n-workflow';

import { adviceIn } from '../client/failure/advice';
import { brokenHere, testFailed, type Failure } from '../client/failure/failure';
import { hasFailed, isDone } from '../client/failure/result';
import { counted, grouped } from '../shared/counted';
import { durationOf } from '../shared/duration';
import { requestOf } from '../resources/request';
import type { Delivery } from './delivery';
import { Estimate } from './estimate';
import type { Outcomes } from './outcome';
import type { ReadyItem } from './lane';

/*
 * A run with 'Test Run': its items are read, checked and looked up as usual. Then nobody gets a message except the person who tries it, and
 * each item shows what would be sent. Nothing is recorded: recipients are claimed to look them up, and released at once.
 */

/** Recipients that are looked up at once. A process that dies meanwhile leaves them in doubt. */
const lookedUpAtOnce = 50;

/** Why a real run would not send the message of an item. */
type Known = 'alreadySent' | 'inDoubt' | 'repeated';

export class TestRun {
	private readonly known = new Map<ReadyItem, Known>();
	private readonly estimate: Estimate;
	/** Test messages that the service has accepted. */
	private accepted = 0;

	/** @param items that a real run would deliver */
	constructor(
		private readonly items: ReadyItem[],
		private readonly delivery: Delivery,
		private readonly outcomes: Outcomes,
	) {
		this.estimate = new Estimate(delivery.prepared.client);
	}

	/** @returns the notice for the user; undefined if the run was stopped */
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
		return this.delivery.halt.reason !== undefined;
	}

	private fail(failure: Failure): string {
		for (const { index } of this.items) this.outcomes.record(index, { failure });
		return `Test run failed. ${failure.message}. ${adviceIn(failure)}`;
	}

	/** Finds those who would get no message. */
	private async lookUp(): Promise<Failure | undefined> {
		const { known } = this;
		const { ledger } = this.delivery.prepared;
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
		const { prepared, halt, caller } = this.delivery;
		const { operation, client, check } = prepared;
		const { testRun } = check.runOptions.ofFirst;
		if (testRun?.tester === undefined) return undefined;
		const isKnown = (item: ReadyItem) => this.known.has(item);
		const inOrder = [...this.items.filter((item) => !isKnown(item)), ...this.items.filter(isKnown)];
		for (const item of inOrder.slice(0, testRun.messages)) {
			if (this.isOver) return undefined;
			const { values } = item;
			const message = operation.broadcast!.toTester(values.parameters, testRun.tester);
			const request = requestOf(operation, { ...values, ...message });
			const result = await client.request(caller, request);
			if (isDone(result)) this.accepted++;
			// The request was in progress when the user stopped the execution.
			else if (result !== 'notSent' && halt.reason?.why === 'canceled')
				this.outcomes.recordInterrupted(item.index);
			else if (hasFailed(result)) return testFailed(result.failure);
		}
		return undefined;
	}

	/** Each item shows what would be sent. */
	private async show() {
		for (const item of this.items) {
			await this.delivery.slices.next();
			if (this.isOver) return;
			const { limits, notice } = item.values;
			if (!this.known.has(item)) this.estimate.add(limits);
			this.outcomes.record(item.index, { rows: [this.rowOf(item)], notice });
		}
	}

	private rowOf(item: ReadyItem): IDataObject {
		const row = this.delivery.prepared.operation.broadcast!.preview(item.values.parameters);
		const known = this.known.get(item);
		return known ? { ...row, [known === 'inDoubt' ? known : 'alreadySent']: true } : row;
	}

	private notice(): string {
		const { expected } = this.outcomes;
		const { accepted, estimate } = this;
		const numbers = { alreadySent: 0, inDoubt: 0, repeated: 0 };
		for (const each of this.known.values()) numbers[each]++;
		const { alreadySent, inDoubt, repeated } = numbers;
		const can = this.items.length - inDoubt;
		const rest = this.known.size ? 'The rest takes' : estimate.count === 1 ? 'It takes' : 'They take';
		const { milliseconds } = estimate;
		return [
			`Test run: ${grouped(can)} of ${inWords(expected, 'message')} can be sent, ${grouped(expected - can)} cannot.`,
			alreadySent &&
				`${inWords(alreadySent, 'recipient')} already ${alreadySent === 1 ? 'has' : 'have'} this message.`,
			inDoubt && `${inWords(inDoubt, 'recipient')} may have it, so the node would not send it to them again.`,
			repeated &&
				`${inWords(repeated, 'message')} would be skipped, because an earlier item has the same recipient.`,
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
		const { hours } = this.delivery.prepared;
		const { count } = this.estimate;
		if (!hours || !count) return undefined;
		const fitting = this.estimate.within(hours.leftMs);
		const [all, none] =
			count === 1 ? ['It fits', 'It does not fit'] : ['All of them fit', 'None of them fits'];
		const some = fitting ? `About ${grouped(fitting)} of them fit` : none;
		return `${fitting < count ? some : all} into what is left of today's sending hours, ${hours.inWords}.`;
	}
}

const inWords = (count: number, noun: string) => counted(count, noun, grouped(count));
