import { sleep } from 'n8n-workflow';

import type { LockRow } from '../../nodes/ChatbotService/run/ledger/lock';
import type { Entries } from '../../nodes/ChatbotService/run/ledger/store';

/** What the processes of n8n share in its database. */
export interface Database {
	/** The entries of one node. */
	stored: string[];
	/** The row of the whole workflow; undefined if there is none. */
	workflow?: { mode: 'lock' | 'of another node'; entries: string[] } | undefined;
}

type CallName = 'add' | 'remove';

let owners = 0;

/** n8n's store of a node, as one process calls it. Of two calls that overlap, the later one overwrites the other one's entries. */
export class FakeEntries implements Entries {
	/** One that no other test uses, because what the runs of a node share lasts as long as the process. */
	readonly owner: string = `узел ${++owners}`;

	readonly calls: CallName[] = [];

	/** Number of calls to the row of the whole workflow. */
	lockCalls = 0;

	/** Called before a call writes, and after it has written. If it throws, the call fails with this error. */
	before: (name: CallName) => Promise<void> | void = () => {};
	after: (name: CallName) => Promise<void> | void = () => {};

	/** How long the process stands still in the middle of a call, and at its end. */
	stallMs = () => 0;

	private readonly death = new AbortController();

	/** Aborted when the process has died. */
	readonly died = this.death.signal;

	/** @param callMs how long a call takes */
	constructor(
		readonly database: Database = { stored: [] },
		private readonly callMs: () => number = () => 5,
	) {}

	get stored(): string[] {
		return [...this.database.stored].sort();
	}

	/** The entries as another process calls them, now or after this one has died. */
	inAnotherProcess() {
		return new FakeEntries(this.database, this.callMs);
	}

	/** Makes calls fail, all or those with a name, from a call on, before or after they have written. */
	fail(how: { name?: CallName; from?: number; times?: number; when?: 'before' | 'after' }): this {
		const { name, from = 1, times = Infinity, when = 'before' } = how;
		let count = 0;
		this[when] = (called) => {
			if (called !== (name ?? called)) return;
			count++;
			if (count >= from && count < from + times) throw new Error('Занято');
		};
		return this;
	}

	/** Ends the process: from now on no call writes or ends. */
	die() {
		this.death.abort();
	}

	readonly count = async () => this.database.stored.length;

	async add(entries: string[], most: number): Promise<string[]> {
		const before = await this.call('add', (stored) => [...new Set([...stored, ...entries])].slice(-most));
		const known = new Set(before);
		return entries.filter((entry) => known.has(entry));
	}

	async remove(entries: string[]): Promise<void> {
		const obsolete = new Set(entries);
		await this.call('remove', (stored) => stored.filter((entry) => !obsolete.has(entry)));
	}

	readonly lockRow: LockRow = {
		create: async (entries) =>
			await this.callRow((found) => {
				const { workflow } = this.database;
				if (found?.mode === 'of another node') throw new Error('saved with an incompatible setting');
				if (!found && workflow) throw new Error('UNIQUE constraint failed');
				const all = [...new Set([...(found?.entries ?? []), ...entries])];
				// An update of a row that is gone changes nothing.
				if (!found || workflow) this.database.workflow = { mode: 'lock', entries: all };
				return !found;
			}),
		size: async () => await this.callRow((found) => found?.entries.length ?? 0),
		delete: async () => await this.callRow(() => (this.database.workflow = undefined)),
	};

	/** @param end what happens at the end, with the row as it was at the beginning */
	private async callRow<Result>(end: (found: Database['workflow']) => Result): Promise<Result> {
		this.lockCalls++;
		await this.passes(0);
		const found = this.database.workflow;
		await this.passes(this.callMs() + this.stallMs());
		const result = end(found);
		await this.passes(this.stallMs());
		return result;
	}

	/** @returns the entries before the call */
	private async call(name: CallName, change: (stored: string[]) => string[]): Promise<string[]> {
		this.calls.push(name);
		await this.passes(0);
		const before = this.database.stored;
		await this.passes(this.callMs() + this.stallMs());
		await this.before(name);
		await this.passes(0);
		this.database.stored = change(before);
		await this.after(name);
		await this.passes(this.stallMs());
		return before;
	}

	/** Some time of the process passes, if it lives. */
	private async passes(milliseconds: number) {
		if (milliseconds) await sleep(milliseconds);
		if (this.died.aborted) await new Promise<never>(() => {});
	}
}
