import { systemClock, type Clock } from '../../client/pace/clock';
import { Calls, CallTimes, type Added } from './calls';
import { entriesOf, keptOf, obsoleteOf, standingOf, type End, type Entries, type Standing } from './entries';
import { Held } from './held';

/*
 * Who has got a message, in n8n's own store for deduplication. Each call there reads all entries of a node, changes them and writes
 * them back, without a lock: of two calls that overlap, in two processes, the later one writes over what the other one has written.
 * For such a register there is Fischer's algorithm: write, wait longer than any call takes, and look whether it is still there.
 *
 *     round   add claims, and a ticket      A call that has read before this one has written before the next round.
 *     wait
 *     round   look for that ticket          It is there: nobody else can claim the same, and the messages may leave.
 *                                           It is gone: another process has written over it, so the claims are made once more.
 *             remove what is obsolete, and that ticket
 *     wait
 *     round   look for that ticket          It is gone: the removal holds. It is there: the removal is made once more.
 *
 * So all runs of a node in this process work on its entries together, in rounds. Between a claim and its confirmation this process
 * makes no other call, which could bring back what another process has written over. A process may die at any moment: the recipients
 * that it has claimed are in doubt then, and never free.
 */

/** Rounds in a row that may fail before what they were to note is given up. */
const mostFailures = 4;

/**
 * Processes that write over each other wait longer, so that they get out of each other's way: twice as long after one such round, and
 * four times after several. A round without halves that again, in two steps. Found by simulation, with up to five processes.
 */
const mostContention = 2;
const contentionLess = 0.5;

/** The end of a message is noted with the next round, or after that time if there is none. */
const notedAfterMs = 2000;

/** An entry that tells nothing: adding it shows whether n8n has a store here. */
const opening = 'open';

/** A run that begins. */
interface Opener {
	opened: () => void;
	failed: (error: unknown) => void;
}

/** A recipient whom a run looks for. */
interface Look {
	key: string;
	/** Whether the run still wants it; else its claim is released. */
	isWanted: () => boolean;
	found: (standing: Standing) => void;
	failed: (error: unknown) => void;
	/** Those that came with its claim, whenever it was made. */
	tickets: string[];
}

/** How the message to a claimed recipient ended. */
interface Note {
	key: string;
	end: End;
	/** Called once. */
	ended: (isNoted: boolean) => void;
}

/** Entries that are to go. */
interface Removal {
	entries: string[];
	/** Called once; absent when it has been called. */
	ended?: ((isDone: boolean) => void) | undefined;
}

/** Removals that were made, by the ticket that went with them. */
interface Removed {
	ticket: string;
	removals: Removal[];
	/** Whether all others have written what they had read before. */
	isRipe: boolean;
}

/** What a round adds and looks for. */
interface Asked {
	openers: Opener[];
	looks: Look[];
	/** Those of the round before that are still wanted, in case another process has written over them. */
	again: Look[];
	notes: Note[];
	removed: Removed[];
}

/** The entries of a node, as all its runs in this process work on them. */
export class Store {
	private readonly calls: Calls;

	private readonly held = new Held();

	/** Runs that have begun and not ended. */
	private runs = 0;

	private openers: Opener[] = [];

	private looks: Look[] = [];

	private notes: Note[] = [];

	private removals: Removal[] = [];

	private closers: Array<() => void> = [];

	/** Whether the notes are reason enough for a round, and whether they will be before long. */
	private areNotesDue = false;

	private isNoteTimed = false;

	/** Claims that the next round confirms, by the ticket that came with them. */
	private claims: { ticket: string; looks: Look[] } | undefined;

	/** Removals that are to be confirmed. */
	private removed: Removed[] = [];

	/** A ticket that is certainly there. */
	private certain: string | undefined;

	/** Tickets that are of no use any more. */
	private litter: string[] = [];

	/** Rounds that have failed, in a row. */
	private failures = 0;

	/** How often other processes have written over rounds of late, and whether one has written over what this round looks for. */
	private contention = 0;

	private isWrittenOver = false;

	private working: Promise<void> | undefined;

	private quiet: Promise<void> = Promise.resolve();

