import { systemClock, type Clock } from './clock';
import { patienceMs } from '../failure/after';
import type { Failed, Failure } from '../failure/result';
import { Bursts, type Count } from './bursts';
import { Gate, type Sender, type Wait } from './gate';
import { accountLimit, joinLimits, type Limits, type Pace } from './limits';
import { likelyLimit, Window, type Hit } from './window';

/*
 * When requests leave: a slot is the permission to send one request now, and runs take turns for it. `window.ts` keeps one limit,
 * `gate.ts` waits for the end of trouble, `bursts.ts` follows the service's count. test/simulation shows what a change does to whole
 * broadcasts.
 */

/** Limit for the requests in flight of one account, and of one run. */
const mostInFlight = 10;

/** After this time without an answer, a request no longer makes other runs wait. */
const longestInFlightMs = 10_000;

/** A request that is sent again goes before the others of its sender, but not for ever: the service may refuse only this one. */
const longestBeforeOthersMs = 30_000;

/** The requests behind one that goes before all others of its sender. */
export const beforeOthers = Number.MAX_VALUE;

const firstAttempt = { repeats: 0, notBefore: -Infinity, waitedMs: 0 };

/** While runs have requests, the editor's lists send one request in this time. */
const editorTurnMs = 4000;

/** Longest sleep at a time. A request waits at most this much longer than its reason to wait. */
const longestSleepMs = 500;

export interface SlotRequest {
	sender: Sender;
	/** Limits that it counts towards, in addition to the account's. */
	limits: Limits;
	/** Requests of the sender that wait behind it under the same limits. */
	behind: number;
	/** Asked again and again while it waits. If it may not leave, its wait ends. */
	mayLeave?: (() => boolean) | undefined;
}

/** One request, from its first wait to its last attempt. */
interface Waiter extends SlotRequest, Checkpoints {
	/** How often it was sent again after trouble of its own. */
	repeats: number;
	/** When it may leave at the earliest. */
	notBefore: number;
	/** How long it had to wait at gates after its own attempts, in milliseconds. */
	waitedMs: number;
	begin(slot: Slot | Failed | undefined): void;
}

/** Permission to send one request now. */
export interface Slot {
	scheduler: Scheduler;
	request: Waiter;
	sentAt: number;
	hits: Hit[];
	/** The gates whose probe it is. */
	probes: Set<Gate>;
}

/** What a request passes. Worked out once, because thousands of runs may wait. */
interface Checkpoints {
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
	/** For each sender, the number of its latest slot. */
	private readonly served = new WeakMap<Sender, number>();
	private slots = 0;
	/** When a request of the editor's lists may leave before those of runs. */
	private editorDueAt = -Infinity;
	private wakeAt = Infinity;
	/** When it last had something to do. */
	usedAt: number;

	constructor(private readonly clock: Clock = systemClock) {
		this.usedAt = clock.now();
	}

	/** Notes the pace of the credential that was used last. It applies to all requests. Keeps nothing else of the credential. */
	use({ limits, workers, bursts }: Pace) {
		const pace = { limits, workers, bursts };
		if (JSON.stringify(pace) === JSON.stringify(this.pace)) return;
		this.pace = pace;
		for (const [name, window] of this.windows) window.use(limits[name], workers);
		for (const waiter of this.waiting) Object.assign(waiter, this.checkpointsOf(waiter.limits));
		this.advance();
	}

	/**
	 * Waits for a slot.
	 *
	 * @param request a new one, or that of an earlier slot, which is sent again
	 * @returns undefined if the sender leaves before, or the request may not; a failure if trouble takes too long
	 */
	async slot(request: SlotRequest | Waiter): Promise<Slot | Failed | undefined> {
		const { sender } = request;
		if (sender.signal?.aborted) return undefined;
		this.welcome(sender);
		return await new Promise((begin) => {
			const now = this.clock.now();
			// A turn that nobody has used lately is kept: a person may type on.
			if (sender.isForEditor && this.editorDueAt + editorTurnMs <= now) this.editorDueAt = now + editorTurnMs;
			const waiter: Waiter = { ...firstAttempt, ...request, ...this.checkpointsOf(request.limits), begin };
			if ('begin' in request) waiter.behind = waiter.waitedMs < longestBeforeOthersMs ? beforeOthers : -1;
			this.waiting.add(waiter);
			const readyAt = this.readyAt(waiter, now);
			// The others are not looked at without need.
			if (typeof readyAt === 'number' && readyAt > now) this.wakeUp(readyAt, now);
			else this.advance();
		});
	}

	/** A new sender comes after the waiting ones, but before the one that was served last. */
	private welcome(sender: Sender) {
		if (this.served.has(sender)) return;
		this.served.set(sender, this.slots - 0.5);
		// Once for each sender, because thousands of its requests may wait.
		sender.signal?.addEventListener('abort', () => {
			for (const waiter of this.waiting) if (waiter.sender === sender) this.resolve(waiter, undefined);
		});
	}

	isInTrouble(limits: Limits): boolean {
		return this.checkpointsOf(limits).gates.some(({ isClosed }) => isClosed);
	}

	/** What a sender waits for at a gate; undefined if it does not wait there. */
	waitOf(sender: Sender): Wait | undefined {
		const gates = [...this.waiting]
			.filter((waiter) => waiter.sender === sender)
			.flatMap(({ gates }) => gates);
		return gates.map((gate) => gate.waitOf(sender, this.clock.now())).find((wait) => wait !== undefined);
	}

