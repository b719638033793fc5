import type { Client } from '../client/client';
import type { Limits } from '../client/pace/limits';

/** How long messages take at the credential's limits, if nothing else uses the account. */
export class Estimate {
	count = 0;
	private readonly lanes = new Map<string, { limits: Limits; count: number }>();

	constructor(private readonly client: Client) {}

	add(limits: Limits) {
		this.count++;
		const name = Object.keys(limits).join();
		const lane = this.lanes.get(name) ?? { limits, count: 0 };
		lane.count++;
		this.lanes.set(name, lane);
	}

	/** A limit that several lanes share takes the messages of all of them. */
	get milliseconds(): number {
		const byLimit = new Map<string, number>();
		for (const { limits, count } of this.lanes.values()) {
			for (const [name, limit] of Object.entries(limits))
				byLimit.set(name, (byLimit.get(name) ?? 0) + count / this.client.leaving({ [name]: limit }, 1));
		}
		return Math.max(this.count / this.client.leaving({}, 1), ...byLimit.values());
	}

	/** About how many messages leave within a time. */
	within(milliseconds: number): number {
		if (!milliseconds) return 0;
		const leaving = [...this.lanes.values()].map(({ limits, count }) =>
			Math.min(count, this.client.leaving(limits, milliseconds)),
		);
		const sum = leaving.reduce((all, each) => all + each, 0);
		return Math.floor(Math.min(sum, this.client.leaving({}, milliseconds)));
	}
}
