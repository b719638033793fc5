import type { Client } from '../client/client';
import { brokenHere, type Failure } from '../client/failure/failure';
import type { Failed } from '../client/failure/result';
import type { Limits } from '../client/pace/limits';
import type { Slot } from '../client/pace/scheduler';
import { systemClock } from '../shared/clock';
import type { Halt } from './halt';
import type { Ledger, LedgerItem, Verdict, Withheld } from './ledger/ledger';
import type { Slices } from './slices';
import type { CheckedValues } from './values/check';

/*
 * The items of a run whose requests count towards the same limits. They leave one after the other, and only the first of them waits for
 * a slot. Those whose recipients must be claimed wait here for their claims.
 *
 * When a process dies, all recipients that it has claimed are in doubt. So a lane claims only those whose requests leave within the next
 * two seconds. Recipients who have the message already need no request, so while a lane finds only these, it claims more at once.
 */

const aheadMs = 2000;
const mostAhead = 50;

/** The next claims are made when one in `parts` of them is left, because claiming takes time. */
const parts = 4;

const { sleep } = systemClock;

/** An item whose values can be sent. */
export interface ReadyItem extends LedgerItem {
	values: CheckedValues;
}

/** What a lane needs of its run. */
export interface LaneRun {
	prepared: { client: Client; ledger: Ledger };
	halt: Halt;
	slices: Slices;
	/** Waits until the next item may begin; undefined if it takes no slot, or if nothing may leave. Parameters: `SlotRequest`. */
	slot(limits: Limits, behind: number): Promise<Slot | Failed | undefined>;
	send(item: ReadyItem, slot: Slot | undefined): void;
	/** Ends an item that is not sent. */
	withhold(item: ReadyItem, withheld: Withheld): void;
}

export class Lane {
	/** Items whose recipients are not claimed, in item order. */
	private readonly unclaimed: ReadyItem[] = [];
	/** Those that may leave, in item order. */
	private readonly ready: ReadyItem[] = [];
	/** Items that come back: from n8n's store, or when their turn comes or their recipient is free. */
	private away = 0;
	private isComplete = false;
	/** Trouble of the lane. Items end with it. */
	private failure: Failure | undefined;
	/** Whether all recipients that were claimed last had the message already. */
	private areKnown = false;
	private isClaiming = false;
	private wake = () => {};
	private readonly drained: Promise<void>;

	constructor(
		private readonly limits: Limits,
		private readonly run: LaneRun,
	) {
		void run.halt.over.then(() => this.wake());
		this.drained = this.send();
	}

	/** Takes an item of the run. @param turn when it may start, if not now */
	add(item: ReadyItem, turn?: Promise<void>) {
		if (turn) void this.addLater(item, turn);
		else this.put(item);
	}

	/** Call it when no more items come. Waits until all have left or ended, or until nothing may leave. */
	async drain() {
		this.isComplete = true;
		this.wake();
		await this.drained;
	}

	private async send() {
		const { run } = this;
		try {
			while (await this.hasNext()) {
				const slot = await run.slot(this.limits, this.ready.length + this.unclaimed.length - 1);
				if (slot && 'failure' in slot) await this.giveUp(slot.failure);
				else if (run.halt.reason) slot?.scheduler.release(slot);
				else {
					run.send(this.ready.shift()!, slot);
					void this.claim();
				}
			}
		} catch (error) {
			this.endWith(brokenHere(error, 'notDone'));
		}
	}

	/** Waits for the next item. @returns false if all have left or ended, or nothing may leave */
	private async hasNext(): Promise<boolean> {
		while (!this.isHalted && !this.ready.length) {
			if (this.isComplete && !this.away && !this.unclaimed.length) return false;
			await new Promise<void>((wake) => (this.wake = wake));
		}
		return !this.isHalted;
	}

	/** Frees the claimed recipients behind the next one: while the lane waits for the end of trouble, other processes wait for them. */
	giveBack() {
		for (const item of this.ready.splice(1)) this.putBack(item);
	}

	private putBack(item: ReadyItem) {
		this.run.prepared.ledger.after(item, 'notSent');
		this.put(item);
	}

	/** Ends the items that have not left, and those that are added later. */
	private async giveUp(failure: Failure) {
		this.failure ??= failure;
		for (const item of [...this.ready.splice(0), ...this.unclaimed.splice(0)]) {
			await this.run.slices.next();
			this.put(item);
		}
	}

	private get isHalted(): boolean {
		return this.run.halt.signal.aborted;
	}

	/** Ends the run. */
	private endWith(failure: Failure) {
		this.run.halt.because({ why: 'trouble', failure });
	}

	private async addLater(item: ReadyItem, turn: Promise<void>) {
		this.away++;
		await turn;
		this.away--;
		this.put(item);
	}

	private put(item: ReadyItem) {
		const { failure } = this;
		if (failure) {
			this.run.withhold(item, { when: 'notAttempted', result: { failure } });
		} else if (this.run.prepared.ledger.needsClaim(item)) {
			insert(this.unclaimed, item);
			void this.claim();
		} else {
			insert(this.ready, item);
		}
		this.wake();
	}

	private async claim() {
		if (this.isClaiming) return;
		this.isClaiming = true;
		// Collects everything that comes at the same time.
		await sleep(0);
		try {
			while (!this.isHalted && this.unclaimed.length && this.ready.length <= this.ahead / parts)
				await this.claimNext();
		} catch (error) {
			this.endWith(brokenHere(error, 'notDone'));
		}
		this.isClaiming = false;
		this.wake();
	}

	/** How many claims may wait to leave: only the next one while there is trouble. */
	private get ahead(): number {
		const { client } = this.run.prepared;
		if (client.isInTrouble(this.limits)) return 1;
		const leaving = client.leaving(this.limits, aheadMs);
		return Math.max(1, Math.min(mostAhead, Math.floor(leaving)));
	}

	private async claimNext() {
		const { ledger } = this.run.prepared;
		const items = this.unclaimed.splice(0, (this.areKnown ? mostAhead : this.ahead) - this.ready.length);
		this.away += items.length;
		const verdicts = await ledger.claim(items);
		this.away -= items.length;
		if ('failure' in verdicts) return this.endWith(verdicts.failure);
		for (const [index, item] of items.entries()) this.proceed(item, verdicts[index]!);
		this.areKnown = verdicts.every((verdict) => typeof verdict === 'object' && 'result' in verdict);
	}

	private proceed(item: ReadyItem, verdict: Verdict) {
		if (verdict === 'go') {
			if (!this.failure && !this.isHalted && this.ready.length < this.ahead) {
				insert(this.ready, item);
			} else {
				this.putBack(item);
			}
		} else if ('again' in verdict) {
			this.add(item, verdict.again);
		} else {
			this.run.withhold(item, verdict);
		}
	}
}

/** In item order: one that returns is next. At the end, it would wait for the whole broadcast. */
function insert(items: ReadyItem[], item: ReadyItem) {
	const before = items.findLastIndex(({ index }) => index < item.index);
	items.splice(before + 1, 0, item);
}
