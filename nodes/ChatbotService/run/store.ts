import { sleep } from 'n8n-workflow';

/*
 * Who has got a message, in n8n's own store for deduplication: entries of one node, in n8n's database. What n8n offers of it:
 *
 * - Whoever looks for entries adds them: there is no looking alone.
 * - Every call reads all entries of the node and writes them all again.
 * - Calls that overlap lose what the other one has written.
 *
 * So a recipient has two entries while a message is on its way, 'sent' and 'in doubt', both added by the call that looks for
 * them. When the service has accepted the message, 'in doubt' goes. A process may die between any two calls: what is left then
 * is both entries, which means doubt, and never 'sent' alone. The calls of one process go one after the other. 'Sent' is added
 * once more when the message has been accepted: if it is not there any more, another process writes at the same moment. Then
 * what was noted in the last moments is noted again, after a pause, until it is found there.
 */

/** What n8n offers of its store to a node. */
export interface Entries {
	/** Who shares them: the same for all runs of a node. */
	owner: string;
	/** Adds entries and drops the oldest beyond the newest `most`. @returns those that were there already */
	add(entries: string[], most: number): Promise<string[]>;
	remove(entries: string[]): Promise<void>;
}

/** How a recipient stands: not known before, and claimed now; sent to; or perhaps sent to. */
export type Standing = 'claimed' | 'sent' | 'inDoubt';

/** What is to be noted of recipients who were looked for. */
export interface Due {
	/** They were sent to, now or before. */
	sent: string[];
	/** They were claimed, and certainly not sent to. */
	released: string[];
}

/** Recipients whom a node remembers; the oldest are forgotten. */
export const mostRemembered = 100_000;

/** For a database that is busy, or that two processes make the first entry in. */
const mostAttempts = 3;
const pauseMs = 200;

/** How long a call of another process may take from its reading to its writing. */
const overlapMs = 100;
const mostNotedAgain = 5;

/** What was noted that long ago, nobody loses any more. */
const recentMs = 2000;

const namesIn = (key: string) => key.split('+');
const sentEntries = (key: string) => namesIn(key).map((name) => `sent ${name}`);
const doubtEntries = (key: string) => namesIn(key).map((name) => `doubt ${name}`);
const bothEntries = (key: string) => [...sentEntries(key), ...doubtEntries(key)];

/** What the runs of a node in this process have in common. */
interface Shared {
	/** Recipients who are looked for or claimed, and what tells that this is over. */
	open: Map<string, { closed: Promise<void>; close: () => void }>;
	/** Ends with the latest work on the entries. */
	latest: Promise<unknown>;
	/** Recipients who were noted as sent to in the last moments, and when. */
	recent: Map<string, number>;
}

const sharedByOwner = new Map<string, Shared>();

function sharedOf(owner: string): Shared {
	const known = sharedByOwner.get(owner);
	if (known) return known;
	const shared: Shared = { open: new Map(), latest: Promise.resolve(), recent: new Map() };
	sharedByOwner.set(owner, shared);
	return shared;
}

/**
 * Who has got a message from a node. Recipients are known by keys that tell nothing of them. A key may hold several names,
 * with a plus between them: what is known of one name is known of the recipient.
 */
export class Store {
	/** Recipients of whom n8n could not note how they stand; they will be taken for recipients in doubt. */
	notNoted = 0;

	private readonly shared: Shared;

	constructor(private readonly entries: Entries) {
		this.shared = sharedOf(entries.owner);
	}

	/** Ends when a recipient is no longer claimed by any run in this process; undefined when nobody claims it. */
	closed(key: string): Promise<void> | undefined {
		const { open } = this.shared;
		return namesIn(key).flatMap((name) => open.get(name)?.closed ?? [])[0];
	}

	/** @throws what n8n says where there is no store, as with a workflow that is not saved */
	async open(): Promise<void> {
		await this.alone(async () => await this.add([opening]));
	}

