import { outsideHours, type Failure } from '../client/failure/failure';
import { wait } from '../client/pace/clock';
import type { SendingHours } from '../resources/operation';

/* When 'Sending Hours' end a run, and how its user goes on. Their values: resources/message/sendingHours.ts. */

const minuteMs = 60_000;

/** How long a jump of the clock can stay unnoticed while nothing leaves, for example when a computer wakes up. */
const noticedMs = 500;

/**
 * The hours of the day in which the messages of a run may leave. The clock of the time zone is asked each time, so daylight saving
 * time needs no arithmetic.
 */
export class Hours {
	private readonly clock: Intl.DateTimeFormat;
	/** Whether the run began within its hours. */
	readonly wereOpen: boolean;

	/**
	 * @param timezone of the workflow
	 * @param goOn how a later run sends only what is missing, after a time such as "tomorrow after 09:00"
	 */
	constructor(
		private readonly hours: SendingHours,
		private readonly timezone: string,
		private readonly goOn: string,
	) {
		this.clock = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, timeStyle: 'short' });
		this.wereOpen = this.closed === undefined;
	}

	/** Why no message may leave now; undefined within the hours. */
	get closed(): Failure | undefined {
		const { from, until } = this.hours;
		const now = this.clock.format(Date.now());
		const isOpen = from < until ? now >= from && now < until : now >= from || now < until;
		if (isOpen) return undefined;
		// Users whose n8n has another time zone see here why the hours are not theirs.
		const there = this.wereOpen ? '' : `It is ${now} there. `;
		const next = `${there}Start the workflow again ${now < from ? 'today' : 'tomorrow'} after ${from}${this.goOn}`;
		return outsideHours(from, until, this.timezone, next);
	}

	/** Waits until the hours end, or the run is over. */
	async untilClosed(over: AbortSignal) {
		while (!over.aborted && !this.closed)
			await wait(Math.min(minuteMs - (Date.now() % minuteMs), noticedMs), over);
	}

	get inWords(): string {
		const { from, until } = this.hours;
		return `Messages leave only from ${from} to ${until} (${this.timezone}).`;
	}
}
