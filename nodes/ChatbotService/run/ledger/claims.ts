import { sleep } from 'n8n-workflow';

import { nameOf, type Limits } from '../../client/pace/limits';
import { Claim, Line, transitions, type State, type Wanted } from './claim';
import type { End, Standing } from './entries';
import { assertTransition } from './states';
import type { Store } from './store';

export type { Known, Wanted } from './claim';

/*
 * When a process dies, all recipients that it has claimed are in doubt. So a run claims only those whose requests leave within the
 * next two seconds. Recipients who have the message already need no request. While a run finds only these, it asks for more at once.
 */

const aheadMs = 2000;

/** A line asks for its next claims when one in `parts` of them is left, because asking takes time. */
const parts = 4;

/** Most claims of a run at a time: at first, and with a service that accepts requests faster than the run claims. */
const mostAtFirst = 50;
const mostAhead = 200;

/** A run asks again for a recipient that another process has claimed, until the message of that process should have been answered. */
const askAgainMs = 3000;
const patienceMs = 10_000;

/** Longest time for the end of a run that the user has stopped. The store records the rest after the run. */
const longestEndMs = 700;

/** How fast requests leave. */
export interface Pace {
	/** How many requests with these limits can leave within a time in milliseconds. */
	leaving(limits: Limits, milliseconds: number): number;
	/** The longest window of these limits, in milliseconds. */
	windowMs(limits: Limits): number;
}

/** Claims that are asked for together. */
interface Batch {
	/** Whether one of them is claimed. */
	isClaimed?: boolean;
}

export class Claims {
	/** Number of recipients whose outcome n8n could not record. They are in doubt. */
	notRecorded = 0;

	private readonly lines = new Map<string, Line>();

	/** Claims whose requests wait to leave or have left, by the keys of their recipients. */
	private readonly claims = new Map<string, Claim>();

	private most = mostAtFirst;
	private hasClaimed = false;
	private working: Promise<void> | undefined;
	private isClosed = false;

	/** @param signal aborted when nothing more may leave */
	constructor(
		private readonly store: Store,
		private readonly pace: Pace,
		private readonly signal: AbortSignal,
	) {}

	/** Asks for the state of an item's recipient, and claims the recipient if the store does not know it. */
	want(wanted: Wanted) {
		const name = nameOf(wanted.limits);
		const line = this.lines.get(name) ?? new Line(wanted.limits);
		this.lines.set(name, line);
		new Claim(wanted, line);
		this.work();
	}

	/** Notes that the request to a claimed recipient leaves now. @throws if the recipient is not claimed */
	left(key: string) {
		this.become(key, 'left');
		this.work();
	}

	/** Notes that the request to a claimed recipient has ended or cannot leave. @throws if the recipient is not claimed */
	ended(key: string, end: End) {
		this.become(key, 'ended');
		this.claims.delete(key);
		void this.record(key, end);
	}

	/**
	 * Releases the claims whose requests have not left, and waits until everything is recorded.
	 *
	 * @param stopped aborted when the user stops the run and does not want to wait for long
	 */
	async close(stopped: AbortSignal | undefined) {
		this.isClosed = true;
		const claimed = [...this.lines.values()].flatMap((line) => [...line.claimed]);
		for (const { wanted } of claimed) this.ended(wanted.key, 'notSent');
		await Promise.race([this.store.close(), shortlyAfter(stopped)]);
	}

	private get isOver(): boolean {
		return this.isClosed || this.signal.aborted;
	}

	private become(key: string, state: State) {
		const claim = this.claims.get(key);
		// Claims that have ended are not kept.
		if (claim) claim.become(state);
		else assertTransition(transitions, 'ended', state);
	}

	private async record(key: string, end: End) {
		const isRecorded = await this.store.record(key, end).catch(() => {});
		if (!isRecorded) this.notRecorded++;
	}

	/** How many claims of a line may wait to leave. With a slow store, asking for them takes longer than two seconds. */
	private aheadOf({ limits }: Line): number {
		const milliseconds = Math.max(aheadMs, parts * this.store.claimMs);
		return Math.max(1, Math.min(this.most, Math.floor(this.pace.leaving(limits, milliseconds))));
	}

