import { usualLatencyMs } from './arrival';
import { systemClock, type Clock } from './clock';
import type { Count } from './bursts';
import { accountLimit, shareOf, type Terms } from './limits';
import { Paces } from './paces';
import type { Report, SlidingWindow } from './window';

/*
 * When requests leave. An example: two per second, seven requests of one run, answered after 40 ms, the third after 300 ms.
 *
 *        0 ms  1 and 2 leave: there is room for two.
 *       40 ms  Both are answered. The service may have counted them as late as now: their second begins.
 *     1040 ms  3 and 4 leave.
 *     1080 ms  4 is answered.
 *     1340 ms  3 is answered, so late that the service has worked on it: it is taken to have been counted 35 ms after it had left.
 *     2075 ms  5 leaves, a second after that.
 *     2080 ms  6 leaves, a second after the answer to 4.
 *     2115 ms  5 is refused, with "Retry-After: 1": nothing leaves for that second, and another one that may have been cut off.
 *     4115 ms  5 is sent again, before all others, and 7 leaves.
 *
 * A single refusal changes nothing else; a second one soon after it slows down. `window.ts` is one limit, `arrival.ts` says when a
 * request was counted, `slowdown.ts` what follows from refusals, and `count.ts` what the service's own count tells.
 */

/** Requests of one account that may be under way at once, and of one run. The engine itself would send those of all items together. */
const mostInFlight = 10;

/** A request without an answer for that long takes no place any more from those of other runs. */
const longestPlaceMs = 10_000;

/** Longest sleep at a time: nothing that waits outlives its reason by more. */
const longestSleepMs = 500;

/** How long to wait after a refusal where neither the service nor a limit says it. */
const usualWaitMs = 1000;

/** What a request came to, as far as the pace is concerned. */
export interface Taken {
	/** What the answer said of the service's count. */
	count?: Count | undefined;
	/** Set when the service refused it because of a limit. */
	refused?: {
		/** What it asked to wait, if it said so. */
		askedMs: number | undefined;
		/** How long the request waits before it is sent again; undefined when it is not. */
		waitMs: number | undefined;
	};
	/** Set when the service does nothing for anybody at present: how long nobody needs to ask. */
	closedMs?: number;
}

/** A limit that a request counts towards, at the pace of its credential or at another one. */
type Use = Report & { name: string; window: SlidingWindow; isOwn: boolean };

/** A request whose turn it is: it is to leave now, by `use` of the turns that it comes from. */
export interface Turn {
	turns: Turns;
	run: object;
	sentAt: number;
	uses: Use[];
}

/** A request that waits for its turn. */
interface Ticket {
	begin: (turn: Turn) => void;
	/** Lines it up anew, when the limits of its run have changed. */
	again: () => void;
	/** Absent where nobody waits for word of it. */
	leave?: () => void;
}

/** The tickets of a run that count towards the same limits, in the order they came. Taking the next one moves none of the others. */
class Line {
	private readonly tickets: Array<Ticket | undefined> = [];

	/** Where the next ticket is; before it nothing is left. */
	private next = 0;

	/** Tickets that go before all others, the next one last. */
	private readonly first: Ticket[] = [];

	get isEmpty() {
		return this.length === 0;
	}

	push(ticket: Ticket) {
		this.tickets.push(ticket);
	}

	/** Puts a ticket before all others. */
	putFirst(ticket: Ticket) {
		this.first.push(ticket);
	}

	get length(): number {
		return this.first.length + this.tickets.length - this.next;
	}

	take(): Ticket {
		const first = this.first.pop();
		if (first) return first;
		const ticket = this.tickets[this.next]!;
		this.tickets[this.next++] = undefined;
		return ticket;
	}

	/** Those that wait, in the order in which they have lined up, and can do so again. */
	get waiting(): Ticket[] {
		const others = this.tickets.slice(this.next) as Ticket[];
		return [...this.first, ...others];
	}
}

