import type { Client } from '../../nodes/ChatbotService/client/client';
import { brokenHere, timedOut, valuesRefused, type Failure } from '../../nodes/ChatbotService/client/failure';
import type { Limits } from '../../nodes/ChatbotService/client/pace/limits';
import type { Slot } from '../../nodes/ChatbotService/client/pace/scheduler';
import type { Failed, Left, Result } from '../../nodes/ChatbotService/client/result';
import { findOperation } from '../../nodes/ChatbotService/resources';
import { Lane, type LaneRun, type ReadyItem } from '../../nodes/ChatbotService/run/lane';
import type { Fingerprints } from '../../nodes/ChatbotService/run/ledger/execution';
import { Ledger, type LedgerItem, type Withheld } from '../../nodes/ChatbotService/run/ledger/ledger';
import { FakeEntries, type Row } from './fakeEntries';
import { range } from './runs';
import { clock, inTime } from './virtualTime';

/* Runs with real lanes, a real ledger and a store, in virtual time. A test file that imports this replaces the time of n8n-workflow: see virtualTime.ts. */

export const message = findOperation('message', 'sendToWhatsApp')!;

export const done: Result = { rows: [{ success: true }] };
export const unknown: Result = { failure: timedOut() };
export const refused: Result = { failure: valuesRefused(422, [], 'Нет контакта.') };
export const failureWith = (outcome: string) => ({ failure: expect.objectContaining({ outcome }) as never });

export const perSecond = (count: number): Limits => ({ [`line ${count}`]: { count, windowMs: 1000 } });
export const unlimited: Limits = {};
export const telegram: Limits = { telegram: { count: 10, windowMs: 10_000 } };

/** How fast requests leave. */
export const pace = {
	leaving: (limits: Limits, milliseconds: number) =>
		Math.min(...Object.values(limits).map(({ count, windowMs }) => (milliseconds * count) / windowMs)),
	windowMs: (limits: Limits) => Math.max(0, ...Object.values(limits).map(({ windowMs }) => windowMs)),
};

/** The same fingerprints for all items. */
export const alike: Fingerprints = { written: () => 'что-то', identity: () => 'кто-то' };

export const ledgerOf = (changes: Partial<ConstructorParameters<typeof Ledger>[0]> = {}) =>
	new Ledger({
		operation: message,
		usesSendOncePer: false,
		triesKey: null,
		kept: null,
		entries: undefined,
		isShared: true,
		windowMs: pace.windowMs,
		...changes,
	});

/** n8n's store, as one process calls it. Processes that share their rows share the entries. */
export const entriesOf = (row: Row = { stored: [] }, gapMs = 5, owner?: string) =>
	new FakeEntries([], owner, async () => await clock.sleep(gapMs), row);

export const pass = async (milliseconds: number) => await clock.run(clock.now() + milliseconds);

/** Whether the request of an item leaves, or why not. */
export type Told =
	'go' | 'sent before' | 'done before' | 'in doubt' | 'store failed' | 'not attempted' | 'broken';

const isBroken = brokenHere('', 'notDone').message;

function inWords({ when, result }: Withheld): Told {
	if (when === 'skipped') return 'sent before';
	if (when === 'notAttempted') return 'not attempted';
	const failure = 'failure' in result ? result.failure : undefined;
	if (when === 'now') return failure?.message === isBroken ? 'broken' : 'store failed';
	return failure ? 'in doubt' : 'done before';
}

export interface Wanted {
	limits?: Limits;
	/** Its value of 'Send Once Per' and the recipient; null if it has none. */
	key?: string | null;
	fingerprints?: Fingerprints;
}

/** A run whose items wait in their lanes. Instead of the client, a test gives the slots. */
export class Run implements LaneRun {
	readonly stop = new AbortController();

	readonly signal = this.stop.signal;

	readonly client: Client;

	readonly ledger: Ledger;

	readonly prepared: { client: Client; ledger: Ledger };

	readonly open: Promise<void>;

	/** How the items ended, in order. */
	readonly told: Array<[index: number, told: Told]> = [];

	withheld: Withheld | undefined;

	answered = 0;

	/** When requests left. */
	readonly leftAt = new Map<number, number>();

	/** Slots that a lane did not need any more. */
	released = 0;

	private readonly lanes = new Map<string, Lane>();

	/** The lanes that wait for a slot. */
	private readonly asking: Array<(slot: Slot | Failed | undefined) => void> = [];

	/** Items that have left, in order. */
	private readonly left: LedgerItem[] = [];

	private readonly nextAt = new Map<string, number>();

	isOver() {
		return this.signal.aborted;
	}

