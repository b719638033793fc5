import { brokenHere } from '../client/failure/failure';
import type { Failed } from '../client/failure/result';
import type { Limits } from '../client/pace/limits';
import type { Slot } from '../client/pace/scheduler';
import { Queue, type QueueRun, type ReadyItem } from './queue';

/** What a lane needs of its run. */
export interface LaneRun extends QueueRun {
	/** Waits until the next item may begin; undefined if it takes no slot, or if nothing may leave. Parameters: `Client.slot`. */
	slot(limits: Limits, behind: number): Promise<Slot | Failed | undefined>;
	send(item: ReadyItem, slot: Slot | undefined): void;
}

/** Sends the items of a run whose requests count towards the same limits, one after the other. Only the first of them waits for a slot. */
export class Lane {
	private readonly queue: Queue;
	private readonly drained: Promise<void>;

	constructor(
		private readonly limits: Limits,
		private readonly run: LaneRun,
	) {
		this.queue = new Queue(limits, run);
		this.drained = this.send();
	}

	/** Takes an item of the run. @param turn when it may start, if not now */
	add(item: ReadyItem, turn?: Promise<void>) {
		this.queue.add(item, turn);
	}

	/** Call it when no more items come. Waits until all have left or ended, or until nothing may leave. */
	async drain() {
		this.queue.complete();
		await this.drained;
	}

	private async send() {
		const { run } = this;
		try {
			while (await this.queue.hasNext()) {
				const slot = await run.slot(this.limits, this.queue.size - 1);
				if (slot && 'failure' in slot) await this.queue.giveUp(slot.failure);
				else if (run.halt.reason) slot?.scheduler.release(slot);
				else run.send(this.queue.take(), slot);
			}
		} catch (error) {
			run.halt.because({ why: 'trouble', failure: brokenHere(error, 'notDone') });
		}
	}
}
