import { sleep } from 'n8n-workflow';

import type { Limits } from '../client/limits';
import { letOthersGoOn, wait } from '../client/wait';
import type { Due, Standing, Store } from './store';

/*
 * When the recipients of a run are claimed. A process that dies leaves all in doubt who are claimed, so that it is done shortly
 * before the message leaves: for as many as leave within the next two seconds. And it is done in one go, since n8n writes all
 * entries of a node at every call. Recipients who have got the message already take no time at the service: where all are such,
 * more are looked for at once.
 */

const aheadMs = 2000;
const mostAhead = 50;

/** An answer is noted with the next claims, or after that time if there are none. */
const notedAfterMs = 2000;

/** An item that waits until it is known how its recipient stands. */
export interface Wanted {
	item: number;
	/** Of the recipient. */
	key: string;
	/** What its request counts towards. */
	limits: Limits;
	/** Told how the recipient stands, or why n8n cannot say. */
	known(standing: Standing | { error: unknown }): void;
}

/** Items whose requests count towards the same limits. */
interface Line {
	/** In the order of the items. */
	wanted: Wanted[];
	/** How many may be claimed whose request has not left. */
	readonly ahead: number;
	/** How many are looked for at once. */
	atOnce: number;
	/** Claimed, and not left. */
	claimed: number;
}

/** New claims are made before the last ones have left, for the database takes its time. */
const isShort = ({ claimed, ahead }: Line) => claimed <= Math.floor(ahead / 4);

/** The claims of a run. */
export class Claims {
	private readonly lines = new Map<Limits, Line>();

	/** Claimed recipients whose request has not left. */
	private readonly waiting = new Map<string, Line>();

	/** Items whose recipient is claimed already, by another run or by an item before. */
	private aside = 0;

	private due: Due = { sent: [], released: [] };

	private working: Promise<void> | undefined;

	private noting: Promise<void> | undefined;

	private readonly over = new AbortController();

	/**
	 * @param leaving how many requests with these limits can leave within a time in milliseconds
	 * @param signal ended when nothing more is to leave
	 */
	constructor(
		private readonly store: Store,
		private readonly leaving: (limits: Limits, milliseconds: number) => number,
		private readonly signal: AbortSignal,
	) {}

	/** Asks how the recipient of an item stands, who is claimed if nothing is known. */
	want(wanted: Wanted) {
		putInOrder(this.lineOf(wanted.limits).wanted, wanted);
		this.work();
	}

	/** The request to a claimed recipient leaves now. */
	left(key: string) {
		this.waiting.get(key)!.claimed--;
		this.waiting.delete(key);
		this.work();
	}

	/** The request to a claimed recipient has ended. */
	ended(key: string, as: 'sent' | 'notSent' | 'inDoubt') {
		if (as === 'inDoubt') {
			this.store.leave(key);
			return;
		}
		(as === 'sent' ? this.due.sent : this.due.released).push(key);
		if (this.aside) this.work();
		else this.noting ??= this.noteSoon();
	}

	/** Notes what is due, and releases those to whom nothing is sent any more. */
	async close() {
		while (this.working) await this.working;
		this.over.abort();
		this.due.released.push(...this.waiting.keys());
		this.waiting.clear();
		// Stryker disable next-line ConditionalExpression: the store would do nothing, but after what it does for other runs.
		if (!this.hasDue) return;
		try {
			await this.store.update(this.takeDue(), () => []);
		} catch {
			// What n8n has not taken once more, it has taken before.
		}
	}

	private lineOf(limits: Limits): Line {
		const known = this.lines.get(limits);
		if (known) return known;
		const ahead = Math.max(1, Math.min(mostAhead, Math.floor(this.leaving(limits, aheadMs))));
		const line: Line = { wanted: [], ahead, atOnce: ahead, claimed: 0 };
		this.lines.set(limits, line);
		return line;
	}

	private get hasDue() {
		return this.due.sent.length + this.due.released.length > 0;
	}

