import type { Caller, Client } from '../client/client';
import { systemClock } from '../shared/clock';
import { brokenHere, type Failure } from '../client/failure/failure';
import type { Limits } from '../client/pace/limits';
import type { Slot } from '../client/pace/scheduler';
import type { Sending } from '../client/http/request';
import type { Ledger, LedgerItem, Verdict, Withheld } from './ledger/ledger';
import type { CheckedValues } from './values/check';

/*
 * The items of a run that count towards the same limits. Only the first of them waits for a slot.
 *
 * When a process dies, all recipients that it has claimed are in doubt. So a lane claims only those whose requests leave within the next
 * two seconds. Recipients who have the message already need no request, so while a lane finds only these, it claims more at once.
 */

const aheadMs = 2000;
const mostAhead = 50;

/** A lane makes its next claims when one in `parts` of them is left, because claiming takes time. */
const parts = 4;

/** A lane claims again what another process has claimed, until the message of that process should have been answered. */
const againMs = 3000;

const { sleep } = systemClock;

/** An item whose values can be sent. */
export interface ReadyItem extends LedgerItem {
	values: CheckedValues;
	sending: Sending;
}

/** What a lane needs of its run. */
export interface LaneRun extends Caller {
	prepared: { client: Client; ledger: Ledger };
	/** Whether nothing more may leave. */
	isOver(): boolean;
	/** Must not throw. */
	send(item: ReadyItem, slot: Slot): void;
	withhold(item: ReadyItem, withheld: Withheld): void;
}

/** The items of a run whose requests count towards the same limits. They wait here for their claims and for their slots. */
export class Lane {
	/** Items whose recipients are not claimed, in item order. */
	private readonly waiting: ReadyItem[] = [];
	private readonly ready: ReadyItem[] = [];
	/** The trouble of the account that has ended the lane. */
	private trouble: Failure | undefined;
	/** Whether all recipients that were claimed last had the message already. */
	private areKnown = false;
	private isClaiming = false;
	private isSending = false;

	constructor(
		private readonly limits: Limits,
		private readonly run: LaneRun,
	) {}

	add(item: ReadyItem) {
		if (this.trouble || !this.run.prepared.ledger.needsClaim(item)) {
			this.ready.push(item);
			void this.sendReady();
		} else {
			// One that returns is next: at the end, it would wait for the whole broadcast.
			const before = this.waiting.findLastIndex(({ index }) => index < item.index);
			this.waiting.splice(before + 1, 0, item);
			void this.claim();
		}
	}

	/** Ends the items that have not left, and those that are added later. */
	end(trouble: Failure) {
		this.trouble ??= trouble;
		for (const item of this.waiting.splice(0)) this.ready.push(item);
		void this.sendReady();
	}

	private get isOver(): boolean {
		return this.trouble !== undefined || this.run.isOver();
	}

	private async sendReady() {
		if (this.isSending) return;
		this.isSending = true;
		while (this.ready.length) {
			const slot = await this.nextSlot();
			const { trouble } = this;
			if (slot && this.isOver) {
				slot.scheduler.release(slot);
			} else if (slot) {
				this.run.send(this.ready.shift()!, slot);
				void this.claim();
			} else if (trouble) {
				const item = this.ready.shift()!;
				const withheld: Withheld = { when: 'notAttempted', result: { failure: trouble } };
				this.guard(item, () => this.run.withhold(item, withheld));
			} else {
				break;
			}
		}
		this.isSending = false;
	}

	/** Only the first item waits for a slot. @returns undefined if nothing more leaves */
	private async nextSlot(): Promise<Slot | undefined> {
		if (this.trouble) return undefined;
		try {
			const behind = this.ready.length + this.waiting.length - 1;
			const slot = await this.run.prepared.client.slot(this.run, this.limits, behind);
			if (!slot || !('failure' in slot)) return slot;
			this.end(slot.failure);
		} catch (error) {
			this.end(brokenHere(error, 'notDone'));
		}
		return undefined;
	}

	private async claim() {
		if (this.isClaiming) return;
		this.isClaiming = true;
		// Collects everything that comes at the same time.
		await sleep(0);
		try {
			while (!this.isOver && this.waiting.length && this.ready.length <= this.ahead / parts)
				await this.claimNext();
		} catch (error) {
			this.end(brokenHere(error, 'notDone'));
		}
		this.isClaiming = false;
	}

	/** How many claims may wait to leave. */
	private get ahead(): number {
		const leaving = this.run.prepared.client.leaving(this.limits, aheadMs);
		return Math.max(1, Math.min(mostAhead, Math.floor(leaving)));
	}

	private async claimNext() {
		const items = this.reserveNext((this.areKnown ? mostAhead : this.ahead) - this.ready.length);
		if (!items.length) return;
		const verdicts = await this.run.prepared.ledger.claim(items);
		for (const [index, item] of items.entries()) this.guard(item, () => this.proceed(item, verdicts[index]!));
		this.areKnown = verdicts.every((verdict) => typeof verdict === 'object' && verdict.when !== 'now');
	}

	/** The next items whose recipients are free. The others return to the lane when theirs are. */
	private reserveNext(most: number): ReadyItem[] {
		const items: ReadyItem[] = [];
		while (items.length < most && this.waiting.length) {
			const item = this.waiting.shift()!;
			this.guard(item, () => {
				const whenFree = this.run.prepared.ledger.reserve(item);
				if (whenFree) void whenFree.then(() => this.add(item));
				else items.push(item);
			});
		}
		return items;
	}

	private proceed(item: ReadyItem, verdict: Verdict) {
		if (typeof verdict === 'object') {
			this.run.withhold(item, verdict);
		} else if (verdict === 'later') {
			// The lane does not wait for it.
			void sleep(againMs).then(() => this.add(item));
		} else if (this.isOver || this.ready.length >= this.ahead) {
			this.run.prepared.ledger.after(item, 'notSent');
			this.add(item);
		} else {
			this.ready.push(item);
			void this.sendReady();
		}
	}

	/** Takes a step with an item. If it fails, the item ends, because the run would wait for it forever. */
	private guard(item: ReadyItem, step: () => void) {
		try {
			step();
		} catch (error) {
			this.run.withhold(item, { when: 'now', result: { failure: brokenHere(error, 'notDone') } });
		}
	}
}
