import type { Entries, LockRow } from '../../nodes/ChatbotService/run/ledger/entries';

/** A call of the entries. */
export interface Call {
	name: 'add' | 'remove';
	entries: string[];
}

/** What the processes of n8n share in its database. */
export interface Row {
	/** The entries of one node. */
	stored: string[];
	/** The row of the whole workflow; undefined if there is none. */
	workflow?: { mode: 'lock' | 'of another node'; entries: string[] } | undefined;
}

let owners = 0;

/** An owner that no other test uses, because what the runs of a node share lasts as long as the process. */
const newOwner = () => `узел ${++owners}`;

const nothing = async () => {};

/**
 * n8n's store of a node, as one process calls it. Each call reads all entries, and writes them all when it ends. Of two calls that
 * overlap, the later one overwrites what the other one has written.
 */
export class FakeEntries implements Entries {
	readonly calls: Call[] = [];

	/** Number of calls to the row of the whole workflow. */
	lockCalls = 0;

	/** The most calls that were in progress at once. */
	peak = 0;

	private underWay = 0;

	isDead = false;

	/** Called before a call writes. If it throws, the call fails with this error and writes nothing. */
	before: (call: Call, number: number) => Promise<void> | void = () => {};

	/** Called after a call has written. */
	after: (call: Call, number: number) => Promise<void> | void = () => {};

	/** Awaited in the middle of each call and at its end: the process may stand still. */
	stall: () => Promise<void> = nothing;

	constructor(
		stored: string[] = [],
		readonly owner = newOwner(),
		private readonly pause: () => Promise<void> = async () => await new Promise((end) => setImmediate(end)),
		readonly row: Row = { stored },
	) {}

	get stored(): string[] {
		return this.row.stored;
	}

	set stored(stored: string[]) {
		this.row.stored = stored;
	}

	/** What is stored of recipients. */
	get recipients(): string[] {
		return [...this.stored].sort();
	}

	/** Makes the next calls fail, all or those of one kind, before or after they have written. */
	fail(times: number, name?: Call['name'], when: 'before' | 'after' = 'before') {
		let left = times;
		this[when] = (call) => {
			if (call.name === (name ?? call.name) && left-- > 0) throw new Error('Занято');
		};
	}

	/** Ends the process: from now on no call writes or ends. */
	die() {
		this.isDead = true;
	}

	readonly check = nothing;

	async add(entries: string[], most: number): Promise<string[]> {
		return await this.call({ name: 'add', entries }, (stored) => {
			const known = new Set(stored);
			return [...stored, ...entries.filter((entry) => !known.has(entry))].slice(-most);
		});
	}

	async remove(entries: string[]): Promise<void> {
		const obsolete = new Set(entries);
		await this.call({ name: 'remove', entries }, (stored) => stored.filter((entry) => !obsolete.has(entry)));
	}

	readonly lockRow: LockRow = {
		create: async (entries) =>
			await this.inTime(
				() => this.row.workflow,
				(found) => {
					if (found?.mode === 'of another node') throw new Error('saved with an incompatible setting');
					if (!found && this.row.workflow) throw new Error('UNIQUE constraint failed');
					const all = [...new Set([...(found?.entries ?? []), ...entries])];
					// An update of a row that is gone changes nothing.
					if (!found || this.row.workflow) this.row.workflow = { mode: 'lock', entries: all };
					return !found;
				},
			),
		size: async () =>
			await this.inTime(
				() => this.row.workflow,
				(found) => found?.entries.length ?? 0,
			),
		delete: async () =>
			await this.inTime(
				() => {},
				() => (this.row.workflow = undefined),
			),
	};

	private async inTime<Read, Result>(read: () => Read, write: (read: Read) => Result): Promise<Result> {
		this.lockCalls++;
		await this.lives();
		const found = read();
		await this.pause();
		await this.stall();
		await this.lives();
		const result = write(found);
		await this.stall();
		await this.lives();
		return result;
	}

	private async call(call: Call, change: (stored: string[]) => string[]): Promise<string[]> {
		await this.lives();
		const number = this.calls.push(call);
		this.peak = Math.max(this.peak, ++this.underWay);
		try {
			const read = this.stored;
			await this.pause();
			await this.stall();
			await this.lives();
			await this.before(call, number);
			await this.lives();
			this.stored = change(read);
			await this.after(call, number);
			await this.stall();
			await this.lives();
			const known = new Set(read);
			return call.entries.filter((entry) => known.has(entry));
		} finally {
			this.underWay--;
		}
	}

	private async lives() {
		if (this.isDead) await new Promise<never>(() => {});
	}
}
