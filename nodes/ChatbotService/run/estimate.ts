import type { Client } from '../client/client';
import type { Limits } from '../client/pace/limits';

/** How long messages take at the credential's limits, if nothing else uses the account. */
export class Estimate {
	count = 0;
	/** Messages to the same messenger have the same object. */
	private readonly counts = new Map<Limits, number>();

	constructor(private readonly client: Client) {}

	add(limits: Limits) {
		this.count++;
		this.counts.set(limits, (this.counts.get(limits) ?? 0) + 1);
	}

	/** A limit that several messengers share takes the messages to all of them. */
	get milliseconds(): number {
		const byLimit = new Map<string, number>();
		for (const [limits, count] of this.counts) {
			for (const [name, limit] of Object.entries(limits))
				byLimit.set(name, (byLimit.get(name) ?? 0) + count / this.client.leaving({ [name]: limit }, 1));
		}
		return Math.max(this.count / this.client.leaving({}, 1), ...byLimit.values());
	}

	/** About how many messages leave within a time. */
	within(milliseconds: number): number {
		if (!milliseconds) return 0;
		const leaving = [...this.counts].map(([limits, count]) =>
			Math.min(count, this.client.leaving(limits, milliseconds)),
		);
		const sum = leaving.reduce((all, each) => all + each, 0);
		return Math.floor(Math.min(sum, this.client.leaving({}, milliseconds)));
	}
}
