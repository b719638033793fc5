import { withAdvice } from '../client/failure/advice';
import { brokenHere, type Failure } from '../client/failure/failure';
import type { Limits } from '../client/pace/limits';
import type { Slot } from '../client/pace/scheduler';
import { isUnknown, type Left, type Result } from '../client/failure/result';
import { requestOf } from '../resources/request';
import { Lane, type LaneRun, type ReadyItem } from './lane';
import type { Withheld } from './ledger/ledger';
import { Order } from './order';
import type { Outcomes } from './outcome';
import type { Prepared } from './prepare';
import { Streak } from './streak';

/* The steps from a ready item to its outcome: its turn among items with the same target, its lane, the ledger, the client. */

/** The run, as its delivery sees it. */
export interface RunControl {
	/** Aborted when no more requests may leave: an item failed in stop mode, or the user stopped the execution. */
	signal: AbortSignal;
	isCanceled(): boolean;
	gaveUp(): void;
	/** Reports that no more messages may leave because of the sending hours. */
	outsideHours(closed: Failure): void;
	progressed(): void;
}

/**
 * Takes ready items to their outcomes. Each waits for earlier items of the same target, then in its lane, and ends once. If trouble of
 * the account takes too long, or the sending hours end, the items that have not left end without being attempted.
 */
export class Delivery implements LaneRun {
	private readonly leaving = new AbortController();
	readonly signal = this.leaving.signal;
	readonly isPatient: boolean;
	private readonly order = new Order();
	private readonly lanes = new Map<string, Lane>();
	private readonly streak = new Streak();
	/** The trouble, or the end of the sending hours, that has ended all lanes. */
	private trouble: Failure | undefined;
	/** Items that wait behind another of the same target. */
	private readonly behind = new Map<number, ReadyItem>();
	/** Items that have begun and not ended. */
	private underWay = 0;
	private settle = () => {};
	private readonly settled = new Promise<void>((resolve) => (this.settle = resolve));

	constructor(
		readonly prepared: Prepared,
		private readonly outcomes: Outcomes,
		private readonly run: RunControl,
	) {
		this.isPatient = outcomes.expected > 1;
		run.signal.addEventListener('abort', () => {
			this.leaving.abort();
			this.settleIfOver();
		});
	}

	add(item: ReadyItem) {
		if (this.order.add(item.index, item.values.target)) this.start(item);
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

	/** Ends the items that have not left, outside of the sending hours. */
	endOutsideHours() {
		const closed = this.signal.aborted ? undefined : this.prepared.hours?.closed;
		if (!closed) return;
		this.run.outsideHours(closed);
		this.endAll(closed);
	}

	/** Asks the clock too, because it can jump: then a message is due before the run has noticed the end of its hours. */
	isOver(): boolean {
		this.endOutsideHours();
		return this.signal.aborted;
	}

	send(item: ReadyItem, slot: Slot) {
		this.underWay++;
		void this.sendNow(item, slot);
	}

	/** Ends an item that is not sent. */
	withhold(item: ReadyItem, { when, result }: Withheld) {
		// In stop mode, the first item that is not attempted stops the others.
		if (when === 'notAttempted' && this.run.signal.aborted) return;
		this.outcomes.record(item.index, result, when);
		this.prepared.ledger.after(item, 'notSent');
		if (when === 'now' || when === 'notAttempted') this.gaveUp();
		this.endOf(item);
	}

	private start(item: ReadyItem) {
		try {
			this.laneOf(item.values.limits).add(item);
		} catch (error) {
			this.withhold(item, { when: 'now', result: { failure: brokenHere(error, 'notDone') } });
		}
	}

	private laneOf(limits: Limits): Lane {
		const name = Object.keys(limits).join();
		const lane = this.lanes.get(name) ?? new Lane(limits, this);
		this.lanes.set(name, lane);
		if (this.trouble) lane.end(this.trouble);
		return lane;
	}

	/** Never throws, because the run would wait for the item forever. */
	private async sendNow(item: ReadyItem, slot: Slot) {
		const { client, operation, lookUps } = this.prepared;
		let outcome: Result | Left;
		let mayHaveLeft = false;
		try {
			this.outcomes.begin();
			lookUps.complete(item);
			const request = requestOf(operation, { ...item.values, sending: item.sending });
			const most = item.values.limit;
			mayHaveLeft = true;
			outcome = await client.ask(this, request, { most, slot });
			const isNothing = typeof outcome === 'object' && 'rows' in outcome && !outcome.rows.length;
			if (isNothing && (await lookUps.learn(item, this))) outcome = await client.ask(this, request, { most });
			if (typeof outcome === 'object' && 'rows' in outcome) outcome.notice ??= item.values.notice;
		} catch (error) {
			this.gaveUp();
			const failure = brokenHere(error, mayHaveLeft ? 'unknown' : 'notDone');
			outcome = { failure: withAdvice(failure, operation.advice) };
			// Otherwise the slot would stay taken forever.
			if (!mayHaveLeft) slot.scheduler.release(slot);
		}
		this.endSent(item, outcome);
	}

	private endSent(item: ReadyItem, outcome: Result | Left) {
		this.underWay--;
		try {
			this.record(item.index, outcome);
			this.prepared.ledger.after(item, outcome);
			if (typeof outcome === 'object') this.endAll(this.streak.after(outcome));
		} catch (error) {
			// Has no effect if the outcome is recorded already.
			this.outcomes.record(item.index, { failure: brokenHere(error, 'unknown') });
			// Otherwise, its recipient would be free after the run.
			this.prepared.ledger.after(item, 'interrupted');
		}
		this.endOf(item);
	}

	private record(index: number, outcome: Result | Left) {
		if (typeof outcome === 'object' && !(this.run.isCanceled() && isUnknown(outcome)))
			this.outcomes.record(index, outcome);
		else if (this.trouble && !this.run.signal.aborted)
			this.outcomes.record(index, { failure: this.trouble }, 'notAttempted');
		else if (outcome !== 'notSent') this.outcomes.recordInterrupted(index);
	}

	/** Ends the items that have not left, because of trouble of the account or the end of the sending hours. */
	private endAll(trouble: Failure | undefined) {
		if (!trouble || this.trouble) return;
		this.trouble = trouble;
		this.leaving.abort();
		for (const lane of this.lanes.values()) lane.end(trouble);
	}

	/** Starts the next item of the same target. */
	private endOf({ index, values }: ReadyItem) {
		this.run.progressed();
		const next = this.order.ended(index, values.target);
		const waiting = next === undefined ? undefined : this.behind.get(next);
		if (waiting && !this.run.signal.aborted) {
			this.behind.delete(waiting.index);
			this.start(waiting);
		}
		this.settleIfOver();
	}

	private settleIfOver() {
		const isNothingLeft = this.run.signal.aborted || this.outcomes.notSent <= 0;
		if (this.underWay === 0 && isNothingLeft) this.settle();
	}
}
