import { sleep } from 'n8n-workflow';

import { nameOf, type Limits } from '../../client/pace/limits';
import type { End, Standing } from './entries';
import type { Store } from './store';

/*
 * When the recipients of a run are claimed. A process that dies leaves all in doubt who are claimed, so that it is done shortly
 * before the message leaves: for as many as leave within the next two seconds. Recipients who have got the message already take no
 * time at the service: where all are such, more are looked for at once.
 */

const aheadMs = 2000;

/** The next are claimed when so many of those ahead are left, for that takes its time too. */
const parts = 4;

/** Claimed at a time by one run: at first, and at a service that takes them faster than they are claimed. */
const mostAtFirst = 50;
const mostAhead = 200;

/** A recipient whom another process has claimed is looked for again, until its message should have left and been answered. */
const lookAgainMs = 3000;
const patienceMs = 10_000;

/** How long the end of a run that was stopped may take; what is to be noted then is noted all the same. */
const longestEndMs = 700;

/** How an item's recipient stands; or why n8n cannot say. */
export type Known = 'claimed' | 'sent' | 'inDoubt' | { error: unknown };

/** An item that waits until it is known how its recipient stands. */
export interface Wanted {
	item: number;
	/** Of the recipient. */
	key: string;
	/** What its request counts towards. */
	limits: Limits;
	/** Told how the recipient stands. */
	known(standing: Known): void;
}

/** How fast requests leave. */
export interface Pace {
	/** How many requests with these limits can leave within a time in milliseconds. */
	leaving(limits: Limits, milliseconds: number): number;
	/** The longest window of these limits, in milliseconds. */
	windowMs(limits: Limits): number;
}

/** Items whose requests count towards the same limits. */
interface Line {
	readonly limits: Limits;
	/** In the order of the items. */
	wanted: Waiting[];
	/** How many are looked for at once; 0 stands for as many as may be claimed. */
	atOnce: number;
	/** Looked for, and not found yet. */
	asked: number;
	/** Claimed, and not left. */
	claimed: number;
}

/** How long it has been waited for another process, in milliseconds. */
type Waiting = Wanted & { waitedMs: number };

/** Items that are looked for together, and whether the recipient of one of them has been claimed. */
interface Batch {
	isClaimed: boolean;
}

/** The claims of a run. */
export class Claims {
	/** Recipients of whom n8n could not note how they stand; they will be taken for recipients in doubt. */
	notNoted = 0;

	private readonly lines = new Map<string, Line>();

	/** Claimed recipients whose request has not left. */
	private readonly waiting = new Map<string, Line>();

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

	/** Asks how the recipient of an item stands, who is claimed if nothing is known. */
	want(wanted: Wanted) {
		putInOrder(this.lineOf(wanted.limits).wanted, { ...wanted, waitedMs: 0 });
		this.work();
	}

	/** The request to a claimed recipient leaves now. */
	left(key: string) {
		this.waiting.get(key)!.claimed--;
		this.waiting.delete(key);
		this.work();
	}

	/** The request to a claimed recipient has ended. */
	ended(key: string, end: End) {
		void this.note(key, end);
	}

	/**
	 * Releases those to whom nothing is sent any more, and waits until all is noted.
	 *
	 * @param stopped ended when the user stops the run, and does not want to wait for long
	 */
	async close(stopped: AbortSignal | undefined) {
		this.isClosed = true;
		for (const key of this.waiting.keys()) void this.note(key, 'notSent');
		this.waiting.clear();
		await Promise.race([this.store.close(), shortlyAfter(stopped)]);
	}

	private get isOver(): boolean {
		return this.isClosed || this.signal.aborted;
	}

	private async note(key: string, end: End) {
		if (!(await this.store.note(key, end))) this.notNoted++;
	}

	private lineOf(limits: Limits): Line {
		const name = nameOf(limits);
		const line = this.lines.get(name) ?? { limits, wanted: [], atOnce: 0, asked: 0, claimed: 0 };
		this.lines.set(name, line);
		return line;
	}

	/** How many of a line may be claimed whose request has not left. A slow store takes longer than two seconds for some. */
	private aheadOf({ limits }: Line): number {
		const milliseconds = Math.max(aheadMs, parts * this.store.claimMs);
		return Math.max(1, Math.min(this.most, Math.floor(this.pace.leaving(limits, milliseconds))));
	}

