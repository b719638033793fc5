import type { Clock } from '../../nodes/ChatbotService/request/turn';

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

/** Lets everything that waits for promises alone go on. */
const settle = async () => await new Promise<void>((resolve) => setImmediate(resolve));
