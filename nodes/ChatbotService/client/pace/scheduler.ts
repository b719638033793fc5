import { usualLatencyMs } from './arrival';
import type { Count } from './bursts';
import { systemClock, type Clock } from './clock';
import { Lanes, type Candidate, type Lane, type QueuedRequest } from './lanes';
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
 *     1340 ms  3 is answered, so late that the service has worked on it: it is assumed to have been counted 35 ms after it left.
 *     2075 ms  5 leaves, a second after that.
 *     2080 ms  6 leaves, a second after the answer to 4.
 *     2115 ms  5 is refused, with "Retry-After: 1": nothing leaves for that second, and another one that may have been rounded off.
 *     4115 ms  5 is sent again, before all others, and 7 leaves.
 *
 * A single refusal changes nothing else; a second one soon after it slows down. `window.ts` keeps one limit. `arrival.ts` estimates when
 * a request was counted, `slowdown.ts` reacts to refusals, and `bursts.ts` follows the service's own count of a minute.
 */

/** Limit for the requests in flight of one account, and of one run. n8n itself would send those of all items together. */
const mostInFlight = 10;

/** After this time without an answer, a request no longer makes other runs wait. */
const longestInFlightMs = 10_000;

/** Longest sleep at a time. A request waits at most this much longer than its reason to wait. */
const longestSleepMs = 500;

/** Wait after a refusal if neither the service nor a limit determines it. */
const usualWaitMs = 1000;

/** How a request ended, for the scheduler. */
export interface Ending {
	/** The service's count in the answer. */
	count?: Count | undefined;
	/** Set when the service refused it because of a limit. */
	refused?: {
		/** Wait that the service asked for, if any. */
		askedMs: number | undefined;
		/** Wait until the request is sent again; undefined if it is not. */
		waitMs: number | undefined;
	};
	/** Set during maintenance: how long to send nothing. */
	closedMs?: number;
}

/** A request as one of its limits counts it, at its own pace or at another one. */
interface Booking {
	/** Name of the limit. */
	limit: string;
	window: SlidingWindow;
	hit: Hit;
	isOwnPace: boolean;
}

/** Permission to send one request now. Release it when the request has ended, with any result. */
export interface Slot {
	scheduler: Scheduler;
	run: object;
	sentAt: number;
	bookings: Booking[];
}

/** A request that asks for a slot. */
export interface Place {
	run: object;
	terms: Terms;
	/** Whether it goes before the other requests of its run, as retries do. */
	first?: boolean;
	/** Called to enqueue it again. */
	again?: () => Promise<Slot | undefined>;
}

/** Every request of one account passes here. It waits until all its limits have room and fewer than ten are in flight. */
export class Scheduler {
	private readonly paces = new Map<string, Paces>();

	private readonly lanes = new Lanes<Slot>((terms) => this.windowsOf(terms));

	/** Requests in flight, in the order in which they were sent. */
	private readonly underWay = new Set<Slot>();

	private wakeAt = Infinity;

	/** Until when to send nothing at all, after a refusal that no limit explains. */
	private pausedUntil = 0;

	constructor(private readonly clock: Clock = systemClock) {}

	/**
	 * Enqueues a request behind the others of its run. Calls back with its slot, or never if the run leaves before. A waiting request
	 * costs little, so a run can enqueue many thousands, and leave, at once.
	 *
	 * @param again called instead if the request must be enqueued again
	 */
	enqueue(run: object, terms: Terms, begin: (slot: Slot) => void, again = () => {}) {
		this.lanes.queueOf(run, terms).push({ begin, again });
		this.advance();
	}

	/** Waits for the slot of a request. @returns undefined if the run leaves before */
	async acquire({ run, terms, first, again }: Place): Promise<Slot | undefined> {
		return await new Promise((resolve) => {
			const request: QueuedRequest<Slot> = {
				begin: resolve,
				again: () => resolve(again?.()),
				leave: () => resolve(undefined),
			};
			if (first) this.lanes.queueOf(run, terms).putFirst(request);
			else this.lanes.queueOf(run, terms).push(request);
			this.advance();
		});
	}

