import { systemClock, type Clock } from '../../shared/clock';
import type { Failure } from '../failure/failure';
import type { Failed } from '../failure/result';
import { patienceMs, type Run } from '../failure/retry';
import { Bursts, minuteMs, type Count } from './bursts';
import { Gate } from './gate';
import { accountLimit, joinLimits, type Limits, type Pace } from './limits';
import { Window, type Hit } from './window';

/*
 * When requests leave: a slot is the permission to send one request now, and runs take turns for it. `window.ts` keeps one limit,
 * `gate.ts` waits for the end of trouble, `bursts.ts` follows the service's count. test/simulation shows what a change does to whole
 * broadcasts.
 */

/** Limit for the requests in flight of one account, and of one run. */
const mostInFlight = 10;

/** After this time without an answer, a request no longer makes other runs wait. */
const longestInFlightMs = 10_000;

/** A request that is sent again goes before the others of its run, until then. The service may refuse this one only. */
const attemptsBeforeOthers = 8;

/** While runs have requests, the editor's lists send one request in this time. */
const editorTurnMs = 4000;

/** Longest sleep at a time. A request waits at most this much longer than its reason to wait. */
const longestSleepMs = 500;

/** A request that has met trouble and is sent again. */
export interface Retry {
	attempts: number;
	/** How long it had to wait after its own attempts, in milliseconds. */
	waitedMs: number;
}

interface SlotRequest extends Partial<Retry> {
	run: Run;
	/** Limits that it counts towards, in addition to the account's. */
	limits: Limits;
	/** Requests that wait behind it in its run. */
	behind?: number;
}

interface Waiter extends Required<SlotRequest>, Way {
	begin(slot: Slot | Failed | undefined): void;
}

/** Permission to send one request now. */
export interface Slot {
	scheduler: Scheduler;
	request: Required<SlotRequest>;
	sentAt: number;
	hits: Array<{ window: Window; hit: Hit }>;
	/** The gates at which it tries. */
	trials: Set<Gate>;
}

/** What a request passes. Worked out once, because thousands of runs may wait. */
interface Way {
	windows: Window[];
	gates: Gate[];
	/** Milliseconds from one request to the next under the slowest limit. */
	spacingMs: number;
}

/** Every request of one account passes here. It waits until all its limits have room and fewer than ten are in flight. */
export class Scheduler {
	private pace: Pace = { limits: {}, workers: 1, bursts: false };
	private readonly windows = new Map<string, Window>();
	private readonly bursts = new Bursts();
	/** Closed by trouble that no limit explains. */
	private readonly gate = new Gate();
	private readonly inFlight = new Set<Slot>();
	private readonly waiting = new Set<Waiter>();
	/** For each run, the number of its latest slot. */
	private readonly served = new WeakMap<Run, number>();
	private slots = 0;
	/** When a request of the editor's lists may leave before those of runs. */
	private editorDueAt = -Infinity;
	private wakeAt = Infinity;

	constructor(private readonly clock: Clock = systemClock) {}

	/** Notes the pace of the credential that was used last. It applies to all requests. Keeps nothing else of the credential. */
	use({ limits, workers, bursts }: Pace) {
		const pace = { limits, workers, bursts };
		if (JSON.stringify(pace) === JSON.stringify(this.pace)) return;
		this.pace = pace;
		for (const [name, window] of this.windows) window.use(limits[name], workers);
		for (const waiter of this.waiting) Object.assign(waiter, this.wayOf(waiter.limits));
		this.advance();
	}

