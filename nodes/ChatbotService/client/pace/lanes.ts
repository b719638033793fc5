import { shareOf, type Terms } from './limits';
import type { SlidingWindow } from './window';

/** A request that waits for its slot. */
export interface Ticket<Slot> {
	begin: (slot: Slot) => void;
	/** Enqueues it anew, when the limits of its run have changed. */
	again: () => void;
	/** Absent where nobody waits for word of it. */
	leave?: () => void;
}

/** The tickets of a run in one lane, in the order they came. Taking the next one moves none of the others. */
export class RunQueue<Slot> {
	private readonly tickets: Array<Ticket<Slot> | undefined> = [];

	/** Where the next ticket is; before it nothing is left. */
	private next = 0;

	/** Tickets that go before all others, the next one last. */
	private readonly first: Array<Ticket<Slot>> = [];

	get length(): number {
		return this.first.length + this.tickets.length - this.next;
	}

	push(ticket: Ticket<Slot>) {
		this.tickets.push(ticket);
	}

	putFirst(ticket: Ticket<Slot>) {
		this.first.push(ticket);
	}

	take(): Ticket<Slot> {
		const first = this.first.pop();
		if (first) return first;
		const ticket = this.tickets[this.next]!;
		this.tickets[this.next++] = undefined;
		return ticket;
	}

	/** Those that wait, in an order in which they can be enqueued again. */
	get waiting(): Array<Ticket<Slot>> {
		return [...this.first, ...(this.tickets.slice(this.next) as Array<Ticket<Slot>>)];
	}
}

/** The windows of the limits that a request counts towards, by name of the limit. */
type Windows = Map<string, SlidingWindow>;

/** Requests that count towards the same limits at the same pace, by run. */
export interface Lane<Slot> {
	name: string;
	windows: Windows;
	/** Milliseconds from one request to the next by the slowest of the limits. */
	spacingMs: number;
	queues: Map<object, RunQueue<Slot>>;
}

/** What waits next of one run in one lane. */
export interface Candidate<Slot> {
	lane: Lane<Slot>;
	run: object;
}

/** Requests that wait, by what they wait for. Runs take turns, whatever each has waiting. */
export class Lanes<Slot> {
	private readonly lanes = new Map<string, Lane<Slot>>();

	/** For each waiting run, the number of the latest slot that it got. */
	private readonly served = new Map<object, number>();

	private slots = 0;

	constructor(private readonly windowsOf: (terms: Terms) => Windows) {}

	get all(): Array<Lane<Slot>> {
		return [...this.lanes.values()];
	}

	/** Where the requests of a run that keep the same terms wait. */
	queueOf(run: object, terms: Terms): RunQueue<Slot> {
		const name = JSON.stringify([terms.limits, terms.workers, terms.bursts]);
		const lane = this.lanes.get(name) ?? this.newLane(name, terms);
		this.lanes.set(name, lane);
		const queue = lane.queues.get(run) ?? new RunQueue();
		lane.queues.set(run, queue);
		// Next after the runs that wait already, before the one that was served last.
		if (!this.served.has(run)) this.served.set(run, this.slots - 0.5);
		return queue;
	}

	/** Takes the next request of a run in a lane. */
	take({ lane: { name, queues }, run }: Candidate<Slot>): Ticket<Slot> {
		const queue = queues.get(run)!;
		const ticket = queue.take();
		this.served.set(run, ++this.slots);
		if (!queue.length) queues.delete(run);
		if (!queues.size) this.lanes.delete(name);
		if (!this.all.some((lane) => lane.queues.has(run))) this.served.delete(run);
		return ticket;
	}

	/** Takes everything of a run that waits. */
	withdraw(run: object): Array<Ticket<Slot>> {
		const withdrawn: Array<Ticket<Slot>> = [];
		for (const { name, queues } of this.all) {
			for (const ticket of queues.get(run)?.waiting ?? []) withdrawn.push(ticket);
			queues.delete(run);
			if (!queues.size) this.lanes.delete(name);
		}
		this.served.delete(run);
		return withdrawn;
	}

	/**
	 * Which of two that are ready goes first: that of the run that was served longer ago. Of one run it is the slower lane, for which the
	 * next slot comes later, then the longer queue: so the run takes as long as its slowest lane needs by itself.
	 */
	goesBefore(one: Candidate<Slot>, other: Candidate<Slot>): boolean {
		if (one.run !== other.run) return this.served.get(one.run)! < this.served.get(other.run)!;
		const lengthOf = ({ lane, run }: Candidate<Slot>) => lane.queues.get(run)!.length;
		return one.lane.spacingMs === other.lane.spacingMs
			? lengthOf(one) > lengthOf(other)
			: one.lane.spacingMs > other.lane.spacingMs;
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