/** Tickets that count towards the same limits at the same pace, by run. */
interface Queue {
	windows: Map<string, SlidingWindow>;
	/** Milliseconds from one request to the next by the slowest of the limits. */
	spacingMs: number;
	tickets: Map<object, Line>;
}

/**
 * Whose turn it is: every request of one account passes here. Each waits until all limits it counts towards have room and
 * fewer than ten are under way; runs take turns, whatever each has waiting.
 */
export class Turns {
	private readonly paces = new Map<string, Paces>();

	private readonly queues = new Map<string, Queue>();

	/** The turn in which each waiting run was served last. */
	private readonly served = new Map<object, number>();

	private turn = 0;

	/** Requests that are under way, in the order in which they were sent. */
	private readonly underWay = new Set<Turn>();

	private wakeAt = Infinity;

	/** Until when nothing is sent at all, after a refusal that no limit explains. */
	private pausedUntil = 0;

	constructor(private readonly clock: Clock = systemClock) {}

	/**
	 * Sends a request when its turn comes.
	 *
	 * @param place.run whose request it is
	 * @param place.terms that it keeps
	 * @param place.first whether it goes before the other requests of its run, as a repetition does
	 * @param place.again called when it has to line up anew
	 * @returns what the request returned; undefined when the run left first
	 * @throws what the request throws
	 */
	async take<T extends Taken>(
		{
			run,
			terms,
			first,
			again,
		}: { run: object; terms: Terms; first?: boolean; again?: () => Promise<T | undefined> },
		request: () => Promise<T>,
	): Promise<T | undefined> {
		return await new Promise((resolve) => {
			const ticket: Ticket = {
				begin: (turn) => resolve(this.use(turn, request)),
				again: () => resolve(again?.()),
				leave: () => resolve(undefined),
			};
			if (first) this.lineOf(run, terms).putFirst(ticket);
			else this.lineOf(run, terms).push(ticket);
			this.advance();
		});
	}

	/**
	 * Calls back when the turn of a request has come, behind all others of its run; never when the run leaves first. Costs
	 * little while it waits, so that runs of many thousands can line up, and leave, at once.
	 *
	 * @param again called instead when it has to line up anew
	 */
	lineUp(run: object, terms: Terms, begin: (turn: Turn) => void, again = () => {}) {
		this.lineOf(run, terms).push({ begin, again });
		this.advance();
	}

	/** Sends a request in its turn. @throws what the request throws */
	async use<T extends Taken>(turn: Turn, request: () => Promise<T>): Promise<T> {
		let taken: T | undefined;
		try {
			taken = await request();
			return taken;
		} finally {
			this.underWay.delete(turn);
			const now = this.clock.now();
			const { count, refused, closedMs } = taken ?? {};
			const own = turn.uses.filter(({ isOwn }) => isOwn);
			const counted = count && theOnly(own.filter(({ window }) => window.isCountedBy(count)));
			const usedUp = count?.remaining === 0 ? counted : undefined;
			const hit = refused && (usedUp ?? hitBy(own, { now, askedMs: refused.askedMs, counted }));
			const other = count && ('ofAnother' as const);
			// At the service it is one limit, whatever paces there are.
			const hits = turn.uses.filter(({ name }) => name === hit?.name);
			for (const use of turn.uses) {
				use.answered({ at: now, refused: hits.includes(use), count: use === counted ? count : other });
			}
			// Of a single limit it is, though it may be lower than the credential says.
			const isOfHit = hit === counted || own.length === 1;
			if (refused) this.slowDown({ ...refused, now, hits, count: isOfHit ? count : undefined });
			if (closedMs !== undefined) this.pause(now + closedMs);
			this.advance();
		}
	}

	/** Lets everything of a run that still waits leave without being sent. */
	leave(run: object) {
		for (const ticket of this.withdraw(run)) ticket.leave?.();
	}

	/** Has everything of a run that still waits line up anew. */
	lineUpAgain(run: object) {
		for (const ticket of this.withdraw(run)) ticket.again();
	}

