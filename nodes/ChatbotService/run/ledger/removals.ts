import type { Clock } from '../../client/pace/clock';
import type { Added, Calls } from './calls';
import { obsoleteOf } from './entries';
import type { Recipient } from './held';

/*
 * Removes obsolete entries. Another process can bring back what a call has removed. Therefore the call also removes a ticket that is
 * certain to be in the store, and a later round looks for this ticket:
 *
 *     wanted ──▶ removed ──▶ ripe ──▶ confirmed    The ticket is gone.
 *        ▲                    │
 *        └────────────────────┘                    The ticket is back: everything is removed again.
 */

/** Obsolete entries, and the recipients that become free when the entries are removed. */
interface Obsolete {
	entries: string[];
	recipients: Recipient[];
}

/** What one call has removed together with a ticket. */
export interface Removed extends Obsolete {
	ticket: string;
	/** Whether all calls that may have read the entries before have ended. */
	isRipe: boolean;
}

export class Removals {
	private wanted: Obsolete = { entries: [], recipients: [] };
	private removed: Removed[] = [];

	/** Tickets that nothing depends on any more. One of them may be certain to be in the store. */
	private tickets: string[] = [];
	private certain: string | undefined;

	/** @param isUnused whether no run uses the store, so that the last tickets can be removed */
	constructor(
		private readonly calls: Calls,
		private readonly clock: Clock,
		private readonly isUnused: () => boolean,
		private readonly onRipe: () => void,
	) {}

	get areWanted(): boolean {
		return this.wanted.entries.length > 0;
	}

	/** Whether nothing can be removed because no ticket is certain to be in the store. */
	get needTicket(): boolean {
		return this.areWanted && this.certain === undefined;
	}

	get ripe(): Removed[] {
		return this.removed.filter(({ isRipe }) => isRipe);
	}

	/** Whether a round has something to do. */
	get areDue(): boolean {
		return this.areWanted || this.ripe.length > 0 || this.areLast;
	}

	/** Whether only tickets are left to remove. */
	private get areLast(): boolean {
		return this.isUnused() && this.tickets.length > 0;
	}

	/** Whether a recipient is not free yet. */
	get arePending(): boolean {
		return this.areWanted || this.removed.some(({ recipients }) => recipients.length > 0);
	}

	get areConfirmed(): boolean {
		return this.removed.length === 0;
	}

	/** Removes the obsolete entries of a recipient. */
	add(recipient: Recipient) {
		recipient.become('removing');
		this.wanted.recipients.push(recipient);
		this.wanted.entries.push(...obsoleteOf(recipient.key, recipient.end));
	}

	addTickets(...tickets: string[]) {
		this.tickets.push(...tickets);
	}

	addCertain(ticket: string) {
		this.tickets.push(ticket);
		this.certain = ticket;
	}

	/** @throws the error of a call that fails. A later round repeats the removal */
	async make() {
		if (this.areWanted && this.certain !== undefined) await this.removeWith(this.certain);
		else if (!this.areWanted && this.areLast) await this.removeLast();
	}

	private async removeWith(ticket: string) {
		const { recipients } = this.wanted;
		const entries = [...this.wanted.entries, ...this.tickets];
		const removed = { ticket, entries, recipients, isRipe: false };
		this.removed.push(removed);
		this.clear();
		try {
			await this.calls.remove(entries);
			end(removed, true);
		} finally {
			// A failed call may still have removed the entries. A later round finds out.
			void this.ripen(removed);
		}
	}

	private async ripen(removed: Removed) {
		await this.clock.sleep(this.calls.times.waitMs);
		removed.isRipe = true;
		this.onRipe();
	}

	/** Another process may bring back some of the last tickets, which does no harm. */
	private async removeLast() {
		this.certain = undefined;
		await this.calls.remove(this.tickets);
		this.tickets = [];
	}

	/** Confirms removals by what a call has found. @returns whether another process has brought some back */
	confirm(ripe: Removed[], { known, isConclusive }: Added): boolean {
		const isBack = ({ ticket }: Removed) => isConclusive && known.has(ticket);
		this.removed = this.removed.filter((each) => !ripe.includes(each));
		for (const each of ripe) {
			if (isBack(each)) {
				this.addCertain(each.ticket);
				this.wanted.entries.unshift(...each.entries);
				this.wanted.recipients.unshift(...each.recipients);
			} else {
				this.addTickets(each.ticket);
				end(each, true);
			}
		}
		return ripe.some(isBack);
	}

	giveUp() {
		for (const obsolete of [this.wanted, ...this.removed]) end(obsolete, false);
		this.removed = [];
		this.clear();
	}

	private clear() {
		this.wanted = { entries: [], recipients: [] };
		this.tickets = [];
		this.certain = undefined;
	}
}

/** Frees the recipients, and tells their runs. */
function end({ recipients }: Obsolete, isRemoved: boolean) {
	for (const recipient of recipients.splice(0)) {
		recipient.become('free');
		recipient.recorded(isRemoved);
	}
}
