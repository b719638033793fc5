import type { IDataObject } from 'n8n-workflow';

import { adviceIn } from '../client/failure/advice';
import { brokenHere, testFailed, type Failure } from '../client/failure/failure';
import { hasFailed, isDone } from '../client/failure/result';
import { counted, grouped } from '../shared/counted';
import { requestOf } from '../resources/operationRequest';
import type { Delivery } from './delivery';
import type { ReadyItem } from './lane';
import type { Kept } from './ledger/execution';
import { endOf } from './ledger/ledger';
import type { Outcomes } from './outcome';
import { messageUnder, reasonsOf } from './output';

/*
 * A run with 'Test Run': its items are read and checked as usual. Then nobody gets a message except the person who tries it, and each
 * item shows what would be sent. Nothing is recorded. Therefore a test does not say who has the message already: n8n can look for an
 * entry of its store only by adding it.
 */

export class TestRun {
	/** Items for whose recipient an earlier item has the same message. */
	private readonly repeated = new Set<ReadyItem>();
	/** Test messages that the service has accepted. */
	private accepted = 0;

	/** @param items that a real run would deliver @param kept the execution's data of the node */
	constructor(
		private readonly items: ReadyItem[],
		private readonly delivery: Delivery,
		private readonly outcomes: Outcomes,
		private readonly kept: Pick<Kept, 'tested'>,
	) {}

	/** @returns the notice for the user; undefined if the run was stopped */
	async run(): Promise<string | undefined> {
		try {
			this.findRepeated();
			const failure = await this.sendToTester();
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

	private findRepeated() {
		const keys = new Set<string>();
		for (const item of this.items) {
			const { dedupKey } = item.values;
			if (dedupKey === undefined) continue;
			if (keys.has(dedupKey)) this.repeated.add(item);
			keys.add(dedupKey);
		}
	}

	/**
	 * The person who tries the run gets the messages that would leave first, and if there are not enough, others. Another batch of a loop
	 * sends only what is missing.
	 */
	private async sendToTester(): Promise<Failure | undefined> {
		const { prepared, caller } = this.delivery;
		const { operation, client, check } = prepared;
		const { testRun } = check.runOptions.ofFirst;
		if (testRun?.tester === undefined) return undefined;
		const { kept, repeated } = this;
		const inOrder = [...this.items.filter((item) => !repeated.has(item)), ...repeated];
		const { tested = 0 } = kept;
		for (const item of inOrder.slice(0, Math.max(0, testRun.messages - tested))) {
			if (this.isOver) return undefined;
			const { values } = item;
			const message = operation.broadcast!.toTester(values.parameters, testRun.tester);
			const request = requestOf(operation, { ...values, ...message });
			const result = await client.request(caller, request);
			if (endOf(result) !== 'notSent') kept.tested = (kept.tested ?? 0) + 1;
			if (isDone(result)) this.accepted++;
			else if (result === 'interrupted') this.outcomes.record(item.index, 'interrupted');
			else if (hasFailed(result)) return testFailed(result.failure);
		}
		return undefined;
	}

	/** Each item shows what would be sent. */
	private async show() {
		for (const item of this.items) {
			await this.delivery.slices.next();
			if (this.isOver) return;
			this.outcomes.record(item.index, { rows: [this.rowOf(item)], notice: item.values.notice });
		}
	}

	private rowOf(item: ReadyItem): IDataObject {
		const row = this.delivery.prepared.operation.broadcast!.preview(item.values.parameters);
		return this.repeated.has(item) ? { ...row, alreadySent: true } : row;
	}

	private notice(): string {
		const { expected } = this.outcomes;
		const { accepted, kept } = this;
		const can = this.items.length;
		const repeated = this.repeated.size;
		const reasons = reasonsOf(this.outcomes);
		const { ledger, check, sentOncePer } = this.delivery.prepared;
		return [
			`Test run: ${grouped(can)} of ${counted(expected, 'message')} can be sent, ${grouped(expected - can)} cannot.`,
			reasons && `Failed: ${reasons}.`,
			check.sendOncePer &&
				!ledger.isEmpty &&
				`The real run skips people who already have ${messageUnder(sentOncePer)}.`,
			repeated &&
				`${counted(repeated, 'message')} would be skipped, because an earlier item has the same recipient.`,
			accepted
				? `${accepted === 1 ? 'One test message was' : `${accepted} test messages were`} accepted.`
				: kept.tested
					? 'The test messages of this execution have left already.'
					: 'Nothing was sent.',
			`To send the messages, remove 'Test Run'.`,
		]
			.filter(Boolean)
			.join(' ');
	}
}