	/** Notes that a request is sent again after a wait of its own. The others do not wait. */
	repeat({ request }: Slot, afterMs: number) {
		request.repeats++;
		request.notBefore = this.clock.now() + afterMs;
	}

	/**
	 * Notes trouble that is not the fault of the request. Call it before `release`.
	 *
	 * @returns how long the request waits at the gate; undefined if that takes too long
	 */
	trouble(slot: Slot, failure: Failure): number | undefined {
		const now = this.clock.now();
		const { request } = slot;
		const { sender } = request;
		const meant = failure.concerns === 'limit' ? likelyLimit(slot.hits, failure, now) : undefined;
		if (meant?.window.name === accountLimit) this.bursts.refused(now);
		meant?.window.refused(meant, now, failure.retryAfterMs ?? 0);
		const gate = meant?.window.gate ?? this.gate;
		const waiting = [...this.waiting].filter((waiter) => waiter.gates.includes(gate));
		const senders = [sender, ...waiting.map((waiter) => waiter.sender)];
		gate.close(now, failure, slot.probes.delete(gate), senders);
		// It tells nothing about other trouble.
		for (const other of slot.probes) other.probed(false);
		slot.probes.clear();
		const readyAt = gate.readyFor(sender, now);
		// If others get through meanwhile, each trouble is short.
		if (typeof readyAt === 'object' || request.waitedMs > patienceMs(failure, sender)) return undefined;
		request.waitedMs += readyAt - now;
		return readyAt - now;
	}

	/** Call it when the request has ended, with any result. @param count the service's own, in the answer */
	release(slot: Slot, isAnswered = false, count?: Count) {
		const now = this.clock.now();
		this.inFlight.delete(slot);
		this.bursts.answered(now, count, this.pace.limits[accountLimit]);
		for (const hit of slot.hits) hit.window.answered(hit, now);
		for (const gate of slot.probes) gate.probed(isAnswered);
		this.advance();
	}

	/** Hands out all slots available now, and arranges the next call. */
	private advance() {
		for (;;) {
			const now = (this.usedAt = this.clock.now());
			const { next, soonest } = this.nextOf(now);
			if (!next) return this.wakeUp(soonest, now);
			this.serve(next, now);
		}
	}

	/** The next request; if none is ready, the earliest time for one. Ends those that do not wait any longer. */
	private nextOf(now: number): { next: Waiter | undefined; soonest: number } {
		let next: Waiter | undefined;
		let soonest = Infinity;
		for (const waiter of this.waiting) {
			const readyAt = this.readyAt(waiter, now);
			if (waiter.mayLeave?.() === false) this.resolve(waiter, undefined);
			else if (typeof readyAt === 'object') this.resolve(waiter, { failure: readyAt });
			else if (readyAt > now) soonest = Math.min(soonest, readyAt);
			else if (!next || this.goesBefore(waiter, next, now)) next = waiter;
		}
		return { next, soonest };
	}

	/** When a request may leave, or why it does not wait for that. */
	private readyAt({ sender, notBefore, windows, gates }: Waiter, now: number): number | Failure {
		let at = Math.max(notBefore, this.roomAt(sender, now));
		for (const gate of gates) {
			const ready = gate.readyFor(sender, now);
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

	/** When another request of a sender may be in flight, if none is answered before. */
	private roomAt(sender: Sender, now: number): number {
		if (this.inFlight.size < mostInFlight) return now;
		const counts = (slot: Slot) => slot.request.sender === sender || now < slot.sentAt + longestInFlightMs;
		return [...this.inFlight].filter(counts).length < mostInFlight ? now : now + longestSleepMs;
	}

	/**
	 * Whether a ready request goes before another: a run's before the editor's, then the one whose sender was served longer ago. Within a
	 * run it is the one under the slower limit, then the one with more behind it, so that the run takes only as long as its slowest limit.
	 */
	private goesBefore(one: Waiter, other: Waiter, now: number): boolean {
		const isForEditor = one.sender.isForEditor === true;
		if (isForEditor !== (other.sender.isForEditor === true)) return isForEditor === now >= this.editorDueAt;
		if (one.sender !== other.sender) return this.served.get(one.sender)! < this.served.get(other.sender)!;
		return (one.spacingMs - other.spacingMs || one.behind - other.behind) > 0;
	}

	private checkpointsOf(limits: Limits): Checkpoints {
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
		this.served.set(waiter.sender, ++this.slots);
		if (waiter.sender.isForEditor) this.editorDueAt = now + editorTurnMs;
		this.bursts.send();
		const { windows, gates } = waiter;
		const hits = windows.map((window) => window.send(now));
		for (const hit of hits) {
			// n8n can block the process for seconds. A request that waits for its connection leaves about as late as this timer fires.
			const latestMs = Math.ceil(hit.window.latestMs(now));
			void this.clock.sleep(latestMs).then(() => (hit.countedAt ??= this.clock.now()));
		}
		const probes = new Set(gates.filter((gate) => gate.pass(now)));
		const slot = { scheduler: this, request: waiter, sentAt: now, hits, probes };
		this.inFlight.add(slot);
		this.resolve(waiter, slot);
	}

	private resolve(waiter: Waiter, slot: Slot | Failed | undefined) {
		this.waiting.delete(waiter);
		waiter.begin(slot);
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
