import { sleep } from 'n8n-workflow';

import { nameOf, type Limits } from '../../client/pace/limits';
import { Claim, Line, transitions, type State, type Wanted } from './claim';
import type { End, Standing } from './entries';
import { assertTransition } from './states';
import type { Store } from './store';

export type { Known, Wanted } from './claim';

/*
 * When a process dies, all recipients that it has claimed are in doubt. So a run claims only those whose requests leave within the
 * next two seconds. Recipients that were sent to before need no request: while all are such, the run asks for more at once.
 */

const aheadMs = 2000;

/** A line asks for the next items when this part of its claims is left, because asking takes time too. */
const parts = 4;

/** What one run claims at a time: at first, and at a service that takes requests faster than they are claimed. */
const mostAtFirst = 50;
const mostAhead = 200;

/** A run asks again for what another process has claimed, until its message should have left and been answered. */
const askAgainMs = 3000;
const patienceMs = 10_000;

/** How long the end of a run that the user has stopped may take. What is left to record is recorded after that. */
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
	/** Recipients of which n8n could not record how they stand. They are in doubt. */
	notRecorded = 0;

	private readonly lines = new Map<string, Line>();

	/** Those that are claimed or have left, by the keys of their recipients. */
	private readonly claims = new Map<string, Claim>();

	private most = mostAtFirst;
	private hasClaimed = false;
	private working: Promise<void> | undefined;
	private isClosed = false;

	/** @param signal ended when nothing more is to leave */
	constructor(
		private readonly store: Store,
		private readonly pace: Pace,
		private readonly signal: AbortSignal,
	) {}

	/** Asks how the recipient of an item stands, and claims it if nothing is known of it. */
	want(wanted: Wanted) {
		const name = nameOf(wanted.limits);
		const line = this.lines.get(name) ?? new Line(wanted.limits);
		this.lines.set(name, line);
		new Claim(wanted, line);
		this.work();
	}

	/** The request to a claimed recipient leaves now. @throws where it is not claimed */
	left(key: string) {
		this.become(key, 'left');
		this.work();
	}

	/** The request to a claimed recipient has ended, or cannot leave. @throws where it is not claimed */
	ended(key: string, end: End) {
		this.become(key, 'ended');
		this.claims.delete(key);
		void this.record(key, end);
	}

	/**
	 * Releases the claims whose requests have not left, and waits until everything is recorded.
	 *
	 * @param stopped ended when the user stops the run and does not want to wait for long
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
		// A claim that is not kept has ended.
		if (claim) claim.become(state);
		else assertTransition(transitions, 'ended', state);
	}

	private async record(key: string, end: End) {
		const isRecorded = await this.store.record(key, end).catch(() => {});
		if (!isRecorded) this.notRecorded++;
	}

	/** How many claims of a line may wait to leave. In a slow store, asking for them takes longer than two seconds. */
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
		// What comes together is asked for together.
		await sleep(0);
		this.working = undefined;
		const lines = [...this.lines.values()].map((line) => ({ line, ahead: this.aheadOf(line) }));
		// The slow lines take few, and so they come first.
		for (const { line, ahead } of lines.sort((a, b) => a.ahead - b.ahead)) {
			if (this.isOver || line.underWay > ahead / parts || !line.waiting.length) continue;
			const free = (line.atOnce ? mostAhead : this.most) - this.sum(({ underWay }) => underWay);
			void this.askFor(line, Math.min(Math.max(1, free), (line.atOnce || ahead) - line.underWay));
		}
	}

	/** Asks for the next claims of a line, at most so many. */
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

	/** @returns how the recipient stands; undefined where n8n cannot say */
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
		// The service is faster: all others have left before these are claimed.
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

	/** Lets a claim wait in its place among the others again, as soon as its recipient is free. */
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
