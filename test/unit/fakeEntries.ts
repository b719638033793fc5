import type { Entries } from '../../nodes/ChatbotService/run/store';

/** A call of the entries. */
export interface Call {
	name: 'add' | 'remove';
	entries: string[];
	/** How many are kept at most, for 'add'. */
	most?: number;
}

let owners = 0;

/** An owner whom no other test has: what runs of one node share lasts as long as the process. */
const newOwner = () => `узел ${++owners}`;

/**
 * n8n's store of a node: each call reads all entries, and writes them all when it ends. Calls that overlap lose what the other
 * one has written.
 */
export class FakeEntries implements Entries {
	readonly calls: Call[] = [];

	/** Most calls that were under way at once. */
	peak = 0;

	private underWay = 0;

	/** Takes place before a call writes; what it throws is what n8n says, and nothing is written. */
	before: (call: Call, number: number) => Promise<void> | void = () => {};

	/** Takes place after a call has written. */
	after: (call: Call, number: number) => Promise<void> | void = () => {};

	constructor(
		public stored: string[] = [],
		readonly owner = newOwner(),
		private readonly pause: () => Promise<void> = async () => await new Promise((end) => setImmediate(end)),
	) {}

	async add(entries: string[], most: number): Promise<string[]> {
		return await this.call({ name: 'add', entries, most }, (stored) => {
			const known = new Set(stored);
			return [...stored, ...entries.filter((entry) => !known.has(entry))].slice(-most);
		});
	}

	async remove(entries: string[]): Promise<void> {
		const obsolete = new Set(entries);
		await this.call({ name: 'remove', entries }, (stored) => stored.filter((entry) => !obsolete.has(entry)));
	}

	/** Entries of all calls of one kind, call by call. */
	entriesOf(name: Call['name']): string[][] {
		return this.calls.filter((call) => call.name === name).map(({ entries }) => entries);
	}

	private async call(call: Call, change: (stored: string[]) => string[]): Promise<string[]> {
		const number = this.calls.push(call);
		this.peak = Math.max(this.peak, ++this.underWay);
		try {
			const read = this.stored;
			await this.pause();
			await this.before(call, number);
			this.stored = change(read);
			await this.after(call, number);
			return call.entries.filter((entry) => read.includes(entry));
		} finally {
			this.underWay--;
		}
	}
}
