import { systemClock } from '../../client/pace/clock';
import { nameOf, type Limits } from '../../client/pace/limits';
import type { End, Found } from './entries';
import type { Store } from './store';

/*
 * When a process dies, all recipients that it has claimed are in doubt. So a run claims only those whose requests leave within the
 * next two seconds. Recipients who have the message already need no request, so while a run finds only these, it claims more at once.
 */

const aheadMs = 2000;
const mostAhead = 50;

/** A line makes its next claims when one in `parts` of them is left, because claiming takes time. */
const parts = 4;

/** A run claims again what another process has claimed, until the message of that process should have been answered. */
const againMs = 3000;
const patienceMs = 10_000;

/** Longest time for the end of a run that the user has stopped. The store records the rest after the run. */
const longestEndMs = 700;

const { now, sleep } = systemClock;

/** Whether an item's recipient is claimed, how its message ended earlier, or why n8n's store has failed. */
export type Claimed = Exclude<Found, 'elsewhere'> | { error: unknown };

/** An item whose recipient is to be claimed. */
export interface ClaimRequest {
	item: number;
	/** Identifies the recipient. */
	key: string;
	/** Limits that its request counts towards. */
	limits: Limits;
	/** Called once, and not when nothing more may leave. Must not throw. */
	then(claimed: Claimed): void;
	/** Since when another process has the recipient. */
	elsewhereSince?: number;
}

/** How fast requests leave. */
export interface Pace {
	/** How many requests with these limits can leave within a time in milliseconds. */
	leaving(limits: Limits, milliseconds: number): number;
	/** The longest window of these limits, in milliseconds. */
	windowMs(limits: Limits): number;
}

/** The items whose requests count towards the same limits. */
interface Line {
	limits: Limits;
	/** In item order. */
	waiting: ClaimRequest[];
	/** Claimed items whose requests have not left. */
	ready: Set<number>;
	/** Whether all recipients that were claimed last had the message already. */
	areKnown: boolean;
	isWorking: boolean;
}

export class Claims {
	/** Number of recipients whose outcome n8n could not record. They are in doubt. */
	notRecorded = 0;

	private readonly lines = new Map<string, Line>();
	/** Claimed items whose requests have not ended. */
	private readonly claimed = new Map<number, { key: string; line: Line }>();
	/** Calls of the store that have not ended. */
	private pending = 0;
	private isClosed = false;
	private settled = () => {};

	/** @param signal aborted when nothing more may leave */
	constructor(
		private readonly store: Store,
		private readonly pace: Pace,
		private readonly signal: AbortSignal,
	) {}

	/** Claims the recipient of an item, shortly before its request can leave. */
	want(request: ClaimRequest) {
		const { limits } = request;
		const name = nameOf(limits);
		let line = this.lines.get(name);
		line ??= { limits, waiting: [], ready: new Set(), areKnown: false, isWorking: false };
		this.lines.set(name, line);
		this.wait(request, line);
	}

	/** Notes that the request of an item leaves now. */
	leaves(item: number) {
		const line = this.claimed.get(item)?.line;
		if (line?.ready.delete(item)) void this.work(line);
	}

	/** Notes that the request of an item has ended or cannot leave. */
	ended(item: number, end: End) {
		const claim = this.claimed.get(item);
		if (!claim) return;
		this.claimed.delete(item);
		claim.line.ready.delete(item);
		void this.record(claim.key, end);
	}

	/**
	 * Releases the claims whose requests have not left, and waits until everything is recorded.
	 *
	 * @param stopped aborted when the user stops the run and does not want to wait for long
	 */
	async close(stopped: AbortSignal | undefined) {
		this.isClosed = true;
		for (const { ready } of this.lines.values()) for (const item of ready) this.ended(item, 'notSent');
		this.store.recordNow();
		const settled = new Promise<void>((resolve) => (this.settled = resolve));
		if (this.pending) await Promise.race([settled, shortlyAfter(stopped)]);
		this.store.close();
	}

	private get isOver(): boolean {
		return this.isClosed || this.signal.aborted;
	}

	/** Puts a request into its place in its line. */
	private wait(request: ClaimRequest, line: Line) {
		const { waiting } = line;
		const before = waiting.findLastIndex(({ item }) => item < request.item);
		waiting.splice(before + 1, 0, request);
		void this.work(line);
	}

	private async work(line: Line) {
		if (line.isWorking) return;
		line.isWorking = true;
		// Collects everything that comes at the same time.
		await sleep(0);
		while (!this.isOver && line.waiting.length && line.ready.size <= this.aheadOf(line) / parts)
			await this.claimNext(line);
		line.isWorking = false;
	}

	/** How many claims of a line may wait to leave. */
	private aheadOf({ limits }: Line): number {
		return Math.max(1, Math.min(mostAhead, Math.floor(this.pace.leaving(limits, aheadMs))));
	}

	private async claimNext(line: Line) {
		const ahead = line.areKnown ? mostAhead : this.aheadOf(line);
		const requests = this.reserveNext(line, ahead - line.ready.size);
		if (!requests.length) return;
		this.pending++;
		const claimed = this.store.claim(requests.map(({ key }) => key));
		const found = await claimed.catch((error: unknown) => requests.map(() => ({ error })));
		for (const [index, request] of requests.entries()) {
			try {
				this.proceed(request, line, found[index]!);
			} catch (error) {
				request.then({ error });
			}
		}
		line.areKnown = found.every((each) => each === 'sent' || each === 'unknown');
		this.end();
	}

	/** The next requests of a line whose recipients are free. The others return to the line when theirs are. */
	private reserveNext(line: Line, most: number): ClaimRequest[] {
		const requests: ClaimRequest[] = [];
		while (requests.length < most && line.waiting.length) {
			const request = line.waiting.shift()!;
			const whenFree = this.store.reserve(request.key);
			if (whenFree) void whenFree.then(() => this.wait(request, line));
			else requests.push(request);
		}
		return requests;
	}

	private proceed(request: ClaimRequest, line: Line, found: Found | { error: unknown }) {
		const { item, key, then } = request;
		if (found === 'elsewhere') {
			this.claimAgain(request, line);
		} else if (found !== 'claimed') {
			if (typeof found === 'string') void this.record(key, found);
			then(found);
		} else if (this.isOver || line.ready.size >= this.aheadOf(line)) {
			void this.record(key, 'notSent');
			this.wait(request, line);
		} else {
			line.ready.add(item);
			this.claimed.set(item, { key, line });
			then('claimed');
		}
	}

	/** Claims later what another process has claimed, or had claimed when it died. Its line does not wait for it. */
	private claimAgain(request: ClaimRequest, line: Line) {
		request.elsewhereSince ??= now();
		const longestMs = patienceMs + this.pace.windowMs(line.limits);
		if (now() - request.elsewhereSince >= longestMs) request.then('unknown');
		else void sleep(againMs).then(() => this.wait(request, line));
	}

	private async record(key: string, end: End) {
		this.pending++;
		const recorded = this.store.record(key, end);
		if (this.isClosed) this.store.recordNow();
		if (!(await recorded)) this.notRecorded++;
		this.end();
	}

	private end() {
		this.pending--;
		if (!this.pending) this.settled();
	}
}

async function shortlyAfter(stopped: AbortSignal | undefined) {
	await new Promise<void>((resolve) => {
		if (stopped?.aborted) resolve();
		else stopped?.addEventListener('abort', () => resolve());
	});
	await sleep(longestEndMs);
}