	constructor(
		entries: Entries,
		private readonly clock: Clock = systemClock,
		times = new CallTimes(),
		private readonly onIdle = () => {},
	) {
		this.calls = new Calls(entries, clock, times);
	}

	/** Goes on with the entries of another run of the node. */
	useLatest(entries: Entries) {
		this.calls.entries = entries;
	}

	/** How long it takes to claim a recipient, in milliseconds. */
	get claimMs(): number {
		return this.calls.times.claimMs;
	}

	/** Ends when a recipient is free: when no run in this process looks for it or has claimed it. Undefined where it is. */
	whenFree(key: string): Promise<void> | undefined {
		const free = this.held.whenFree(key);
		if (free && this.notes.some((note) => this.held.isAwaited(note.key))) this.noteNow();
		return free;
	}

	/** Begins the use by a run. @throws what n8n says where there is no store, as with a workflow that is not saved */
	async open(): Promise<void> {
		await new Promise<void>((opened, failed) => {
			this.openers.push({ opened, failed });
			this.work();
		});
		this.runs++;
	}

	/** Ends the use by a run. Waits until all that it has noted is in the store, or given up. */
	async close(): Promise<void> {
		this.runs--;
		this.areNotesDue = true;
		if (!this.hasWork) return;
		await new Promise<void>((closed) => {
			this.closers.push(closed);
			this.work();
		});
	}

	/**
	 * Looks for a recipient, who must be free, and claims it if nothing is known of it. A claimed one is not free until the end of its
	 * message has been noted.
	 *
	 * @param isWanted whether a claim is still of use by the time it is confirmed; else it is released, and this never ends
	 * @throws what n8n says where it could not look
	 */
	async look(key: string, isWanted: () => boolean): Promise<Standing> {
		this.held.hold(key);
		return await new Promise((found, failed) => {
			this.looks.push({ key, isWanted, found, failed, tickets: [] });
			this.work();
		});
	}

	/** Notes how the message to a claimed recipient ended. @returns whether that is in the store; else the recipient is in doubt */
	async note(key: string, end: End): Promise<boolean> {
		return await new Promise((ended) => {
			this.notes.push({ key, end, ended });
			if (this.held.isAwaited(key)) this.noteNow();
			else void this.noteLater();
		});
	}

	private noteNow() {
		this.areNotesDue = true;
		this.work();
	}

	private async noteLater() {
		if (this.isNoteTimed) return;
		this.isNoteTimed = true;
		await this.clock.sleep(notedAfterMs);
		this.isNoteTimed = false;
		if (this.notes.length) this.noteNow();
	}

	private get hasWork(): boolean {
		const { openers, looks, notes, removals, claims, removed } = this;
		if (this.areNotesDue && notes.length) return true;
		if (claims || removed.some(({ isRipe }) => isRipe) || this.isToBeTidied) return true;
		return openers.length + looks.length + removals.length > 0;
	}

	/** Whether there are tickets left that no run needs any more. */
	private get isToBeTidied(): boolean {
		return this.runs === 0 && (this.litter.length > 0 || this.certain !== undefined);
	}

	private work() {
		this.working ??= this.workOff();
	}

	private async workOff() {
		// What comes together is done together.
		await this.clock.sleep(0);
		for (;;) {
			await this.quiet;
			if (!this.hasWork) break;
			await this.round();
		}
		this.working = undefined;
		if (!this.runs && !this.removed.length) this.onIdle();
	}