	private withdraw(run: object): Ticket[] {
		const withdrawn: Ticket[] = [];
		for (const [name, { tickets }] of this.queues) {
			for (const ticket of tickets.get(run)?.waiting ?? []) withdrawn.push(ticket);
			tickets.delete(run);
			if (!tickets.size) this.queues.delete(name);
		}
		this.served.delete(run);
		return withdrawn;
	}

	/** Whether nobody waits for anything here and nothing that was learned matters any more. */
	get isLikeNew(): boolean {
		const now = this.clock.now();
		return (
			this.queues.size === 0 &&
			this.underWay.size === 0 &&
			now >= this.pausedUntil &&
			[...this.paces.values()].every((paces) => paces.isLikeNew(now))
		);
	}

	/** Where the requests of a run that keep the same terms wait. */
	private lineOf(run: object, terms: Terms): Line {
		const name = JSON.stringify([terms.limits, terms.workers, terms.bursts]);
		const queue = this.queues.get(name) ?? this.newQueue(terms);
		this.queues.set(name, queue);
		const line = queue.tickets.get(run) ?? new Line();
		queue.tickets.set(run, line);
		// Next after the runs that wait already, before the one that was served last.
		if (!this.served.has(run)) this.served.set(run, this.turn - 0.5);
		return line;
	}

	private newQueue({ limits, workers, bursts }: Terms): Queue {
		const windows = Object.entries(limits).map(([name, limit]) => {
			const settings = { limit, workers, bursts: bursts && name === accountLimit };
			return [name, this.pacesOf(name).of(settings)] as const;
		});
		const shares = Object.values(limits).map((limit) => shareOf(limit, workers));
		const spacingMs = Math.max(0, ...shares.map(({ count, windowMs }) => windowMs / count));
		return { windows: new Map(windows), spacingMs, tickets: new Map<object, Line>() };
	}

	private pacesOf(name: string): Paces {
		const paces = this.paces.get(name) ?? new Paces();
		this.paces.set(name, paces);
		return paces;
	}

	/** Sends whatever may be sent now, and sees to it that it is called again when more may be. */
	private advance() {
		for (;;) {
			const now = this.clock.now();
			const placeAt = this.placeAt(now);
			const full = this.fullRuns();
			let soonest = Infinity;
			let next: { name: string; queue: Queue; run: object } | undefined;
			for (const [name, queue] of this.queues) {
				const runs = [...queue.tickets.keys()].filter((run) => !full.has(run));
				if (!runs.length) continue;
				const readyAt = Math.max(placeAt, this.readyAt(queue, now));
				if (readyAt > now) {
					soonest = Math.min(soonest, readyAt);
					continue;
				}
				for (const run of runs) {
					if (!next || this.goesBefore({ queue, run }, next)) next = { name, queue, run };
				}
			}
			if (!next) {
				this.wakeUp(soonest, now);
				return;
			}
			this.serve(next.name, next.queue, next.run, now);
		}
	}

	/**
	 * Which of two lines that are ready goes first: that of the run that was served longer ago. Of one run it is the slower one, for
	 * which the next time comes later, then the longer one: so the run takes as long as its slowest line needs by itself.
	 */
	private goesBefore(one: { queue: Queue; run: object }, other: { queue: Queue; run: object }): boolean {
		if (one.run !== other.run) return this.served.get(one.run)! < this.served.get(other.run)!;
		const lengthOf = ({ queue, run }: typeof one) => queue.tickets.get(run)!.length;
		return one.queue.spacingMs === other.queue.spacingMs
			? lengthOf(one) > lengthOf(other)
			: one.queue.spacingMs > other.queue.spacingMs;
	}

	/** When there is a place for one more request of the account, if none is answered before. */
	private placeAt(now: number): number {
		const oldest = [...this.underWay].at(-mostInFlight);
		return oldest ? oldest.sentAt + longestPlaceMs : now;
	}

	/** Runs that have as many requests under way as they may, answered late or never. */
	private fullRuns(): ReadonlySet<object> {
		const counts = new Map<object, number>();
		for (const { run } of this.underWay) counts.set(run, (counts.get(run) ?? 0) + 1);
		return new Set([...counts.keys()].filter((run) => counts.get(run)! >= mostInFlight));
	}

