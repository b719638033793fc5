import { timedOut, valuesRefused } from '../../nodes/ChatbotService/client/failure';
import { nameOf, type Limits } from '../../nodes/ChatbotService/client/pace/limits';
import type { Left, Result } from '../../nodes/ChatbotService/client/result';
import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Fingerprints } from '../../nodes/ChatbotService/run/ledger/execution';
import { Ledger, type LedgerItem, type Verdict } from '../../nodes/ChatbotService/run/ledger/ledger';
import { FakeEntries, type Row } from './fakeEntries';
import { range } from './runs';
import { clock, inTime } from './virtualTime';

/* What a run asks the ledger, in virtual time. A test file that imports this replaces the time of n8n-workflow: see virtualTime.ts. */

export const message = findOperation('message', 'sendToWhatsApp')!;

export const done: Result = { rows: [{ success: true }] };
export const unknown: Result = { failure: timedOut() };
export const refused: Result = { failure: valuesRefused(422, [], 'Нет контакта.') };
export const failureWith = (outcome: string) => ({ failure: expect.objectContaining({ outcome }) as never });

export const perSecond = (count: number): Limits => ({ [`line ${count}`]: { count, windowMs: 1000 } });
export const unlimited: Limits = {};
export const telegram: Limits = { telegram: { count: 10, windowMs: 10_000 } };

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
		pace,
		signal: new AbortController().signal,
		...changes,
	});

/** n8n's store, as one process calls it. Processes that share their rows share the entries. */
export const entriesOf = (row: Row = { stored: [] }, gapMs = 5, owner?: string) =>
	new FakeEntries([], owner, async () => await clock.sleep(gapMs), row);

export const pass = async (milliseconds: number) => await clock.run(clock.now() + milliseconds);

export type Told = 'go' | 'sent before' | 'done before' | 'in doubt' | 'store failed';

function inWords(verdict: Verdict): Told {
	if (verdict === 'go') return 'go';
	if (verdict.reason === 'skipped') return 'sent before';
	if (verdict.reason === 'storeFailed') return 'store failed';
	return 'failure' in verdict.result ? 'in doubt' : 'done before';
}

export interface Wanted {
	limits?: Limits;
	/** Its value of 'Send Once Per' and the recipient; null if it has none. */
	key?: string | null;
	fingerprints?: Fingerprints;
}

/** A run that asks the ledger for items, and sends those that may leave. */
export class Run {
	readonly stop = new AbortController();

	readonly ledger: Ledger;

	readonly open: Promise<void>;

	/** What the run was told, in order. */
	readonly told: Array<[index: number, told: Told]> = [];

	verdict: Verdict | undefined;

	answered = 0;

	/** When requests left. */
	readonly leftAt = new Map<number, number>();

	/** Items that may leave and have not left. */
	readonly ready: LedgerItem[] = [];

	private readonly slots = new Map<string, number>();

	/** @param sends whether requests leave by themselves, at the pace of their limits, and are answered after 40 ms */
	constructor(
		readonly entries = entriesOf(),
		private readonly sends = true,
		changes: Parameters<typeof ledgerOf>[0] = {},
	) {
		this.ledger = ledgerOf({ usesSendOncePer: true, entries, signal: this.stop.signal, ...changes });
		this.open = this.ledger.open();
	}

	want(index: number, { limits = perSecond(2), key = `ключ ${index}`, fingerprints = alike }: Wanted = {}) {
		const item = { index, values: { limits, dedupKey: key ?? undefined }, fingerprints };
		this.ledger.before(item, (verdict) => {
			this.verdict = verdict;
			this.told.push([index, inWords(verdict)]);
			if (verdict !== 'go') return;
			this.ready.push(item);
			if (this.sends) void this.send(item);
		});
	}

	wantAll(from: number, to: number, limits?: Limits) {
		for (const index of range(from, to)) this.want(index, { limits });
	}

	/** Lets the next requests leave. */
	leave(count = 1): LedgerItem[] {
		const leaving = this.ready.splice(0, count);
		for (const item of leaving) {
			this.leftAt.set(item.index, clock.now());
			this.ledger.leaves(item);
		}
		return leaving;
	}

	end(items: LedgerItem[], outcome: Result | Left = done) {
		for (const item of items) this.ledger.after(item, outcome);
		this.answered += items.length;
	}

	toldOf = (told: Told) => this.told.filter((each) => each[1] === told).map(([index]) => index);

	/** Ends the run. @returns how long that takes, and how many recipients are not recorded */
	async close(stopped?: AbortSignal) {
		const from = clock.now();
		return await inTime(this.ledger.close(stopped).then((lost) => ({ lost, ms: clock.now() - from })));
	}

	private async send(item: LedgerItem) {
		const { limits } = item.values;
		const slot = Math.max(clock.now(), this.slots.get(nameOf(limits)) ?? 0);
		this.slots.set(nameOf(limits), slot + 1 / pace.leaving(limits, 1));
		await clock.sleep(slot - clock.now());
		if (this.entries.isDead) return;
		this.ready.splice(this.ready.indexOf(item), 1);
		this.leftAt.set(item.index, clock.now());
		this.ledger.leaves(item);
		await clock.sleep(40);
		this.end([item]);
	}
}

/** A run whose ledger is open, which sends nothing by itself. */
export async function opened(entries = entriesOf(), changes: Parameters<typeof ledgerOf>[0] = {}) {
	const run = new Run(entries, false, changes);
	await pass(2000);
	return run;
}
