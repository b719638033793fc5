import { shareOf, type Terms } from './limits';
import type { SlidingWindow } from './window';

/** A request that waits for its slot. */
export interface QueuedRequest<Slot> {
	begin: (slot: Slot) => void;
	/** Enqueues the request again after the limits of its run have changed. */
	again: () => void;
	/** Called when the run leaves. Absent if nothing waits for that. */
	leave?: () => void;
}

/** The waiting requests of a run in one lane, in order of arrival. Taking one does not move the others. */
export class RunQueue<Slot> {
	private readonly requests: Array<QueuedRequest<Slot> | undefined> = [];

	/** Index of the next request. The elements before it are empty. */
	private next = 0;

	/** Requests before all others. The last element is the next one. */
	private readonly first: Array<QueuedRequest<Slot>> = [];

	get length(): number {
		return this.first.length + this.requests.length - this.next;
	}

	push(request: QueuedRequest<Slot>) {
		this.requests.push(request);
	}

	putFirst(request: QueuedRequest<Slot>) {
		this.first.push(request);
	}

	take(): QueuedRequest<Slot> {
		const first = this.first.pop();
		if (first) return first;
		const request = this.requests[this.next]!;
		this.requests[this.next++] = undefined;
		return request;
	}

	/** The requests, in an order in which they can be enqueued again. */
	get waiting(): Array<QueuedRequest<Slot>> {
		return [...this.first, ...(this.requests.slice(this.next) as Array<QueuedRequest<Slot>>)];
	}
}

/** The windows of the limits that a request counts towards, by name of the limit. */
type Windows = Map<string, SlidingWindow>;

/** Requests with the same limits and pace, by run. */
export interface Lane<Slot> {
	name: string;
	windows: Windows;
	/** Milliseconds from one request to the next under the slowest limit. */
	spacingMs: number;
	queues: Map<object, RunQueue<Slot>>;
}

/** The next request of a run in a lane. */
export interface Candidate<Slot> {
	lane: Lane<Slot>;
	run: object;
}

/** QueuedRequest requests, by their limits. Runs take turns, however many requests each has. */
export class Lanes<Slot> {
	private readonly lanes = new Map<string, Lane<Slot>>();

	/** For each waiting run, the number of the latest slot that it got. */
	private readonly served = new Map<object, number>();

	private slots = 0;

	constructor(private readonly windowsOf: (terms: Terms) => Windows) {}

	get all(): Array<Lane<Slot>> {
		return [...this.lanes.values()];
	}

	/** The queue for the requests of a run with the same terms. */
	queueOf(run: object, terms: Terms): RunQueue<Slot> {
		const name = JSON.stringify([terms.limits, terms.workers, terms.bursts]);
		const lane = this.lanes.get(name) ?? this.newLane(name, terms);
		this.lanes.set(name, lane);
		const queue = lane.queues.get(run) ?? new RunQueue();
		lane.queues.set(run, queue);
		// A new run comes after the waiting runs, but before the run that was served last.
		if (!this.served.has(run)) this.served.set(run, this.slots - 0.5);
		return queue;
	}

	take({ lane: { name, queues }, run }: Candidate<Slot>): QueuedRequest<Slot> {
		const queue = queues.get(run)!;
		const request = queue.take();
		this.served.set(run, ++this.slots);
		if (!queue.length) queues.delete(run);
		if (!queues.size) this.lanes.delete(name);
		if (!this.all.some((lane) => lane.queues.has(run))) this.served.delete(run);
		return request;
	}

	/** Removes and returns all waiting requests of a run. */
	withdraw(run: object): Array<QueuedRequest<Slot>> {
		const withdrawn: Array<QueuedRequest<Slot>> = [];
		for (const { name, queues } of this.all) {
			for (const request of queues.get(run)?.waiting ?? []) withdrawn.push(request);
			queues.delete(run);
			if (!queues.size) this.lanes.delete(name);
		}
		this.served.delete(run);
		return withdrawn;
	}

	/**
	 * Whether a ready candidate goes before another: the one whose run was served longer ago. Within a run it is the slower lane,
	 * then the longer queue, so that the run takes only as long as its slowest lane.
	 */
	goesBefore(one: Candidate<Slot>, other: Candidate<Slot>): boolean {
		if (one.run !== other.run) return this.served.get(one.run)! < this.served.get(other.run)!;
		const lengthOf = ({ lane, run }: Candidate<Slot>) => lane.queues.get(run)!.length;
		return (one.lane.spacingMs - other.lane.spacingMs || lengthOf(one) - lengthOf(other)) > 0;
	}

	private newLane(name: string, terms: Terms): Lane<Slot> {
		const shares = Object.values(terms.limits).map((limit) => shareOf(limit, terms.workers));
		return {
			name,
			windows: this.windowsOf(terms),
			spacingMs: Math.max(0, ...shares.map(({ count, windowMs }) => windowMs / count)),
			queues: new Map(),
		};
	}
}