	/** Waits for a slot. @returns undefined if the run leaves before; a failure if trouble takes too long */
	async slot(request: SlotRequest): Promise<Slot | Failed | undefined> {
		const { run, attempts = 0, waitedMs = 0 } = request;
		const again = attempts < attemptsBeforeOthers ? Number.MAX_VALUE : -1;
		const behind = attempts ? again : (request.behind ?? 0);
		// A new run comes after the waiting runs, but before the run that was served last.
		if (!this.served.has(run)) this.served.set(run, this.slots - 0.5);
		return await new Promise((begin) => {
			const now = this.clock.now();
			// A turn that nobody has used lately is kept: a person may type on.
			if (run.isForEditor && this.editorDueAt + editorTurnMs <= now) this.editorDueAt = now + editorTurnMs;
			const waiter = { ...request, ...this.wayOf(request.limits), attempts, waitedMs, behind, begin };
			this.waiting.add(waiter);
			const readyAt = this.readyAt(waiter, now);
			// The others are not looked at without need.
			if (typeof readyAt === 'number' && readyAt > now) this.wakeUp(readyAt, now);
			else this.advance();
		});
	}

	leave(run: Run) {
		for (const waiter of this.waiting) if (waiter.run === run) this.end(waiter, undefined);
	}

	/**
	 * Notes trouble that is not the fault of the request. Call it before `release`.
	 *
	 * @returns how to ask for the next slot; undefined if the trouble takes too long
	 */
	trouble(slot: Slot, failure: Failure): Retry | undefined {
		const now = this.clock.now();
		const { run, attempts, waitedMs } = slot.request;
		const meant = failure.concerns === 'limit' ? this.limitMeant(slot, failure, now) : undefined;
		if (meant?.window.name === accountLimit) this.bursts.refused(now);
		meant?.window.refused(meant.hit, now, failure.retryAfterMs ?? 0);
		const gate = meant?.window.gate ?? this.gate;
		const waiting = [...this.waiting].filter((waiter) => waiter.gates.includes(gate));
		const runs = [run, ...waiting.map((waiter) => waiter.run)];
		gate.close(now, failure, slot.trials.delete(gate), runs);
		// It tells nothing about other trouble.
		for (const other of slot.trials) other.tried(false);
		slot.trials.clear();
		const readyAt = gate.readyFor(run, now);
		// If others get through meanwhile, each trouble is short.
		if (typeof readyAt === 'object' || waitedMs > patienceMs(failure, run)) return undefined;
		return { attempts: attempts + 1, waitedMs: waitedMs + readyAt - now };
	}

	/** Call it when the request has ended, with any result. @param count the service's own, in the answer */
	release(slot: Slot, isAnswered = false, count?: Count) {
		const now = this.clock.now();
		this.inFlight.delete(slot);
		this.bursts.answered(now, count, this.pace.limits[accountLimit]);
		for (const { window, hit } of slot.hits) window.answered(hit, now);
		for (const gate of slot.trials) gate.tried(isAnswered);
		this.advance();
	}