	release(slot: Slot, { count, refused, closedMs }: Ending = {}) {
		this.underWay.delete(slot);
		const now = this.clock.now();
		const own = slot.bookings.filter(({ isOwnPace }) => isOwnPace);
		const counted = count && theOnly(own.filter(({ window }) => window.isCountedBy(count)));
		const meant = refused && limitMeant(own, { now, askedMs: refused.askedMs, count, counted });
		// After a request that is given up, the others wait briefly: each learns of the limit from its own answer.
		const waitMs = refused && (refused.waitMs ?? meant?.window.windowMs ?? usualWaitMs);
		// With a single limit, the count belongs to it, even if it is lower than the credential says.
		const described = counted ?? (own.length === 1 ? own[0] : undefined);
		for (const booking of slot.bookings) {
			booking.window.answered(booking.hit, {
				at: now,
				count: booking === described ? count : undefined,
				// All paces share one limit at the service.
				waitMs: booking.limit === meant?.limit ? waitMs : undefined,
			});
		}
		if (waitMs !== undefined && !meant) this.pause(now + waitMs);
		if (closedMs !== undefined) this.pause(now + closedMs);
		this.advance();
	}

	/** Withdraws all waiting requests of a run without sending them. */
	leave(run: object) {
		for (const request of this.lanes.withdraw(run)) request.leave?.();
	}

	/** Enqueues all waiting requests of a run again, because its limits have changed. */
	enqueueAgain(run: object) {
		for (const request of this.lanes.withdraw(run)) request.again();
	}

	/** Whether a new scheduler would behave the same. */
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

	/** Hands out all slots available now, and arranges the next call. */
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

	/** The next candidate; if none is ready, the earliest time for one. */
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

	/** When another request may be in flight, if none is answered before. */
	private roomAt(now: number): number {
		const oldest = [...this.underWay].at(-mostInFlight);
		return oldest ? oldest.sentAt + longestInFlightMs : now;
	}

	/** Runs with as many requests in flight as allowed, however long these have been without an answer. */
	private fullRuns(): ReadonlySet<object> {
		const counts = new Map<object, number>();
		for (const { run } of this.underWay) counts.set(run, (counts.get(run) ?? 0) + 1);
		return new Set([...counts.keys()].filter((run) => counts.get(run)! >= mostInFlight));
	}

	private serve(candidate: Candidate<Slot>, now: number) {
		const { windows } = candidate.lane;
		const request = this.lanes.take(candidate);
		const bookings = [...windows].flatMap(([limit, own]) =>
			this.pacesOf(limit)
				.send(own, now)
				.map((booking) => ({ ...booking, limit, isOwnPace: booking.window === own })),
		);
		if (bookings.length) void this.watchLeaving(bookings);
		const slot: Slot = { scheduler: this, run: candidate.run, sentAt: now, bookings };
		this.underWay.add(slot);
		request.begin(slot);
	}

	/**
	 * Notes the latest time at which a request left. n8n evaluates all items of a node at once and blocks the process meanwhile,
	 * sometimes for seconds. A request that waits for its connection then leaves about as late as this timer fires.
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

	/** Arranges a call of `advance` at a time, unless one comes earlier. None is needed for Infinity. */
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

/** A count does not distinguish limits with the same values. */
const theOnly = (bookings: Booking[]) => (bookings.length === 1 ? bookings[0] : undefined);

/**
 * The limit that a 429 refers to. If the service's count says that nothing is left, it is the counted one. Otherwise a long wait
 * indicates a long window, and the fullest of several windows is chosen.
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
	/** The limit that the count belongs to, if that is certain. */
	counted: Booking | undefined;
}
