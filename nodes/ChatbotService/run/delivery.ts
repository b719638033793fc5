import type { Caller } from '../client/client';
import { withAdvice } from '../client/failure/advice';
import { brokenHere } from '../client/failure/failure';
import { isUnknown, type Left, type Result } from '../client/failure/result';
import type { Limits } from '../client/pace/limits';
import type { Slot } from '../client/pace/scheduler';
import { requestOf } from '../resources/request';
import type { Halt } from './halt';
import { Lane, type LaneRun } from './lane';
import type { Withheld } from './ledger/ledger';
import { Order } from './order';
import type { Outcomes } from './outcome';
import type { Prepared } from './prepare';
import type { ReadyItem } from './queue';
import { Slices } from './slices';
import { Streak } from './streak';

/* The steps from a ready item to its outcome: its turn among items with the same target, its lane, the ledger, the client. */

/** Takes ready items to their outcomes. If nothing more may leave, the items that have not left end with the reason. */
export class Delivery implements LaneRun {
	readonly caller: Caller;
	private readonly order = new Order();
	private readonly lanes = new Map<string, Lane>();
	private readonly streak = new Streak();
	/** Requests that have left and not ended. */
	private readonly underWay = new Set<Promise<void>>();

	/** @param progressed called when an item has ended */
	constructor(
		readonly prepared: Prepared,
		private readonly outcomes: Outcomes,
		readonly halt: Halt,
		private readonly progressed: () => void,
	) {
		this.caller = {
			signal: halt.signal,
			isPatient: outcomes.expected > 1,
			refused: (waitMs) => outcomes.refusedFor(waitMs),
			gaveUp: () => halt.failed(),
		};
	}

	add(item: ReadyItem) {
		try {
			const turn = this.order.add(item.index, item.values.target);
			this.laneOf(item.values.limits).add(item, turn);
		} catch (error) {
			this.withhold(item, { when: 'now', result: { failure: brokenHere(error, 'notDone') } });
		}
	}

	/** Waits until all items have left or ended and all requests are answered. Then every item has its outcome. */
	async drain() {
		await Promise.all([...this.lanes.values()].map(async (lane) => await lane.drain()));
		await Promise.all(this.underWay);
		await this.recordRest();
	}

	send(item: ReadyItem, slot: Slot) {
		const sent = this.sendNow(item, slot).finally(() => this.underWay.delete(sent));
		this.underWay.add(sent);
	}

	/** Ends an item that is not sent. */
	withhold(item: ReadyItem, { when, result }: Withheld) {
		this.outcomes.record(item.index, result, when);
		this.prepared.ledger.after(item, 'notSent');
		if (when === 'now' || when === 'notAttempted') this.halt.failed();
		this.ended(item);
	}

	private laneOf(limits: Limits): Lane {
		const name = Object.keys(limits).join();
		const lane = this.lanes.get(name) ?? new Lane(limits, this);
		this.lanes.set(name, lane);
		return lane;
	}

	/** Never throws, because the run would end before the others are recorded. */
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
			outcome = await client.request(this.caller, request, { most, slot });
			const isNothing = typeof outcome === 'object' && 'rows' in outcome && !outcome.rows.length;
			if (isNothing && (await lookUps.learn(item, this.caller)))
				outcome = await client.request(this.caller, request, { most });
			if (typeof outcome === 'object' && 'rows' in outcome) outcome.notice ??= item.values.notice;
		} catch (error) {
			const failure = brokenHere(error, mayHaveLeft ? 'unknown' : 'notDone');
			outcome = { failure: withAdvice(failure, operation.advice) };
			this.halt.failed();
			// Otherwise the slot would stay taken forever.
			if (!mayHaveLeft) slot.scheduler.release(slot);
		}
		this.recordSent(item, outcome);
	}

	private recordSent(item: ReadyItem, outcome: Result | Left) {
		try {
			this.record(item.index, outcome);
			this.prepared.ledger.after(item, outcome);
			const failure = typeof outcome === 'object' ? this.streak.after(outcome) : undefined;
			if (failure) this.halt.because({ why: 'trouble', failure });
		} catch (error) {
			// Has no effect if the outcome is recorded already.
			this.outcomes.record(item.index, { failure: brokenHere(error, 'unknown') });
			// Otherwise, its recipient would be free after the run.
			this.prepared.ledger.after(item, 'interrupted');
			this.halt.failed();
		}
		this.ended(item);
	}

	private record(index: number, outcome: Result | Left) {
		const { reason } = this.halt;
		if (typeof outcome === 'object' && !(reason?.why === 'canceled' && isUnknown(outcome)))
			this.outcomes.record(index, outcome);
		// Otherwise, it ends with the reason.
		else if (outcome !== 'notSent' && !(reason && 'failure' in reason))
			this.outcomes.recordInterrupted(index);
	}

	/** The next item of the same target starts. */
	private ended({ index, values }: ReadyItem) {
		this.progressed();
		this.order.ended(index, values.target);
	}

	/** Items without an outcome end with the reason. */
	private async recordRest() {
		const { reason, mayContinue } = this.halt;
		if (!reason || !('failure' in reason)) return;
		// A run that reaches the end of its hours has not failed.
		if (!mayContinue && reason.why === 'hours' && this.prepared.hours?.wereOpen) return;
		const slices = new Slices();
		for (let index = 0; index < this.outcomes.expected; index++) {
			await slices.next();
			if (this.outcomes.of(index) === 'notSent') this.outcomes.record(index, reason, 'notAttempted');
		}
	}
}