	private async round() {
		const closers = this.closers.splice(0);
		const asked: Asked = {
			openers: this.openers.splice(0),
			looks: this.takeLooks(),
			again: this.claims?.looks.filter(({ isWanted }) => isWanted()) ?? [],
			notes: this.notes.splice(0),
			removed: this.removed.filter(({ isRipe }) => isRipe),
		};
		this.areNotesDue = false;
		this.isWrittenOver = false;
		for (const { key, end, ended } of asked.notes) this.removeObsolete(key, end, ended);
		// Before others are claimed, since all of them would be in doubt if the process died in between.
		let hasFailed = asked.looks.length > 0 && !this.claims?.looks.length && !(await this.hasRemoved());
		try {
			await this.add(asked);
		} catch (error) {
			hasFailed = true;
			this.tell(asked, error);
		}
		if (!(await this.hasRemoved())) hasFailed = true;
		this.failures = hasFailed ? this.failures + 1 : 0;
		if (this.failures >= mostFailures) this.giveUp();
		this.tellClosers(closers);
		this.contention = this.isWrittenOver
			? Math.min(mostContention, this.contention + 1)
			: Math.max(0, this.contention - contentionLess);
		const isToBeQuiet = this.claims !== undefined || hasFailed || this.contention > 0;
		const factor = 2 ** (this.failures + this.contention);
		if (isToBeQuiet) this.quiet = this.clock.sleep(this.calls.times.waitMs * factor);
	}

	/** Has what is obsolete of a recipient removed, who is free then. */
	private removeObsolete(key: string, end: End, ended: Note['ended'] = () => {}) {
		const endRemoval = (isDone: boolean) => {
			this.held.free(key);
			ended(isDone);
		};
		this.removals.push({ entries: obsoleteOf(key, end), ended: endRemoval });
	}

	private takeLooks(): Look[] {
		const { looks } = this;
		this.looks = [];
		for (const { key, isWanted } of looks) if (!isWanted()) this.held.free(key);
		return looks.filter(({ isWanted }) => isWanted());
	}

	/** Adds what is asked for, and confirms the rounds before. */
	private async add(asked: Asked) {
		const { openers, looks, again, notes, removed } = asked;
		const { claims } = this;
		const isToBeAdded = openers.length + looks.length + notes.length + removed.length > 0;
		if (!isToBeAdded && !claims && !this.removals.length) return;
		const tickets = [...new Set(again.flatMap((look) => look.tickets))];
		const added = await this.calls.add([
			...(openers.length ? [opening] : []),
			...(claims ? [claims.ticket] : []),
			...tickets,
			...removed.map(({ ticket }) => ticket),
			...notes.flatMap(({ key, end }) => keptOf(key, end)),
			...[...again, ...looks].flatMap(({ key }) => entriesOf(key)),
		]);
		// To look for a ticket adds it.
		const earlier = tickets.filter((ticket) => ticket !== claims?.ticket);
		this.litter.push(...this.calls.takeFailed(), ...earlier);
		for (const { opened } of openers) opened();
		for (const each of removed) this.confirmRemovals(each, added);
		this.confirmClaims(added, asked);
	}

	/** Looks whether another process has brought back what was removed: then it is removed once more. */
	private confirmRemovals(removed: Removed, { known, isConclusive }: Added) {
		const { ticket, removals } = removed;
		this.removed = this.removed.filter((each) => each !== removed);
		if (isConclusive && known.has(ticket)) {
			this.isWrittenOver = true;
			this.keepCertain(ticket);
			this.removals.unshift(...removals);
		} else {
			this.litter.push(ticket);
			for (const removal of removals) endOf(removal, true);
		}
	}

	/** Looks whether another process has written over the claims of the round before: then they are made once more. */
	private confirmClaims(added: Added, { looks, again, notes }: Asked) {
		const { claims } = this;
		const { known, ticket, isConclusive } = added;
		const isConfirmed = claims !== undefined && isConclusive && known.has(claims.ticket);
		if (isConfirmed) {
			this.keepCertain(claims.ticket);
			for (const look of claims.looks) this.confirm(look);
		} else if (claims) {
			this.isWrittenOver = true;
			this.litter.push(claims.ticket);
			for (const look of claims.looks) if (!again.includes(look)) this.held.free(look.key);
		}
		const asked = isConfirmed ? looks : [...again, ...looks];
		const claimed = asked.filter((look) => this.isClaimed(look, added));
		for (const look of claimed) look.tickets.push(ticket);
		// Without claims too it is of use: as the ticket that goes with what is removed.
		const isUseful = asked.length > 0 || (!this.certain && this.removals.length + notes.length > 0);
		this.claims = isUseful ? { ticket, looks: claimed } : undefined;
		if (!isUseful) this.litter.push(ticket);
	}

