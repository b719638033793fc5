import type { Caller } from '../client/client';
import { adviceIn, withAdvice } from '../client/failure/advice';
import { brokenHere, type Failure } from '../client/failure/failure';
import { hasFailed, isDone, type Left, type Result } from '../client/failure/result';
import type { Limits } from '../client/pace/limits';
import { isEmpty } from '../shared/values';
import { Streak, type Halt } from './halt';
import { Lane, type ReadyItem } from './lane';
import type { Unsent } from './ledger/ledger';
import type { Outcomes } from './outcome';
import type { Prepared } from './prepare';
import { SharedLists } from './sharedLists';
import { ItemRequests } from './requests';
import { Slices } from './slices';

/* The steps from a ready item to its outcome: its turn among items with the same target, its lane, the ledger, the client. */

/** Takes ready items to their outcomes. If nothing more may leave, the items that have not left end with the reason. */
export class Delivery {
	readonly caller: Caller;
	readonly lists: SharedLists;
	readonly slices = new Slices();
	readonly saved = new Set<unknown>();
	private readonly order = new Order();
	private readonly lanes = new Map<string, Lane>();
	private readonly streak = new Streak();
	/** Items that have begun and not ended. */
	private readonly underWay = new Set<Promise<void>>();
	/** In Stop Workflow: items that have not left because of the hours of their recipients. */
	private readonly late = new Map<number, Failure>();

	/** @param on called when an item has ended, and for each line for n8n's log */
	constructor(
		readonly prepared: Prepared,
		private readonly outcomes: Outcomes,
		readonly halt: Halt,
		readonly on: { progress: () => void; tell: (text: string) => void },
	) {
		this.caller = {
			signal: halt.signal,
			isPatient: outcomes.expected > 1,
			mayLeave: () => halt.reason === undefined,
			isCanceled: () => halt.reason?.why === 'canceled',
			refused: (...refusal) => outcomes.refusedFor(...refusal),
			gaveUp: () => halt.failed(),
		};
		this.lists = new SharedLists(prepared.client, this.caller, outcomes.expected > 1);
	}

	add(item: ReadyItem) {
		try {
			if (this.prepared.operation.steps) this.lists.add(item.values);
			const turn = this.order.add(item.index, item.values.target);
			this.laneOf(item.values.limits).add(item, turn);
		} catch (error) {
			this.endUnsent(item, { when: 'now', result: { failure: brokenHere(error, 'notDone') } });
		}
	}

	/** Waits until all items have left or ended and all requests are answered. Then every item has its outcome. */
	async drain() {
		this.lists.complete();
		await Promise.all([...this.lanes.values()].map(async (lane) => await lane.drain()));
		await Promise.all(this.underWay);
		await this.recordRest();
	}

	/**
	 * Completes the rows of changes whose answers lack the record. Call it when all items are sent: what they look for is then read once
	 * for all. Items that were done in an earlier run are among them.
	 */
	async completeRows() {
		const { operation, expressions, check } = this.prepared;
		if (!operation.completes) return;
		for (let index = 0; index < this.outcomes.expected; index++) {
			await this.slices.next();
			const outcome = this.outcomes.of(index);
			if (!isDone(outcome) || !isEmpty(outcome.rows[0]?.id)) continue;
			const values = check.valuesOf(expressions.valuesOf(index));
			if ('problems' in values) continue;
			// The item is done, whatever is wrong here.
			const completed = values.completion!(new ItemRequests(this, values)).catch(() => ({}));
			this.outcomes.complete(index, await completed);
		}
	}

	/** While the run waits for the end of trouble, it keeps no recipients from other processes. */
	giveBack() {
		if (!this.prepared.ledger.canClaim) return;
		for (const lane of this.lanes.values()) lane.giveBack();
	}

	/** @returns as soon as the next item may begin, with trouble for which this one has waited in vain */
	async send(item: ReadyItem, behind: number): Promise<Failure | undefined> {
		return await new Promise((begun) => {
			const sent = this.sendNow(item, behind, begun).finally(() => this.underWay.delete(sent));
			this.underWay.add(sent);
		});
	}

	/** Ends an item that is not sent. */
	endUnsent(item: ReadyItem, { when, result }: Unsent) {
		this.outcomes.record(item.index, result, when);
		this.prepared.ledger.after(item, 'notSent');
		if (when === 'now' || when === 'notAttempted') this.halt.failed();
		this.ended(item);
	}

	closedFor({ values }: ReadyItem): Failure | undefined {
		return this.prepared.hours?.closedIn(values.timeZone!);
	}

	/** Ends an item that has not left because of the hours of its recipient. */
	endLate(item: ReadyItem, closed: Failure) {
		this.prepared.hours!.note(item.values.timeZone!);
		if (this.halt.mayContinue) this.outcomes.record(item.index, { failure: closed }, 'notAttempted');
		else this.late.set(item.index, closed);
		this.ended(item);
	}

