import type { ReadyItem } from './lane';
import type { Kept } from './ledger/execution';
import { endOf } from './ledger/ledger';
import type { Outcomes } from './outcome';

/** The different people to whom an execution writes, in all calls of the node: a loop calls it for each batch. */
export class Recipients {
	private readonly earlier: ReadonlySet<string | undefined>;

	/** @param kept the execution's data of the node; null if there is none */
	constructor(private readonly kept: Kept | null) {
		this.earlier = new Set(kept?.recipients?.match(/.+/g));
	}

	/** Their number before a call, and with its items. */
	with(items: ReadyItem[]): { before: number; all: number } {
		return { before: this.earlier.size, all: this.and(items).size };
	}

	/**
	 * Notes the people of a call. When the call fails, its user may correct items and retry the execution: then those count to whom something
	 * may have been sent.
	 */
	keep(items: ReadyItem[], { outcomes, mayFail }: { outcomes: Outcomes; mayFail: boolean }) {
		if (!this.kept) return;
		const counting = items.filter(({ index }) => !mayFail || endOf(outcomes.of(index)) !== 'notSent');
		this.kept.recipients = [...this.and(counting)].join('\n');
	}

	private and(items: ReadyItem[]): ReadonlySet<string | undefined> {
		return new Set([...this.earlier, ...items.map(({ values }) => values.target)]);
	}
}