	private keepCertain(ticket: string) {
		if (this.certain !== undefined) this.litter.push(this.certain);
		this.certain = ticket;
	}

	/** A claim has been confirmed, so that the message may leave. */
	private confirm({ key, isWanted, found }: Look) {
		if (isWanted()) found('claimed');
		else this.removeObsolete(key, 'notSent');
	}

	/** Whether a recipient is claimed now. The run is told of all others how they stand. */
	private isClaimed({ key, found, tickets }: Look, { known, isConclusive }: Added): boolean {
		const standing = standingOf(key, known);
		// An earlier claim of its own, which a third process has brought back.
		const isOwn = isConclusive && tickets.some((ticket) => known.has(ticket));
		if (standing === 'claimed' || isOwn) return true;
		if (standing === 'underWay') this.held.free(key);
		else this.removeObsolete(key, standing === 'sent' ? 'sent' : 'unknown');
		found(standing);
		return false;
	}

	/** Removes what is obsolete. @returns whether n8n has taken that */
	private async hasRemoved(): Promise<boolean> {
		try {
			await this.remove();
			return true;
		} catch {
			return false;
		}
	}

	/** Removes what is obsolete, together with a ticket that tells later whether it is gone: until there is one, it has to wait. */
	private async remove() {
		const { certain, litter } = this;
		if (this.removals.length ? certain === undefined : !this.isToBeTidied) return;
		this.certain = undefined;
		this.litter = [];
		if (!this.removals.length) {
			await this.tidy([...litter, ...(certain === undefined ? [] : [certain])]);
			return;
		}
		const removals = [...this.removals, { entries: litter }];
		const removed: Removed = { ticket: certain!, removals, isRipe: false };
		this.removals = [];
		this.removed.push(removed);
		try {
			await this.calls.remove([...removals.flatMap(({ entries }) => entries), certain!]);
			for (const removal of removals) endOf(removal, true);
		} finally {
			// Where it has failed, it may have been made all the same: a later round finds out.
			void this.ripen(removed);
		}
	}

	private async ripen(removed: Removed) {
		await this.clock.sleep(this.calls.times.waitMs);
		removed.isRipe = true;
		this.work();
	}

	/** Removes tickets at the end. Should another process bring some back, they do no harm. */
	private async tidy(tickets: string[]) {
		this.litter = tickets;
		await this.calls.remove(tickets);
		this.litter = [];
	}

	/** Nothing can be looked for, nor confirmed: nothing leaves, and what has been claimed is released when n8n's store works again. */
	private tell({ openers, looks }: Asked, error: unknown) {
		for (const { failed } of openers) failed(error);
		for (const { key, failed } of looks) {
			this.held.free(key);
			failed(error);
		}
		for (const look of this.claims?.looks ?? []) {
			if (look.isWanted()) look.failed(error);
			look.isWanted = () => false;
		}
	}

	private giveUp() {
		for (const { key } of this.claims?.looks ?? []) this.held.free(key);
		const pending = [...this.removals, ...this.removed.flatMap(({ removals }) => removals)];
		for (const removal of pending) endOf(removal, false);
		this.claims = this.certain = undefined;
		this.removals = [];
		this.removed = [];
		this.litter = [];
	}

	private tellClosers(closers: Array<() => void>) {
		const isPending = this.removed.some(({ removals }) => removals.some(({ ended }) => ended));
		if (isPending || this.removals.length) this.closers.unshift(...closers);
		else for (const closed of closers) closed();
	}
}

function endOf(removal: Removal, isDone: boolean) {
	removal.ended?.(isDone);
	removal.ended = undefined;
}

const stores = new Map<string, Store>();
const times = new Map<string, CallTimes>();

/** The same one for all runs of a node in this process, as long as one of them uses it: it keeps what n8n holds of a run. */
export function storeOf(entries: Entries): Store {
	const { owner } = entries;
	const known = stores.get(owner);
	known?.useLatest(entries);
	const timesOfOwner = times.get(owner) ?? new CallTimes();
	const store = known ?? new Store(entries, systemClock, timesOfOwner, () => stores.delete(owner));
	times.set(owner, timesOfOwner);
	stores.set(owner, store);
	return store;
}