	private serve(name: string, { windows, tickets }: Queue, run: object, now: number) {
		const line = tickets.get(run)!;
		const ticket = line.take();
		this.served.set(run, ++this.turn);
		if (line.isEmpty) tickets.delete(run);
		if (!tickets.size) this.queues.delete(name);
		if (![...this.queues.values()].some((queue) => queue.tickets.has(run))) this.served.delete(run);
		const uses = [...windows].flatMap(([limitName, own]) => {
			const reports = this.pacesOf(limitName).send(own, now);
			return reports.map((report) => ({ ...report, name: limitName, isOwn: report.window === own }));
		});
		if (uses.length) void this.watchLeaving(uses);
		const turn: Turn = { turns: this, run, sentAt: now, uses };
		this.underWay.add(turn);
		ticket.begin(turn);
	}

	/**
	 * Tells the windows by when a request had left. n8n evaluates all items of a node in one go, and nothing else gets on
	 * meanwhile, for seconds at times: a request that still waits for its connection then leaves as late as a timer that
	 * was set with it ends.
	 */
	private async watchLeaving(uses: Turn['uses']) {
		await this.clock.sleep(usualLatencyMs);
		const by = this.clock.now() - usualLatencyMs;
		for (const use of uses) use.left(by);
	}

	private readyAt({ windows }: Queue, now: number): number {
		const isWaiting = (window: SlidingWindow) =>
			[...this.queues.values()].some((queue) => [...queue.windows.values()].includes(window));
		const all = [...windows].map(([name, window]) => this.pacesOf(name).readyAt(window, now, isWaiting));
		return Math.max(this.pausedUntil, ...all);
	}

	/** Sees to a call of `advance` at a time, unless there will be one by then; at Infinity there need be none. */
	private wakeUp(at: number, now: number) {
		if (this.wakeAt <= at) return;
		this.wakeAt = at;
		void this.clock.sleep(Math.ceil(Math.min(at - now, longestSleepMs))).then(() => {
			if (this.wakeAt === at) this.wakeAt = Infinity;
			this.advance();
		});
	}

	/**
	 * @param refusal.hits the limit that it was refused because of, at each pace; empty where there is none
	 * @param refusal.count what the answer said of that limit
	 */
	private slowDown({
		now,
		hits,
		askedMs,
		waitMs,
		count,
	}: NonNullable<Taken['refused']> & { now: number; hits: Use[]; count: Count | undefined }) {
		// A request that is given up leaves the others their turn. Nobody waits long for it; each asks again, and is told so.
		const refusal = { askedMs, waitMs: waitMs ?? hits[0]?.window.windowMs ?? usualWaitMs };
		for (const use of hits) {
			use.window.refused({ at: now, report: use, refusal, count: use.isOwn ? count : undefined });
		}
		if (!hits.length) this.pause(now + refusal.waitMs);
	}

	private pause(until: number) {
		this.pausedUntil = Math.max(this.pausedUntil, until);
	}
}

/** Of limits that look alike nobody knows which one is meant. */
const theOnly = (uses: Use[]) => (uses.length === 1 ? uses[0] : undefined);

/**
 * The limit that a request was refused because of, where no answer says it. A long wait tells a long window; apart from that it is
 * the fullest one.
 *
 * @param refusal.counted the limit that the answer counts, of which something is left
 */
function hitBy(
	uses: Use[],
	{ now, askedMs = 0, counted }: { now: number; askedMs: number | undefined; counted: Use | undefined },
): Use | undefined {
	const others = uses.filter((use) => use !== counted);
	const possible = others.length ? others : uses;
	const longEnough = possible.filter(({ window }) => window.windowMs >= askedMs);
	return [...(longEnough.length ? longEnough : possible)].sort(
		(a, b) => b.window.fullness(now) - a.window.fullness(now) || a.window.windowMs - b.window.windowMs,
	)[0];
}
