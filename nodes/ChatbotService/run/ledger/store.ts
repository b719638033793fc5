import { systemClock, type Clock } from '../../client/pace/clock';
import { Calls, CallTimes } from './calls';
import type { End, Entries, Standing } from './entries';
import { Held, type Recipient } from './held';
import { Removals } from './removals';
import { Round, type Opener } from './round';

/*
 * Records who has received a message, in n8n's own store for deduplication. Each call to the store reads all entries of a node,
 * changes them and writes them back, without a lock. When the calls of two processes overlap, the later one overwrites what the
 * other one has written. Fischer's algorithm solves this: write, wait longer than any call takes, and check whether the entry is
 * still there.
 *
 *     round   add claims, and a ticket      A call that has read before this one has written before the next round.
 *     wait
 *     round   look for that ticket          It is there: no other process can claim the same, and the messages may leave.
 *                                           It is gone: another process has overwritten it, so the claims are made again.
 *             remove what is obsolete, and that ticket
 *     wait
 *     round   look for that ticket          It is gone: the removal is certain. It is there: the removal is made again.
 *
 * All runs of a node in this process share these rounds. Between a claim and its confirmation, this process makes no other call,
 * because such a call could bring back what another process has overwritten. When a process dies, the recipients that it has claimed
 * are in doubt.
 */

/** Failed rounds in a row after which the store gives up what they had to record. */
const mostFailures = 4;

/**
 * Processes that overwrite each other wait longer, so that their rounds no longer coincide: twice as long after one such round, and
 * four times as long after several. Each round without an overwrite undoes half a step. The numbers come from simulations with up to
 * five processes.
 */
const mostContention = 2;
const contentionLess = 0.5;

/** The end of a message is recorded with the next round, or after this time if there is none. */
const recordedAfterMs = 2000;

/** The entries of a node, for all its runs in this process. */
export class Store {
	private readonly calls: Calls;
	private readonly removals: Removals;
	private readonly held = new Held();

	/** Runs that have begun and not ended. */
	private runs = 0;

	/** Tasks for the next round. */
	private openers: Opener[] = [];
	private looks: Recipient[] = [];
	private records: Recipient[] = [];
	private closers: Array<() => void> = [];

	/** Whether the records are due, and whether a timer will make them due. */
	private areRecordsDue = false;
	private isRecordTimed = false;

	/** The current or last round. */
	private latest: Round | undefined;

	/** Failed rounds in a row, and how often other processes have overwritten rounds lately. */
	private failures = 0;
	private contention = 0;

	private working: Promise<void> | undefined;
	private quiet: Promise<void> = Promise.resolve();

	constructor(
		entries: Entries,
		private readonly clock: Clock = systemClock,
		times = new CallTimes(),
		private readonly onIdle = () => {},
	) {
		this.calls = new Calls(entries, clock, times);
		this.removals = new Removals(
			this.calls,
			clock,
			() => this.runs === 0,
			() => this.work(),
		);
	}

	/** Continues with the entries of another run of the node. */
	useLatest(entries: Entries) {
		this.calls.entries = entries;
	}

	/** How long it takes to claim a recipient, in milliseconds. */
	get claimMs(): number {
		return this.calls.times.claimMs;
	}

	/** Resolves when no run of this process looks for a recipient or has claimed it. Undefined if the recipient is free now. */
	whenFree(key: string): Promise<void> | undefined {
		const free = this.held.of(key).whenFree();
		if (free && this.records.some(({ isAwaited }) => isAwaited)) this.recordNow();
		return free;
	}

	/** Call it when a run begins. @throws n8n's error if there is no store, for example in an unsaved workflow */
	async open(): Promise<void> {
		await new Promise<void>((opened, failed) => {
			this.openers.push({ opened, failed });
			this.work();
		});
		this.runs++;
	}

	/** Call it when a run ends. Waits until everything that the run records is in the store or given up. */
	async close(): Promise<void> {
		this.runs--;
		this.areRecordsDue = true;
		if (!this.hasWork && !this.removals.arePending) return;
		await new Promise<void>((closed) => {
			this.closers.push(closed);
			this.work();
		});
	}

	/**
	 * Looks for a recipient and claims it if the store does not know it. A claimed recipient is free again when the end of its message
	 * is recorded.
	 *
	 * @param isWanted whether the claim is still needed when it is confirmed; if not, it is released and the promise never resolves
	 * @throws n8n's error if the store has failed; an error if the recipient is not free
	 */
	async look(key: string, isWanted: () => boolean): Promise<Standing> {
		const recipient = this.held.of(key);
		recipient.become('looking');
		return await new Promise((found, failed) => {
			this.looks.push(Object.assign(recipient, { isWanted, found, failed }));
			this.work();
		});
	}

	/**
	 * Records how the message to a claimed recipient ended.
	 *
	 * @returns whether the end is in the store; if not, the recipient is in doubt
	 * @throws if the recipient is not claimed
	 */
	async record(key: string, end: End): Promise<boolean> {
		const recipient = this.held.of(key);
		recipient.become('recording');
		return await new Promise((recorded) => {
			this.records.push(Object.assign(recipient, { end, recorded }));
			if (recipient.isAwaited) this.recordNow();
			else void this.recordLater();
		});
	}

	private recordNow() {
		this.areRecordsDue = true;
		this.work();
	}

	private async recordLater() {
		if (this.isRecordTimed) return;
		this.isRecordTimed = true;
		await this.clock.sleep(recordedAfterMs);
		this.isRecordTimed = false;
		if (this.records.length) this.recordNow();
	}

	private get hasWork(): boolean {
		if (this.areRecordsDue && this.records.length) return true;
		if (this.latest?.claimed || this.removals.areDue) return true;
		if (this.closers.length && !this.removals.arePending) return true;
		return this.openers.length + this.looks.length > 0;
	}

	private work() {
		this.working ??= this.workOff();
	}

	private async workOff() {
		// Collects everything that comes at the same time.
		await this.clock.sleep(0);
		for (;;) {
			await this.quiet;
			if (!this.hasWork) break;
			await this.round();
		}
		this.working = undefined;
		if (!this.runs && this.removals.areConfirmed) this.onIdle();
	}

	private async round() {
		const { calls, removals } = this;
		const closers = this.closers.splice(0);
		const asked = [this.openers.splice(0), this.looks.splice(0), this.records.splice(0)] as const;
		const round = new Round(calls, removals, this.latest?.claimed, ...asked);
		this.latest = round;
		this.areRecordsDue = false;
		await round.make();
		this.failures = round.hasFailed ? this.failures + 1 : 0;
		if (this.failures >= mostFailures) round.giveUp();
		if (removals.arePending) this.closers.unshift(...closers);
		else for (const closed of closers) closed();
		this.contention = round.isOverwritten
			? Math.min(mostContention, this.contention + 1)
			: Math.max(0, this.contention - contentionLess);
		const isToBeQuiet = round.claimed !== undefined || round.hasFailed || this.contention > 0;
		const factor = 2 ** (this.failures + this.contention);
		if (isToBeQuiet) this.quiet = this.clock.sleep(calls.times.waitMs * factor);
	}
}

const owners = new Map<string, { times: CallTimes; store?: Store | undefined }>();

/** The store that all runs of a node in this process share. It is dropped when unused, because it keeps n8n's context of a run. */
export function storeOf(entries: Entries): Store {
	const { owner } = entries;
	const shared = owners.get(owner) ?? { times: new CallTimes() };
	owners.set(owner, shared);
	shared.store?.useLatest(entries);
	return (shared.store ??= new Store(entries, systemClock, shared.times, () => (shared.store = undefined)));
}
