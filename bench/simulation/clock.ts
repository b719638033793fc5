import type { Clock } from '../../nodes/ChatbotService/client/clock';

/** Virtual time that advances only on request, in the order of due events. */
export class VirtualClock implements Clock {
	private time = 0;
	private due: Array<{ at: number; wake: () => void }> = [];

	now = () => this.time;

	sleep = async (milliseconds: number) =>
		await new Promise<void>((wake) => {
			this.due.push({ at: this.time + milliseconds, wake });
		});

	/** Advances the time until no event remains, or until the given time. */
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

	/** The number of pending sleeps. */
	get sleeping() {
		return this.due.length;
	}
}

/** The time of a process that is repeatedly busy: events that become due while it is busy are handled at the end of that interval. */
export class BusyClock implements Clock {
	/** The clock on which the intervals are based. */
	readonly outside = new VirtualClock();

	private readonly busy: Array<{ from: number; until: number }> = [];

	/** The lengths of each interval in which the process is free, and of each in which it is busy. */
	constructor(
		private readonly freeMs: () => number,
		private readonly busyMs: () => number,
	) {}

	now = () => this.outside.now();

	sleep = async (milliseconds: number) => await this.outside.sleep(this.after(milliseconds));

	/** How many milliseconds pass until the process continues after consecutive waits of the given lengths. */
	after(...whiles: number[]): number {
		return whiles.reduce((at, milliseconds) => this.free(at + milliseconds), this.now()) - this.now();
	}

	/** When the process is free, starting from a given time. */
	private free(at: number): number {
		while ((this.busy.at(-1)?.from ?? -1) <= at) {
			const from = (this.busy.at(-1)?.until ?? 0) + this.freeMs();
			this.busy.push({ from, until: from + this.busyMs() });
		}
		return this.busy.find(({ from, until }) => from <= at && at < until)?.until ?? at;
	}
}

/** Runs everything that waits only for promises. */
const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));