	private work() {
		this.working ??= this.lookForNext();
	}

	private async lookForNext() {
		// What comes together is looked for together.
		await sleep(0);
		this.working = undefined;
		const lines = [...this.lines.values()].map((line) => ({ line, ahead: this.aheadOf(line) }));
		// The slow ones take few, and so they come first.
		for (const { line, ahead } of lines.sort((a, b) => a.ahead - b.ahead)) {
			const isShort = line.claimed + line.asked <= ahead / parts;
			if (this.isOver || !isShort || !line.wanted.length) continue;
			const free = Math.max(1, (line.atOnce ? mostAhead : this.most) - this.underWay);
			const most = (line.atOnce || ahead) - line.claimed - line.asked;
			void this.lookFor(line, Math.min(free, most));
		}
	}

	/** Looked for or claimed, and not left. */
	private get underWay(): number {
		return [...this.lines.values()].reduce((sum, { asked, claimed }) => sum + asked + claimed, 0);
	}

	/** Looks for the next items of a line, at most so many. */
	private async lookFor(line: Line, most: number) {
		const batch: Batch = { isClaimed: false };
		const looks: Array<Promise<Standing | 'failed'>> = [];
		while (looks.length < most && line.wanted.length) {
			const wanted = line.wanted.shift()!;
			const free = this.store.whenFree(wanted.key);
			if (free) void this.putBack(line, wanted, free);
			else looks.push(this.look(line, wanted, batch));
		}
		if (!looks.length) return;
		const standings = await Promise.all(looks);
		const areAllSent = standings.every((standing) => standing === 'sent');
		line.atOnce = areAllSent ? Math.min(mostAhead, 2 * (line.atOnce || this.aheadOf(line))) : 0;
	}

	private async look(line: Line, wanted: Waiting, batch: Batch): Promise<Standing | 'failed'> {
		line.asked++;
		let standing: Standing | undefined;
		try {
			standing = await this.store.look(wanted.key, () => !this.isOver);
			line.asked--;
			if (standing === 'claimed') this.claim(line, wanted, batch);
			else if (standing === 'underWay') void this.lookAgain(line, wanted);
			else wanted.known(standing);
			return standing;
		} catch (error) {
			if (!standing) line.asked--;
			// An item that is not told waits forever.
			wanted.known({ error });
			return 'failed';
		} finally {
			this.work();
		}
	}

	private claim(line: Line, wanted: Waiting, batch: Batch) {
		if (line.claimed >= this.aheadOf(line)) {
			void this.note(wanted.key, 'notSent');
			putInOrder(line.wanted, wanted);
			return;
		}
		// All others have left before these could be claimed: the service is faster.
		const isLate = this.hasClaimed && !batch.isClaimed && this.waiting.size === 0;
		if (isLate) this.most = Math.min(mostAhead, 2 * this.most);
		this.hasClaimed = batch.isClaimed = true;
		line.claimed++;
		this.waiting.set(wanted.key, line);
		wanted.known('claimed');
	}

	/** For an item whose recipient another process has claimed, or had when it died. It waits beside the others. */
	private async lookAgain(line: Line, wanted: Waiting) {
		const longestMs = patienceMs + this.pace.windowMs(line.limits) + parts * this.store.claimMs;
		if (wanted.waitedMs >= longestMs) {
			wanted.known('inDoubt');
			return;
		}
		wanted.waitedMs += lookAgainMs;
		await sleep(lookAgainMs);
		if (this.isOver) return;
		const free = this.store.whenFree(wanted.key);
		if (free) void this.putBack(line, wanted, free);
		else void this.look(line, wanted, { isClaimed: true });
	}

	/** Has an item looked for later, in its place among the others. */
	private async putBack(line: Line, wanted: Waiting, when: Promise<void>) {
		await when;
		putInOrder(line.wanted, wanted);
		this.work();
	}
}

async function shortlyAfter(stopped: AbortSignal | undefined) {
	await new Promise<void>((resolve) => {
		if (stopped?.aborted) resolve();
		else stopped?.addEventListener('abort', () => resolve(), { once: true });
	});
	await sleep(longestEndMs);
}

function putInOrder(waiting: Waiting[], wanted: Waiting) {
	// Stryker disable next-line EqualityOperator: no item is wanted twice.
	const before = waiting.findLastIndex(({ item }) => item < wanted.item);
	waiting.splice(before + 1, 0, wanted);
}
