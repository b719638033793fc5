import { withAdvice } from '../client/advice';
import { brokenHere } from '../client/failure';
import type { Caller, Sending } from '../client/client';
import type { Slot } from '../client/pace/scheduler';
import { isUnknown, type Left, type Result } from '../client/result';
import { wait } from '../client/wait';
import { requestOf } from '../resources/request';
import type { LedgerItem, Verdict, Withheld } from './ledger/ledger';
import { Order } from './order';
import type { Outcomes } from './outcome';
import type { Prepared } from './prepare';
import type { CheckedValues } from './values/check';
import type { Batching } from './values/settings';

/** An item whose values can be sent. */
export interface ReadyItem extends LedgerItem {
	values: CheckedValues;
	sending: Sending;
}

/** The run, as its delivery sees it. */
export interface RunControl {
	/** Aborted when no more requests may leave: an item failed in stop mode, or the user stopped the execution. */
	signal: AbortSignal;
	/** Whether the user stopped the execution. */
	isCanceled(): boolean;
	/** Reports that an item has failed. */
	gaveUp(): void;
	/** Reports that an item has ended. */
	progressed(): void;
}

/** Takes ready items to their outcomes. Each waits for earlier items of the same target, for the ledger and for its slot, and ends once. */
export class Delivery implements Caller {
	readonly signal: AbortSignal;

	private readonly order = new Order();

	/** Items that wait behind another of the same target. */
	private readonly behind = new Map<number, ReadyItem>();

	/** Items that have begun and not ended. */
	private underWay = 0;

	private readonly batching: Batching | undefined;

	/** The batch of the latest item. */
	private batch: number | undefined;

	private settle = () => {};

	private readonly settled = new Promise<void>((resolve) => (this.settle = resolve));

	constructor(
		private readonly prepared: Prepared,
		private readonly outcomes: Outcomes,
		private readonly run: RunControl,
	) {
		this.signal = run.signal;
		this.batching = prepared.settings.batching();
		this.signal.addEventListener('abort', () => {
			prepared.client.leave(this);
			this.settleIfOver();
		});
	}

	/** Takes the next item, after the interval of Batching if a new batch begins. */
	async add(item: ReadyItem) {
		const { batching } = this;
		const batch = batching && Math.floor(item.index / batching.size);
		const isNext = this.batch !== undefined && batch !== this.batch;
		this.batch = batch;
		if (batching && isNext) {
			await wait(batching.intervalMs, this.signal);
			if (this.signal.aborted) return;
		}
		if (this.order.add(item.index, item.values.target)) this.askLedger(item);
		else this.behind.set(item.index, item);
	}

	/** Waits until all items have ended, or until no more may leave and none is under way. */
	async end() {
		this.settleIfOver();
		await this.settled;
	}

	/** Called by the client when a limit refuses a request. */
	refused(waitMs: number) {
		this.outcomes.refusedFor(waitMs);
	}

	/** Called by the client when it gives a request up. */
	gaveUp() {
		this.run.gaveUp();
	}

	private askLedger(item: ReadyItem) {
		const proceed = (verdict: Verdict) => {
			try {
				if (verdict === 'go') this.enqueue(item);
				else this.endWithheld(item, verdict);
			} catch (error) {
				this.outcomes.record(item.index, { failure: brokenHere(error, 'notDone') });
				this.gaveUp();
				this.endOf(item);
				if (verdict === 'go') this.prepared.ledger.after(item, 'notSent');
			}
		};
		this.prepared.ledger.before(item, proceed);
	}

	private enqueue(item: ReadyItem) {
		this.prepared.client.enqueue(this, item.values.limits, (slot) => {
			this.underWay++;
			void this.send(item, slot);
		});
	}

	/** Never throws, because the run would wait for the item forever. */
	private async send(item: ReadyItem, slot: Slot) {
		const { client, ledger, operation } = this.prepared;
		let outcome: Result | Left;
		let mayHaveLeft = false;
		try {
			this.outcomes.begin();
			ledger.leaves(item);
			const request = requestOf(operation, { ...item.values, sending: item.sending });
			mayHaveLeft = true;
			outcome = await client.ask(this, request, item.values.limit, slot);
		} catch (error) {
			this.gaveUp();
			const failure = brokenHere(error, mayHaveLeft ? 'unknown' : 'notDone');
			outcome = { failure: withAdvice(failure, operation.advice, { hasAssumed: false }) };
			// Otherwise the slot would stay taken forever.
			if (!mayHaveLeft) slot.scheduler.release(slot);
		}
		this.endSent(item, outcome);
	}

	private endSent(item: ReadyItem, outcome: Result | Left) {
		const { index } = item;
		this.underWay--;
		try {
			if (outcome === 'interrupted' || (this.run.isCanceled() && isUnknown(outcome)))
				this.outcomes.recordInterrupted(index);
			else if (outcome !== 'notSent') this.outcomes.record(index, outcome);
			this.prepared.ledger.after(item, outcome);
		} catch (error) {
			// Has no effect if the outcome is recorded already.
			this.outcomes.record(index, { failure: brokenHere(error, 'unknown') });
		}
		this.endOf(item);
	}

	/** Ends an item that the ledger holds back. */
	private endWithheld(item: ReadyItem, { reason, result }: Withheld) {
		this.outcomes.record(item.index, result, reason === 'storeFailed' ? 'now' : reason);
		if (reason === 'storeFailed') this.gaveUp();
		this.endOf(item);
	}

	/** Starts the next item of the same target. */
	private endOf({ index, values }: ReadyItem) {
		this.run.progressed();
		const next = this.order.ended(index, values.target);
		const waiting = next === undefined ? undefined : this.behind.get(next);
		if (waiting && !this.signal.aborted) {
			this.behind.delete(waiting.index);
			this.askLedger(waiting);
		}
		this.settleIfOver();
	}

	private settleIfOver() {
		const isNothingLeft = this.signal.aborted || this.outcomes.notSent <= 0;
		if (this.underWay === 0 && isNothingLeft) this.settle();
	}
}
