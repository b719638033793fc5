import type { Client } from '../client/client';
import { brokenHere, type Failure } from '../client/failure/failure';
import type { Failed } from '../client/failure/result';
import type { Limits } from '../client/pace/limits';
import type { Halt } from './halt';
import type { Ledger, LedgerItem, Verdict, Unsent } from './ledger/ledger';
import type { Slices } from './slices';
import type { CheckedValues } from './values/check';

/*
 * The items of a run whose requests count towards the same limits. One begins when the first request of the one before has left, so only
 * one of them waits for a slot.
 *
 * When a process dies, all recipients that it has claimed are in doubt. So a lane claims only those whose requests leave within the next
 * two seconds. Recipients who have the message already need no request, so while a lane finds only these, it claims more at once.
 */

const aheadMs = 2000;
const mostAhead = 50;

/** The next claims are made when one in `parts` of them is left, because claiming takes time. */
const parts = 4;

/** An item whose values can be sent. */
export interface ReadyItem extends LedgerItem {
	values: CheckedValues;
}

/** What a lane needs of its run. */
interface LaneRun {
	prepared: { client: Client; ledger: Ledger };
	halt: Halt;
	slices: Slices;
	/**
	 * Sends an item, and waits until its first request has left, or until it has ended without one.
	 *
	 * @param behind number of items that wait behind it
	 * @returns trouble for which it has waited long enough; then the others of the lane need not wait
	 */
	send(item: ReadyItem, behind: number): Promise<Failure | undefined>;
	/** Ends an item that is not sent. */
	endUnsent(item: ReadyItem, unsent: Unsent): void;
	/** Why an item may not leave now, in the hours of its recipient; undefined if it may. */
	closedFor(item: ReadyItem): Failure | undefined;
	/** Ends an item that may not. */
	endLate(item: ReadyItem, closed: Failure): void;
}

interface Queued {
	item: ReadyItem;
	/** Set once its recipient is being claimed. */
	claim?: Promise<Verdict | Failed> | undefined;
}

export class Lane {
	/** In item order. */
	private readonly queue: Queued[] = [];
	/** Items that come back when their turn comes or their recipient is free. */
	private away = 0;
	private isComplete = false;
	/** Trouble of the lane. Items end with it. */
	private trouble: Failure | undefined;
	/** Whether the recipient that was claimed last had the message already. */
	private isKnown = false;
	private wake = () => {};
	private readonly ended: Promise<void>;

	constructor(
		private readonly limits: Limits,
		private readonly run: LaneRun,
	) {
		void run.halt.over.then(() => this.wake());
		this.ended = this.sendAll();
	}

	/** Takes an item of the run. @param turn when it may start, if not now */
	add(item: ReadyItem, turn?: Promise<void>) {
		if (turn) return void this.addLater(item, turn);
		// One that returns is next: at the end, it would wait for the whole broadcast.
		const before = this.queue.findLastIndex((each) => each.item.index < item.index);
		this.queue.splice(before + 1, 0, { item });
		this.wake();
	}

	private async addLater(item: ReadyItem, turn: Promise<void>) {
		this.away++;
		await turn;
		this.away--;
		this.add(item);
	}

	/** Call it when no more items come. Waits until all have left or ended, or until nothing may leave. */
	async drain() {
		this.isComplete = true;
		this.wake();
		await this.ended;
	}

	private async sendAll() {
		try {
			for (let next; (next = await this.next());) {
				const closed = this.run.closedFor(next.item);
				const verdict = closed ? { closed } : await this.verdictOn(next);
				if (verdict) await this.proceed(next, verdict);
			}
		} catch (error) {
			this.endRun(brokenHere(error, 'notDone'));
		}
	}

	/** Waits for the next item. @returns undefined if all have left or ended, or nothing may leave */
	private async next(): Promise<Queued | undefined> {
		while (!this.isHalted && !this.queue.length) {
			if (this.isComplete && !this.away) return undefined;
			await this.woken();
		}
		return this.isHalted ? undefined : this.queue.shift();
	}

	private woken = async () => await new Promise<void>((wake) => (this.wake = wake));

	private get isHalted(): boolean {
		return this.run.halt.signal.aborted;
	}

	private async proceed(queued: Queued, verdict: Verdict | Failed | { closed: Failure }) {
		const { run, trouble } = this;
		const { item } = queued;
		if (typeof verdict === 'object' && 'closed' in verdict) {
			await run.slices.next();
			this.release(queued);
			run.endLate(item, verdict.closed);
		} else if (verdict !== 'go') {
			if ('again' in verdict) this.add(item, verdict.again);
			else if ('failure' in verdict) this.endRun(verdict.failure);
			else run.endUnsent(item, verdict);
		} else if (!trouble) {
			this.trouble = await run.send(item, this.queue.length);
		} else {
			await run.slices.next();
			run.endUnsent(item, { when: 'notAttempted', result: { failure: trouble } });
		}
	}

	private endRun(failure: Failure) {
		this.run.halt.because({ why: 'trouble', failure });
	}

	/** Claims the recipients of the items that leave next. @returns undefined if nothing may leave meanwhile */
	private async verdictOn(next: Queued): Promise<Verdict | Failed | undefined> {
		const { ledger } = this.run.prepared;
		if (!next.claim && (this.trouble || !ledger.needsClaim(next.item))) return 'go';
		const { ahead } = this;
		const soon = [next, ...this.queue.slice(0, ahead - 1)];
		if (!next.claim || soon.filter(({ claim }) => claim).length <= ahead / parts) {
			const mayClaim = ({ claim, item }: Queued) =>
				!claim && ledger.needsClaim(item) && !this.run.closedFor(item);
			for (const each of soon.filter(mayClaim)) each.claim = ledger.claim(each.item);
		}
		let verdict: Verdict | Failed | undefined;
		void next.claim!.then((found) => {
			verdict = found;
			this.wake();
		});
		while (!verdict && !this.isHalted) await this.woken();
		this.isKnown = typeof verdict === 'object' && 'result' in verdict;
		if (verdict === 'go') this.queue.slice(this.ahead - 1, mostAhead).forEach((each) => this.release(each));
		return verdict;
	}

	/** How many claims may wait to leave. */
	private get ahead(): number {
		if (this.isKnown) return mostAhead;
		const leaving = this.run.prepared.client.leaving(this.limits, aheadMs);
		return Math.max(1, Math.min(mostAhead, Math.floor(leaving)));
	}

	/** Frees the claimed recipients behind the next one: while the lane waits for the end of trouble, other processes wait for them. */
	giveBack() {
		for (const queued of this.queue) this.release(queued);
	}

	/** Frees the recipient of an item that does not leave soon. It is claimed again when the item is next. */
	private release(queued: Queued) {
		const { item, claim } = queued;
		queued.claim = undefined;
		void claim?.then((verdict) => verdict === 'go' && this.run.prepared.ledger.after(item, 'notSent'));
	}
}