	private takeDue(): Due {
		const { due } = this;
		this.due = { sent: [], released: [] };
		return due;
	}

	private async noteSoon() {
		await wait(notedAfterMs, this.over.signal);
		this.noting = undefined;
		// Stryker disable next-line ConditionalExpression: after the end nothing is due or wanted.
		if (!this.over.signal.aborted) this.work();
	}

	private work() {
		this.working ??= this.workOff();
	}

	private async workOff() {
		// What comes together is looked for together.
		await sleep(0);
		while (!this.signal.aborted && (this.isNext || this.isToBeNoted)) {
			await this.lookForNext();
			await letOthersGoOn();
		}
		this.working = undefined;
	}

	private get isToBeNoted() {
		return this.hasDue && (this.aside > 0 || !this.noting);
	}

	/** Whether somebody is to be looked for. */
	private get isNext() {
		const mayClaimMore = this.waiting.size <= mostAhead / 2;
		return mayClaimMore && [...this.lines.values()].some((line) => line.wanted.length > 0 && isShort(line));
	}

	private async lookForNext() {
		const batch: Array<{ line: Line; wanted: Wanted }> = [];
		let standings: Map<string, Standing>;
		try {
			standings = await this.store.update(this.takeDue(), () => {
				batch.push(...this.takeNext());
				return batch.map(({ wanted }) => wanted.key);
			});
		} catch (error) {
			for (const { wanted } of batch) wanted.known({ error });
			return;
		}
		for (const line of new Set(batch.map((each) => each.line))) {
			const itsBatch = batch.filter((each) => each.line === line).map(({ wanted }) => wanted);
			const allSent = itsBatch.every(({ key }) => standings.get(key) === 'sent');
			line.atOnce = allSent ? Math.min(mostAhead, line.atOnce * 2) : line.ahead;
			for (const wanted of itsBatch) {
				try {
					this.tell(line, wanted, standings.get(wanted.key)!);
				} catch (error) {
					// An item that is not told waits forever.
					wanted.known({ error });
				}
			}
		}
	}

	/** Takes the items that are looked for next. */
	private takeNext(): Array<{ line: Line; wanted: Wanted }> {
		const taken: Array<{ line: Line; wanted: Wanted }> = [];
		let free = mostAhead - this.waiting.size - this.due.sent.length;
		// The slow ones take few, and so they come first.
		for (const line of [...this.lines.values()].sort((a, b) => a.ahead - b.ahead)) {
			if (!isShort(line)) continue;
			for (let most = Math.min(free, line.atOnce - line.claimed); most > 0 && line.wanted.length;) {
				const wanted = line.wanted.shift()!;
				const closed = this.store.closed(wanted.key);
				if (closed) {
					void this.putAside(line, wanted, closed);
					continue;
				}
				taken.push({ line, wanted });
				most--;
				free--;
			}
		}
		return taken;
	}

	/** For an item whose recipient is claimed: how that ends is not known yet. */
	private async putAside(line: Line, wanted: Wanted, closed: Promise<void>) {
		this.aside++;
		await closed;
		this.aside--;
		putInOrder(line.wanted, wanted);
		this.work();
	}

	private tell(line: Line, wanted: Wanted, standing: Standing) {
		const { key } = wanted;
		if (standing === 'claimed') {
			if (this.signal.aborted || line.claimed >= line.ahead) {
				this.due.released.push(key);
				putInOrder(line.wanted, wanted);
				return;
			}
			line.claimed++;
			this.waiting.set(key, line);
		} else if (standing === 'sent') {
			this.due.sent.push(key);
		} else {
			this.store.leave(key);
		}
		wanted.known(standing);
	}
}

function putInOrder(waiting: Wanted[], wanted: Wanted) {
	// Stryker disable next-line EqualityOperator: no item is wanted twice.
	const before = waiting.findLastIndex(({ item }) => item < wanted.item);
	waiting.splice(before + 1, 0, wanted);
}