	/** @param sends whether requests leave by themselves, at the pace of their limits, and are answered after 40 ms */
	constructor(
		readonly entries = entriesOf(),
		private readonly sends = true,
		changes: Parameters<typeof ledgerOf>[0] = {},
	) {
		const slot = async (_: unknown, limits: Limits) => await this.slot(limits);
		this.client = { ...pace, slot } as unknown as Client;
		this.ledger = ledgerOf({ usesSendOncePer: true, entries, ...changes });
		this.prepared = { client: this.client, ledger: this.ledger };
		this.open = this.ledger.open();
		this.stop.signal.addEventListener('abort', () => {
			for (const begin of this.asking.splice(0)) begin(undefined);
		});
	}

	want(index: number, { limits = perSecond(2), key = `ключ ${index}`, fingerprints = alike }: Wanted = {}) {
		const values = { limits, dedupKey: key ?? undefined };
		this.laneOf(limits).add({ index, values, fingerprints } as ReadyItem);
	}

	wantAll(from: number, to: number, limits?: Limits) {
		for (const index of range(from, to)) this.want(index, { limits });
	}

	/** Lets requests leave until no other may leave now. */
	async leave(count = 1): Promise<LedgerItem[]> {
		const from = this.left.length;
		for (;;) {
			await settled();
			if (this.left.length >= from + count || !this.give()) return this.left.slice(from);
		}
	}

	/** Gives a slot to the lane that has waited longest. @returns whether one waits */
	give(): boolean {
		const begin = this.asking.shift();
		begin?.(this.newSlot());
		return begin !== undefined;
	}

	/** Lets all requests leave that may, second by second, and answers them. */
	async leaveAll(seconds: number) {
		for (let second = 0; second < seconds; second++) {
			this.end(await this.leave(Infinity));
			await pass(1000);
		}
	}

	/** The lane that has waited longest gets no slot because of trouble of the account. */
	refuse(failure: Failure) {
		this.asking.shift()!({ failure });
	}

	/** Trouble of the account that a request has met ends all lanes. */
	endAll(failure: Failure) {
		this.stop.abort();
		for (const lane of this.lanes.values()) lane.end(failure);
	}

	end(items: LedgerItem[], outcome: Result | Left = done) {
		for (const item of items) this.ledger.after(item, outcome);
		this.answered += items.length;
	}

	toldOf = (told: Told) => this.told.filter((each) => each[1] === told).map(([index]) => index);

	/** The recipients whom n8n's store would leave in doubt if the process died now, although no request has left. */
	get claimedAhead(): number[] {
		const stored = new Set(this.entries.stored);
		const claimed = this.entries.stored.flatMap((entry) => /^sent ключ (\d+)$/.exec(entry)?.[1] ?? []);
		return claimed
			.filter((index) => stored.has(`doubt ключ ${index}`))
			.map(Number)
			.filter((index) => !this.leftAt.has(index));
	}

	/**
	 * Ends the run: nothing leaves any more.
	 *
	 * @returns how long that takes, and how many recipients are not recorded
	 */
	async close(stopped?: AbortSignal) {
		this.stop.abort();
		const from = clock.now();
		return await inTime(this.ledger.close(stopped).then((lost) => ({ lost, ms: clock.now() - from })));
	}

	send(item: LedgerItem) {
		this.told.push([item.index, 'go']);
		this.left.push(item);
		this.leftAt.set(item.index, clock.now());
		if (this.sends) void clock.sleep(40).then(() => this.end([item]));
	}

	withhold(item: LedgerItem, withheld: Withheld) {
		this.withheld = withheld;
		this.told.push([item.index, inWords(withheld)]);
		this.ledger.after(item, 'notSent');
	}

	private laneOf(limits: Limits): Lane {
		const name = Object.keys(limits).join();
		const lane = this.lanes.get(name) ?? new Lane(limits, this);
		this.lanes.set(name, lane);
		return lane;
	}

	private newSlot(): Slot {
		return { scheduler: { release: () => this.released++ } } as unknown as Slot;
	}

	private async slot(limits: Limits): Promise<Slot | Failed | undefined> {
		if (this.stop.signal.aborted) return undefined;
		if (!this.sends) return await new Promise((begin) => this.asking.push(begin));
		await this.paced(limits);
		return this.newSlot();
	}

	private async paced(limits: Limits) {
		const name = Object.keys(limits).join();
		const at = Math.max(clock.now(), this.nextAt.get(name) ?? 0);
		this.nextAt.set(name, at + 1 / pace.leaving(limits, 1));
		await clock.sleep(at - clock.now());
		if (this.entries.isDead) await new Promise<never>(() => {});
	}
}

/** Everything that waits only for promises. */
const settled = async () => await new Promise<void>((resolve) => setImmediate(resolve));

/** A run whose ledger is open, which sends nothing by itself. */
export async function opened(entries = entriesOf(), changes: Parameters<typeof ledgerOf>[0] = {}) {
	const run = new Run(entries, false, changes);
	await pass(2000);
	return run;
}