	/** The sum over all lines. */
	private sum(count: (line: Line) => number): number {
		return [...this.lines.values()].reduce((sum, line) => sum + count(line), 0);
	}

	private work() {
		this.working ??= this.askForNext();
	}

	private async askForNext() {
		// Collects everything that comes at the same time.
		await sleep(0);
		this.working = undefined;
		const lines = [...this.lines.values()].map((line) => ({ line, ahead: this.aheadOf(line) }));
		// Slow lines come first, because they claim only a few.
		for (const { line, ahead } of lines.sort((a, b) => a.ahead - b.ahead)) {
			if (this.isOver || line.underWay > ahead / parts || !line.waiting.length) continue;
			const free = (line.atOnce ? mostAhead : this.most) - this.sum(({ underWay }) => underWay);
			void this.askFor(line, Math.min(Math.max(1, free), (line.atOnce || ahead) - line.underWay));
		}
	}

	/** Asks for the next claims of a line. @param most number of claims */
	private async askFor(line: Line, most: number) {
		const batch: Batch = {};
		const asked: Array<Promise<Standing | undefined>> = [];
		while (asked.length < most && line.waiting.length) {
			const standing = this.askUnlessBlocked(line.waiting.shift()!, batch);
			if (standing) asked.push(standing);
		}
		if (!asked.length) return;
		const areAllSent = (await Promise.all(asked)).every((standing) => standing === 'sent');
		line.atOnce = areAllSent ? Math.min(mostAhead, 2 * (line.atOnce || this.aheadOf(line))) : 0;
	}

	private askUnlessBlocked(claim: Claim, batch: Batch): Promise<Standing | undefined> | undefined {
		const free = this.store.whenFree(claim.wanted.key);
		if (!free) return this.ask(claim, batch);
		void this.putBack(claim, free).catch(claim.fail);
		return undefined;
	}

	/** @returns the state of the recipient; undefined if the store has failed */
	private async ask(claim: Claim, batch: Batch): Promise<Standing | undefined> {
		try {
			claim.become('asked');
			const standing = await this.store.look(claim.wanted.key, () => !this.isOver);
			if (standing === 'claimed') this.claim(claim, batch);
			else if (standing === 'underWay') void this.askAgain(claim).catch(claim.fail);
			else claim.end(standing);
			return standing;
		} catch (error) {
			claim.fail(error);
			return undefined;
		} finally {
			this.work();
		}
	}

	private claim(claim: Claim, batch: Batch) {
		const { line, wanted } = claim;
		if (line.claimed.size >= this.aheadOf(line)) {
			void this.record(wanted.key, 'notSent');
			claim.become('waiting');
			return;
		}
		// All earlier claims have left: the service is faster than the run claims.
		const isLate = this.hasClaimed && !batch.isClaimed && !this.sum(({ claimed }) => claimed.size);
		if (isLate) this.most = Math.min(mostAhead, 2 * this.most);
		this.hasClaimed = batch.isClaimed = true;
		claim.become('claimed');
		this.claims.set(wanted.key, claim);
		wanted.known('claimed');
	}

	/** Asks later for a recipient that another process has claimed, or had claimed when it died. Its line does not wait for it. */
	private async askAgain(claim: Claim) {
		const longestMs = patienceMs + this.pace.windowMs(claim.line.limits) + parts * this.store.claimMs;
		if (claim.waitedMs >= longestMs) {
			claim.end('inDoubt');
			return;
		}
		claim.become('elsewhere');
		claim.waitedMs += askAgainMs;
		await sleep(askAgainMs);
		if (!this.isOver) void this.askUnlessBlocked(claim, { isClaimed: true });
	}

	/** Puts a claim back to its place in the line as soon as its recipient is free. */
	private async putBack(claim: Claim, whenFree: Promise<void>) {
		claim.become('blocked');
		await whenFree;
		claim.become('waiting');
		this.work();
	}
}

async function shortlyAfter(stopped: AbortSignal | undefined) {
	await new Promise<void>((resolve) => {
		if (stopped?.aborted) resolve();
		else stopped?.addEventListener('abort', () => resolve());
	});
	await sleep(longestEndMs);
}
