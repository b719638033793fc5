import type { Clock } from '../../nodes/ChatbotService/client/pace/clock';

/** Time that passes only when the test lets it, in the order of what is due. */
export class VirtualClock implements Clock {
	private time = 0;

	private due: Array<{ at: number; wake: () => void }> = [];

	now = () => this.time;

	sleep = async (milliseconds: number) =>
		await new Promise<void>((wake) => {
			this.due.push({ at: this.time + milliseconds, wake });
		});

	/** Lets time pass until nothing is due any more, or until the given time. */
	async run(until = Infinity) {
		for (;;) {
			await settle();
			this.due.sort((a, b) => a.at - b.at);
			const next = this.due[0];
			if (!next || next.at > until) break;
			this.due.shift();
			this.time = next.at;
			next.wake();
		}
		if (until < Infinity) this.time = until;
	}

	/** Number of sleeps that are still going on. */
	get sleeping() {
		return this.due.length;
	}
}

/** The time of a process that is busy with something else again and again: whatever is due meanwhile comes at its end. */
export class BusyClock implements Clock {
	/** Where time passes as usual. */
	readonly outside = new VirtualClock();

	private readonly busy: Array<{ from: number; until: number }> = [];

	/**
	 * @param freeMs how long nothing else is to be done, each time
	 * @param busyMs how long there is then
	 */
	constructor(
		private readonly freeMs: () => number,
		private readonly busyMs: () => number,
	) {}

	now = () => this.outside.now();

	sleep = async (milliseconds: number) => await this.outside.sleep(this.after(milliseconds));

	/** In how many milliseconds the process goes on after something that takes a while by itself, and then another. */
	after(...whiles: number[]): number {
		return whiles.reduce((at, milliseconds) => this.free(at + milliseconds), this.now()) - this.now();
	}

	/** When the process is free, from a time on. */
	private free(at: number): number {
		while ((this.busy.at(-1)?.from ?? -1) <= at) {
			const from = (this.busy.at(-1)?.until ?? 0) + this.freeMs();
			this.busy.push({ from, until: from + this.busyMs() });
		}
		return this.busy.find(({ from, until }) => from <= at && at < until)?.until ?? at;
	}
}

/** Lets everything that waits for promises alone go on. */
const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));
