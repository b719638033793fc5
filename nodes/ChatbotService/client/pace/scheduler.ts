import { usualLatencyMs } from './arrival';
import type { Count } from './bursts';
import { systemClock, type Clock } from './clock';
import { Lanes, type Candidate, type Lane, type Ticket } from './lanes';
import { accountLimit, type Terms } from './limits';
import { Paces } from './paces';
import type { Hit, SlidingWindow } from './window';

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
 *     2115 ms  5 is refused, with "Retry-After: 1": nothing leaves for that second, and another one that may have been rounded off.
 *     4115 ms  5 is sent again, before all others, and 7 leaves.
 *
 * A single refusal changes nothing else; a second one soon after it slows down. `window.ts` is one limit, `arrival.ts` says when a
 * request was counted, `slowdown.ts` what follows from refusals, and `bursts.ts` what the service's own count of a minute has left.
 */

/** Requests of one account that may be under way at once, and of one run. The engine itself would send those of all items together. */
const mostInFlight = 10;

/** A request without an answer for that long no longer takes a slot from other runs. */
const longestInFlightMs = 10_000;

/** Longest sleep at a time: nothing that waits outlives its reason by more. */
const longestSleepMs = 500;

/** How long to wait after a refusal where neither the service nor a limit says it. */
const usualWaitMs = 1000;

/** How a request ended, as far as the pace is concerned. */
export interface Ending {
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

/** A request as one of its limits counts it, at the pace of its credential or at another one. */
interface Booking {
	/** Name of the limit. */
	limit: string;
	window: SlidingWindow;
	hit: Hit;
	isOwnPace: boolean;
}

/** Leave to send one request now. It has to be released when the request has ended, whatever its end. */
export interface Slot {
	scheduler: Scheduler;
	run: object;
	sentAt: number;
	bookings: Booking[];
}

/** Where a request waits. */
export interface Place {
	run: object;
	terms: Terms;
	/** Whether it goes before the other requests of its run, as a repetition does. */
	first?: boolean;
	/** Called when it has to be enqueued anew. */
	again?: () => Promise<Slot | undefined>;
}

/** Every request of one account passes here. Each waits until all its limits have room and fewer than ten are under way. */
export class Scheduler {
	private readonly paces = new Map<string, Paces>();

	private readonly lanes = new Lanes<Slot>((terms) => this.windowsOf(terms));

	/** Requests under way, in the order in which they were sent. */
	private readonly underWay = new Set<Slot>();

	private wakeAt = Infinity;

	/** Until when nothing is sent at all, after a refusal that no limit explains. */
	private pausedUntil = 0;

	constructor(private readonly clock: Clock = systemClock) {}

	/**
	 * Calls back when a request has its slot, behind all others of its run; never when the run leaves first. Costs little while it
	 * waits, so that runs of many thousands can enqueue, and leave, at once.
	 *
	 * @param again called instead when it has to be enqueued anew
	 */
	enqueue(run: object, terms: Terms, begin: (slot: Slot) => void, again = () => {}) {
		this.lanes.queueOf(run, terms).push({ begin, again });
		this.advance();
	}

	/** Waits for the slot of a request. @returns undefined when the run left first */
	async acquire({ run, terms, first, again }: Place): Promise<Slot | undefined> {
		return await new Promise((resolve) => {
			const ticket: Ticket<Slot> = {
				begin: resolve,
				again: () => resolve(again?.()),
				leave: () => resolve(undefined),
			};
			if (first) this.lanes.queueOf(run, terms).putFirst(ticket);
			else this.lanes.queueOf(run, terms).push(ticket);
			this.advance();
		});
	}

	/** The request of a slot has ended. */
	release(slot: Slot, { count, refused, closedMs }: Ending = {}) {
		this.underWay.delete(slot);
		const now = this.clock.now();
		const own = slot.bookings.filter(({ isOwnPace }) => isOwnPace);
		const counted = count && theOnly(own.filter(({ window }) => window.isCountedBy(count)));
		const meant = refused && limitMeant(own, { now, askedMs: refused.askedMs, count, counted });
		// A request that is given up leaves its slot to the others. They wait briefly; each asks again, and is told so.
		const waitMs = refused && (refused.waitMs ?? meant?.window.windowMs ?? usualWaitMs);
		// Of a single limit it is, though it may be lower than the credential says.
		const described = counted ?? (own.length === 1 ? own[0] : undefined);
		for (const booking of slot.bookings) {
			booking.window.answered(booking.hit, {
				at: now,
				count: booking === described ? count : undefined,
				// At the service it is one limit, whatever paces there are.
				waitMs: booking.limit === meant?.limit ? waitMs : undefined,
			});
		}
		if (waitMs !== undefined && !meant) this.pause(now + waitMs);
		if (closedMs !== undefined) this.pause(now + closedMs);
		this.advance();
	}

	/** Lets everything of a run that still waits leave without being sent. */
	leave(run: object) {
		for (const ticket of this.lanes.withdraw(run)) ticket.leave?.();
	}