	private laneOf(limits: Limits): Lane {
		const name = Object.keys(limits).join();
		const lane = this.lanes.get(name) ?? new Lane(limits, this);
		this.lanes.set(name, lane);
		return lane;
	}

	/** Never throws, because the run would end before the others are recorded. */
	private async sendNow(item: ReadyItem, behind: number, begun: (trouble?: Failure) => void) {
		const left = () => {
			this.outcomes.begin();
			begun();
		};
		let closed: Failure | undefined;
		const mayLeave = () => !(closed = this.closedFor(item));
		const requests = new ItemRequests(this, item.values, { behind, mayLeave, left });
		let outcome: Result | Left;
		try {
			outcome = await requests.end();
			if (isDone(outcome)) outcome.notice ??= item.values.notice;
		} catch (error) {
			const failure = brokenHere(error, requests.hasLeft ? 'unknown' : 'notDone');
			outcome = { failure: withAdvice(failure, this.prepared.operation.advice) };
		}
		if (hasFailed(outcome) && outcome.failure.repeat === 'afterTrouble' && !requests.hasLeft) {
			this.endUnsent(item, { when: 'notAttempted', result: outcome });
			return begun(outcome.failure);
		}
		if (hasFailed(outcome)) this.halt.failed();
		if (outcome !== 'notSent' || !closed) {
			this.recordSent(item, outcome);
		} else {
			this.prepared.ledger.after(item, outcome);
			this.endLate(item, closed);
		}
		begun();
	}

	private recordSent(item: ReadyItem, outcome: Result | Left) {
		try {
			this.record(item, outcome);
			this.prepared.ledger.after(item, outcome);
			const failure = typeof outcome === 'object' ? this.streak.after(outcome) : undefined;
			if (failure) this.halt.because({ why: 'trouble', failure });
		} catch (error) {
			// Has no effect if the outcome is recorded already.
			this.outcomes.record(item.index, { failure: brokenHere(error, 'unknown') });
			// Otherwise, its recipient would be free after the run.
			this.prepared.ledger.release(item.index, 'unknown');
			this.halt.failed();
		}
		this.ended(item);
	}

	/** An item that has not left ends with the reason for that. */
	private record({ index, values }: ReadyItem, outcome: Result | Left) {
		const { reason } = this.halt;
		if (typeof outcome === 'object') this.outcomes.record(index, whole(outcome));
		else if (outcome === 'notSent') return;
		else if (!reason || !('failure' in reason)) this.outcomes.record(index, 'interrupted');
		else if (!values.reads)
			this.outcomes.record(index, whole({ failure: reason.failure, before: 'A part of this item is done.' }));
	}

	/** The next item of the same target starts. */
	private ended({ index, values }: ReadyItem) {
		this.on.progress();
		this.lists.ended(values);
		this.order.ended(index, values.target);
	}

	/** Items without an outcome end with the reason. */
	private async recordRest() {
		// In Stop Workflow, closed hours are no failure, unless nobody's were open.
		if (!this.prepared.hours?.wereOpen)
			for (const [index, failure] of this.late) this.outcomes.record(index, { failure }, 'notAttempted');
		const { reason } = this.halt;
		if (!reason || !('failure' in reason)) return;
		for (let index = 0; index < this.outcomes.expected; index++) {
			await this.slices.next();
			if (this.outcomes.of(index) === 'notSent') this.outcomes.record(index, reason, 'notAttempted');
		}
	}
}

/** A failure that also says what of its item is done. */
const whole = (result: Result): Result =>
	hasFailed(result) && result.before !== undefined
		? { failure: { ...result.failure, description: `${adviceIn(result.failure)} ${result.before}` } }
		: result;

/** Keeps the item order of requests that change the same target: each starts after the one before has ended. */
class Order {
	/** The latest item of each target. */
	private readonly latest = new Map<string | undefined, number>();
	/** Starts the item that waits for another. */
	private readonly next = new Map<number, () => void>();

	/**
	 * Notes an item. Call it in item order.
	 *
	 * @param target what the item changes, if it changes an existing record
	 * @returns its turn; undefined if the item may start now
	 */
	add(item: number, target: string | undefined): Promise<void> | undefined {
		if (target === undefined) return undefined;
		const before = this.latest.get(target);
		this.latest.set(target, item);
		return before === undefined ? undefined : new Promise((start) => this.next.set(before, start));
	}

	/** Notes that an item has ended. The next one of the same target starts. */
	ended(item: number, target: string | undefined) {
		this.next.get(item)?.();
		this.next.delete(item);
		if (this.latest.get(target) === item) this.latest.delete(target);
	}
}