	/**
	 * The limit that a refusal refers to: the fullest, then the one that is doubted least. A long wait indicates a long window. After one
	 * of more than a minute, a messenger's limit is chosen, because the account's would stop everybody.
	 */
	private limitMeant({ hits }: Slot, { retryAfterMs = 0 }: Failure, now: number) {
		const longEnough = hits.filter(({ window }) => window.own.windowMs >= retryAfterMs);
		return [...(longEnough.length ? longEnough : hits)].sort(({ window: a }, { window: b }) => {
			const longer = a.own.windowMs - b.own.windowMs;
			if (retryAfterMs > minuteMs) return -longer;
			return b.fullness(now) - a.fullness(now) || a.doubtMs(now) - b.doubtMs(now) || longer;
		})[0];
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

	/** The next request; if none is ready, the earliest time for one. Ends those that do not wait any longer. */
	private nextOf(now: number): { next: Waiter | undefined; soonest: number } {
		let next: Waiter | undefined;
		let soonest = Infinity;
		for (const waiter of this.waiting) {
			const readyAt = this.readyAt(waiter, now);
			if (typeof readyAt === 'object') this.end(waiter, { failure: readyAt });
			else if (readyAt > now) soonest = Math.min(soonest, readyAt);
			else if (!next || this.goesBefore(waiter, next, now)) next = waiter;
		}
		return { next, soonest };
	}

	/** When a request may leave, or why it does not wait for that. */
	private readyAt({ run, windows, gates }: Waiter, now: number): number | Failure {
		let at = this.roomAt(run, now);
		for (const gate of gates) {
			const ready = gate.readyFor(run, now);
			if (typeof ready === 'object') return ready;
			at = Math.max(at, ready);
		}
		for (const window of windows) {
			const isOfAccount = window.name === accountLimit;
			const isInBurst = isOfAccount && this.pace.bursts && this.bursts.isReady(now);
			at = Math.max(at, isInBurst ? 0 : window.readyAt(now), isOfAccount ? this.bursts.usedUpUntil : 0);
		}
		return at;
	}

	/** When another request of a run may be in flight, if none is answered before. */
	private roomAt(run: Run, now: number): number {
		if (this.inFlight.size < mostInFlight) return now;
		const counted = [...this.inFlight].filter(
			(slot) => slot.request.run === run || now < slot.sentAt + longestInFlightMs,
		);
		return counted.length < mostInFlight ? now : now + longestSleepMs;
	}

	/**
	 * Whether a ready request goes before another: a run's before the editor's, then the one whose run was served longer ago. Within a run
	 * it is the one under the slower limit, then the one with more behind it, so that the run takes only as long as its slowest limit.
	 */
	private goesBefore(one: Waiter, other: Waiter, now: number): boolean {
		const isForEditor = one.run.isForEditor === true;
		if (isForEditor !== (other.run.isForEditor === true)) return isForEditor === now >= this.editorDueAt;
		if (one.run !== other.run) return this.served.get(one.run)! < this.served.get(other.run)!;
		return (one.spacingMs - other.spacingMs || one.behind - other.behind) > 0;
	}

	private wayOf(limits: Limits): Way {
		const windows = Object.entries(joinLimits(this.pace.limits, limits)).map(([name, limit]) => {
			const window = this.windows.get(name) ?? new Window(name, limit, this.pace.workers);
			this.windows.set(name, window);
			return window;
		});
		const gates = [this.gate, ...windows.map(({ gate }) => gate)];
		const spacingMs = Math.max(0, ...windows.map(({ own }) => own.windowMs / own.count));
		return { windows, gates, spacingMs };
	}

	private serve(waiter: Waiter, now: number) {
		this.served.set(waiter.run, ++this.slots);
		if (waiter.run.isForEditor) this.editorDueAt = now + editorTurnMs;
		this.bursts.send();
		const { windows, gates } = waiter;
		const hits = windows.map((window) => ({ window, hit: window.send(now) }));
		for (const { window, hit } of hits) {
			// n8n can block the process for seconds. A request that waits for its connection leaves about as late as this timer fires.
			const latestMs = Math.ceil(window.latestMs(now));
			void this.clock.sleep(latestMs).then(() => window.expire(hit, this.clock.now()));
		}
		const trials = new Set(gates.filter((gate) => gate.pass(now)));
		const slot = { scheduler: this, request: waiter, sentAt: now, hits, trials };
		this.inFlight.add(slot);
		this.end(waiter, slot);
	}

	private end(waiter: Waiter, end: Slot | Failed | undefined) {
		this.waiting.delete(waiter);
		waiter.begin(end);
	}

	/** Arranges a call of `advance` at a time, unless one comes earlier. None is needed for Infinity. */
	private wakeUp(at: number, now: number) {
		const wakeAt = Math.min(at, now + longestSleepMs);
		if (this.wakeAt <= wakeAt || at === Infinity) return;
		this.wakeAt = wakeAt;
		void this.clock.sleep(Math.ceil(wakeAt - now)).then(() => {
			if (this.wakeAt === wakeAt) this.wakeAt = Infinity;
			this.advance();
		});
	}
}

const schedulers = new Map<string, Scheduler>();

/** The scheduler that all runs, lists and workflows of this process share. @param key equal for all credentials of one account */
export function schedulerOf(key: string): Scheduler {
	const scheduler = schedulers.get(key) ?? new Scheduler();
	schedulers.set(key, scheduler);
	return scheduler;
}