	/** Has everything of a run that still waits enqueued anew, as its limits have changed. */
	enqueueAgain(run: object) {
		for (const ticket of this.lanes.withdraw(run)) ticket.again();
	}

	/** Whether nobody waits for anything here and nothing that was learned matters any more. */
	get isLikeNew(): boolean {
		const now = this.clock.now();
		return (
			this.lanes.all.length === 0 &&
			this.underWay.size === 0 &&
			now >= this.pausedUntil &&
			[...this.paces.values()].every((paces) => paces.isLikeNew(now))
		);
	}

	private windowsOf({ limits, workers, bursts }: Terms): Map<string, SlidingWindow> {
		return new Map(
			Object.entries(limits).map(([name, limit]) => {
				const rate = { limit, workers, bursts: bursts && name === accountLimit };
				return [name, this.pacesOf(name).of(rate)];
			}),
		);
	}

	private pacesOf(name: string): Paces {
		const paces = this.paces.get(name) ?? new Paces();
		this.paces.set(name, paces);
		return paces;
	}

	/** Gives all slots that there are now, and sees to it that it is called again when there are more. */
	private advance() {
		for (;;) {
			const now = this.clock.now();
			const { next, soonest } = this.nextOf(now);
			if (!next) {
				this.wakeUp(soonest, now);
				return;
			}
			this.serve(next, now);
		}
	}

	/** What goes next, and if nothing may go now, when the next one may at the earliest. */
	private nextOf(now: number): { next: Candidate<Slot> | undefined; soonest: number } {
		const roomAt = this.roomAt(now);
		const full = this.fullRuns();
		let soonest = Infinity;
		let next: Candidate<Slot> | undefined;
		for (const lane of this.lanes.all) {
			const runs = [...lane.queues.keys()].filter((run) => !full.has(run));
			if (!runs.length) continue;
			const readyAt = Math.max(roomAt, this.readyAt(lane, now));
			if (readyAt > now) {
				soonest = Math.min(soonest, readyAt);
				continue;
			}
			for (const run of runs) {
				const candidate = { lane, run };
				if (!next || this.lanes.goesBefore(candidate, next)) next = candidate;
			}
		}
		return { next, soonest };
	}

	/** When one more request of the account may be under way, if none is answered before. */
	private roomAt(now: number): number {
		const oldest = [...this.underWay].at(-mostInFlight);
		return oldest ? oldest.sentAt + longestInFlightMs : now;
	}

	/** Runs that have as many requests under way as they may, answered late or never. */
	private fullRuns(): ReadonlySet<object> {
		const counts = new Map<object, number>();
		for (const { run } of this.underWay) counts.set(run, (counts.get(run) ?? 0) + 1);
		return new Set([...counts.keys()].filter((run) => counts.get(run)! >= mostInFlight));
	}

	private serve(candidate: Candidate<Slot>, now: number) {
		const { windows } = candidate.lane;
		const ticket = this.lanes.take(candidate);
		const bookings = [...windows].flatMap(([limit, own]) =>
			this.pacesOf(limit)
				.send(own, now)
				.map((booking) => ({ ...booking, limit, isOwnPace: booking.window === own })),
		);
		if (bookings.length) void this.watchLeaving(bookings);
		const slot: Slot = { scheduler: this, run: candidate.run, sentAt: now, bookings };
		this.underWay.add(slot);
		ticket.begin(slot);
	}

	/**
	 * Tells the windows by when a request had left. n8n evaluates all items of a node in one go, and nothing else in its process
	 * runs meanwhile, for seconds at times: a request that still waits for its connection then leaves as late as a timer that was
	 * set with it ends.
	 */
	private async watchLeaving(bookings: Booking[]) {
		await this.clock.sleep(usualLatencyMs);
		const by = this.clock.now() - usualLatencyMs;
		for (const { hit } of bookings) hit.leftBy = by;
	}

	private readyAt({ windows }: Lane<Slot>, now: number): number {
		const isWaiting = (window: SlidingWindow) =>
			this.lanes.all.some((lane) => [...lane.windows.values()].includes(window));
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

	private pause(until: number) {
		this.pausedUntil = Math.max(this.pausedUntil, until);
	}
}

/** A count does not tell limits apart that look alike. */
const theOnly = (bookings: Booking[]) => (bookings.length === 1 ? bookings[0] : undefined);

/**
 * The limit that a 429 meant. Where the service's own count says that nothing is left, it is that one. Otherwise a long wait points to
 * a long window, and of several it is the fullest.
 */
function limitMeant(bookings: Booking[], { now, askedMs = 0, count, counted }: Refusal): Booking | undefined {
	if (count?.remaining === 0 && counted) return counted;
	const longEnough = bookings.filter(({ window }) => window.windowMs >= askedMs);
	return [...(longEnough.length ? longEnough : bookings)].sort(
		(a, b) => b.window.fullness(now) - a.window.fullness(now) || a.window.windowMs - b.window.windowMs,
	)[0];
}

interface Refusal {
	now: number;
	askedMs: number | undefined;
	count: Count | undefined;
	/** The limit that the count is of, if that is certain. */
	counted: Booking | undefined;
}