	/**
	 * Notes what is due, then looks for the recipients that come next and claims those that are not known.
	 *
	 * @param next called when everything due has been noted; none of them may be claimed in this process
	 * @returns how each of these stands. They stay closed to other runs until they are due, or left in doubt.
	 * @throws what n8n says when it could not look for them, and nobody knows how they stand. They stay as they are: those of whom
	 * n8n has taken a note all the same will be in doubt, which is better than to forget what was noted before.
	 */
	async update({ sent, released }: Due, next: () => string[]): Promise<Map<string, Standing>> {
		return await this.alone(async () => {
			const obsolete = [...sent.flatMap(doubtEntries), ...released.flatMap(bothEntries)];
			if (obsolete.length) {
				try {
					await persistently(async () => await this.entries.remove(obsolete));
				} catch {
					this.notNoted += sent.length + released.length;
				}
			}
			for (const key of [...sent, ...released]) this.leave(key);
			const keys = next();
			for (const key of keys) this.claim(key);
			let known: ReadonlySet<string> | undefined;
			try {
				known = await this.add([...sent.flatMap(sentEntries), ...keys.flatMap(bothEntries)]);
			} finally {
				if (!known) for (const key of keys) this.leave(key);
			}
			this.keepRecent(sent);
			if (!holdsAll(known, sent)) await this.noteAgain();
			return new Map(keys.map((key) => [key, standingOf(key, known)]));
		});
	}

	/** Opens a recipient to other runs, as it stands. */
	leave(key: string) {
		for (const name of namesIn(key)) {
			// Stryker disable next-line OptionalChaining: nobody leaves what is not claimed, and a run must not fail over it.
			this.shared.open.get(name)?.close();
			this.shared.open.delete(name);
		}
	}

	private keepRecent(sent: string[]) {
		const { recent } = this.shared;
		const now = performance.now();
		for (const [key, at] of recent) if (at < now - recentMs) recent.delete(key);
		for (const key of sent) recent.set(key, now);
	}

	/** Another process has written what it had read before: notes all of the last moments again, until it is found there. */
	private async noteAgain() {
		const keys = [...this.shared.recent.keys()];
		for (let made = 0; made < mostNotedAgain; made++) {
			await sleep(overlapMs * (1 + Math.random()));
			try {
				await this.entries.remove(keys.flatMap(doubtEntries));
				if (holdsAll(await this.add(keys.flatMap(sentEntries)), keys)) return;
			} catch {
				// It has been noted once, and is looked after once more.
			}
		}
	}

	private claim(key: string) {
		let close = () => {};
		const closed = new Promise<void>((resolve) => (close = resolve));
		for (const name of namesIn(key)) this.shared.open.set(name, { closed, close });
	}

	private async add(entries: string[]): Promise<ReadonlySet<string>> {
		if (!entries.length) return new Set();
		return new Set(await persistently(async () => await this.entries.add(entries, mostRemembered)));
	}

	/** Works on the entries while no other run in this process does. */
	private async alone<T>(work: () => Promise<T>): Promise<T> {
		const { shared } = this;
		const mine = shared.latest.then(work, work);
		shared.latest = mine.catch(() => {});
		return await mine;
	}
}

const holdsAll = (found: ReadonlySet<string>, sent: string[]) =>
	sent.flatMap(sentEntries).every((entry) => found.has(entry));

function standingOf(key: string, known: ReadonlySet<string>): Standing {
	const isKnown = (entry: string) => known.has(entry);
	if (doubtEntries(key).some(isKnown)) return 'inDoubt';
	return sentEntries(key).some(isKnown) ? 'sent' : 'claimed';
}

/** An entry that tells nothing: adding it shows whether n8n has a store here. */
const opening = 'open';

/** @throws what the last of several attempts throws */
async function persistently<T>(call: () => Promise<T>): Promise<T> {
	for (let made = 1; made < mostAttempts; made++) {
		try {
			return await call();
		} catch {
			await sleep(pauseMs);
		}
	}
	return await call();
}
