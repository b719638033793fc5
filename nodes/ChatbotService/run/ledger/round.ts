import type { Added, Calls } from './calls';
import { entriesOf, keptOf, standingOf } from './entries';
import type { Recipient } from './held';
import type { Removals, Removed } from './removals';

/** An entry without a meaning. Adding it shows whether n8n has a store here. */
const opening = 'open';

/** A run that begins. */
export interface Opener {
	opened: () => void;
	failed: (error: unknown) => void;
}

/** Claimed recipients, and the ticket that was added with their entries. */
interface Claimed {
	ticket: string;
	recipients: Recipient[];
}

/** A round of the algorithm in store.ts. */
export class Round {
	/** What the next round confirms. */
	claimed: Claimed | undefined;
	hasFailed = false;
	/** Whether another process has overwritten what this round looks for. */
	isOverwritten = false;

	private readonly looks: Recipient[];
	/** Recipients of the previous round that are still wanted. They are claimed again if another process has overwritten them. */
	private readonly again: Recipient[];
	private readonly ripe: Removed[];

	/**
	 * @param before what this round confirms
	 * @param looks recipients to look for
	 * @param records recipients whose message has ended
	 */
	constructor(
		private readonly calls: Calls,
		private readonly removals: Removals,
		private readonly before: Claimed | undefined,
		private readonly openers: Opener[],
		looks: Recipient[],
		private readonly records: Recipient[],
	) {
		this.claimed = before;
		this.again = before?.recipients.filter((recipient) => recipient.isWanted()) ?? [];
		this.ripe = removals.ripe;
		for (const recipient of looks) if (!recipient.isWanted()) recipient.become('free');
		this.looks = looks.filter(({ state }) => state === 'looking');
		for (const recipient of records) removals.add(recipient);
	}

	/** Never throws. Otherwise, runs would wait for their answers forever. */
	async make() {
		try {
			// The recipients of ended messages must not stay in doubt if the process dies after the next claims.
			if (this.looks.length && !this.before?.recipients.length) await this.remove();
			await this.add();
		} catch (error) {
			this.fail(error);
		}
		await this.remove();
	}

	private async remove() {
		try {
			await this.removals.make();
		} catch {
			this.hasFailed = true;
		}
	}

	private async add() {
		const { before, again, openers, looks, records, ripe, removals } = this;
		const earlier = new Set(again.flatMap(({ tickets }) => tickets));
		if (before) earlier.delete(before.ticket);
		const entries = [
			...(openers.length ? [opening] : []),
			...(before ? [before.ticket] : []),
			...earlier,
			...ripe.map(({ ticket }) => ticket),
			...records.flatMap(({ key, end }) => keptOf(key, end)),
			...[...again, ...looks].flatMap(({ key }) => entriesOf(key)),
		];
		if (!entries.length && !removals.areWanted) return;
		const added = await this.calls.add(entries);
		// Looking for a ticket adds it.
		removals.addTickets(...this.calls.takeFailed(), ...earlier);
		for (const { opened } of openers) opened();
		this.isOverwritten = removals.confirm(ripe, added);
		this.confirm(added);
	}

	/** Confirms the claims of the previous round, and makes new ones. Overwritten claims are made again. */
	private confirm(added: Added) {
		const { before, again, looks, removals } = this;
		const { known, ticket, isConclusive } = added;
		const isConfirmed = before !== undefined && isConclusive && known.has(before.ticket);
		if (isConfirmed) {
			removals.addCertain(before.ticket);
			for (const recipient of before.recipients) this.confirmClaim(recipient);
		} else if (before) {
			this.isOverwritten = true;
			removals.addTickets(before.ticket);
			for (const recipient of before.recipients) if (!again.includes(recipient)) recipient.become('free');
		}
		const wanted = isConfirmed ? looks : [...again, ...looks];
		const recipients = wanted.filter((recipient) => this.isClaimed(recipient, added));
		const isUseful = wanted.length > 0 || removals.needTicket;
		this.claimed = isUseful ? { ticket, recipients } : undefined;
		if (!isUseful) removals.addTickets(ticket);
	}

	private confirmClaim(recipient: Recipient) {
		if (!recipient.isWanted()) {
			this.removals.add(recipient);
			return;
		}
		recipient.become('confirmed');
		recipient.found('claimed');
	}

	/** Whether a recipient is claimed now. If not, tells its run the state of the recipient. */
	private isClaimed(recipient: Recipient, { known, ticket, isConclusive }: Added): boolean {
		const standing = standingOf(recipient.key, known);
		// An earlier claim by this process, which a third process has brought back.
		const isOwn = isConclusive && recipient.tickets.some((earlier) => known.has(earlier));
		if (standing === 'claimed' || isOwn) {
			recipient.become('claimed');
			recipient.tickets.push(ticket);
			return true;
		}
		if (standing === 'underWay') {
			recipient.become('free');
		} else {
			recipient.end = standing === 'sent' ? 'sent' : 'unknown';
			this.removals.add(recipient);
		}
		recipient.found(standing);
		return false;
	}

	/** Tells the runs why the store has failed. No message leaves, and a later round releases the claims. */
	private fail(error: unknown) {
		this.hasFailed = true;
		for (const { failed } of this.openers) failed(error);
		for (const recipient of this.looks) {
			recipient.failed(error);
			// An exception in this class may come after the recipient has changed its state.
			if (recipient.state === 'looking' || recipient.state === 'claimed') recipient.become('free');
		}
		const recipients = this.before?.recipients.filter(({ state }) => state === 'claimed') ?? [];
		for (const recipient of recipients) {
			if (recipient.isWanted()) recipient.failed(error);
			recipient.isWanted = () => false;
		}
		this.claimed = this.before && { ...this.before, recipients };
	}

	/** Leaves everything in doubt that is not confirmed or not removed. */
	giveUp() {
		for (const recipient of this.claimed?.recipients ?? []) recipient.become('free');
		this.claimed = undefined;
		this.removals.giveUp();
	}
}
