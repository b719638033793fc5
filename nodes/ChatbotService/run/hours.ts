import { outsideHours, type Failure } from '../client/failure/failure';
import type { SendingHours } from '../resources/operation';
import { timeOfDayIn } from '../resources/time';

/*
 * When 'Sending Hours' let a message leave, in the time zone of its recipient, and until when the others wait. Their values:
 * resources/message/sendingHours.ts.
 */

const minutesPerDay = 24 * 60;

/** A notice names so many of the next times. */
const mostTimes = 3;

const minutesOf = (timeOfDay: string) => Number(timeOfDay.slice(0, 2)) * 60 + Number(timeOfDay.slice(3));

/**
 * The hours of the day in which the messages of a run may leave. The clock of a time zone is asked each time, so daylight saving time needs
 * no arithmetic.
 */
export class Hours {
	/** Whether somebody's hours were open. */
	wereOpen = false;
	/** For how many items the hours were closed, by the minute since 1970 in which they open. */
	private readonly late = new Map<number, { zone: string; count: number }>();

	/** @param goOn how a later run sends only what is missing, after the words "start the workflow again" */
	constructor(
		private readonly hours: SendingHours,
		private readonly goOn: string,
	) {}

	/** Why no message may leave now for somebody in a time zone; undefined within the hours. */
	closedIn(zone: string): Failure | undefined {
		const { from, until } = this.hours;
		const now = timeOfDayIn(zone, Date.now());
		const isOpen = from < until ? now >= from && now < until : now >= from || now < until;
		this.wereOpen ||= isOpen;
		if (isOpen) return undefined;
		const day = now < from ? 'today' : 'tomorrow';
		// Users whose n8n has another time zone see here why the hours are not theirs.
		const next = `It is ${now} there. Start the workflow again ${day} after ${from}${this.goOn}`;
		return outsideHours(from, until, zone, next);
	}

	/** Notes an item that does not leave, because of the hours in its time zone. */
	note(zone: string) {
		const now = Date.now();
		const minutes = minutesOf(this.hours.from) - minutesOf(timeOfDayIn(zone, now));
		const opensAt = Math.floor(now / 60_000) + ((minutes + minutesPerDay) % minutesPerDay);
		const { count } = this.late.get(opensAt) ?? { count: 0 };
		this.late.set(opensAt, { zone, count: count + 1 });
	}

	/** For how many items it is night, and until when. @param areSeveral whether the run has several items */
	inWords(areSeveral: boolean): string[] {
		const isNight = (count: number) => (areSeveral ? `For ${count} of them it is night` : 'It is night');
		const times = [...this.late].sort(([one], [other]) => one - other).map(([, time]) => time);
		const later = times.splice(mostTimes).reduce((sum, { count }) => sum + count, 0);
		const nights = times.map(({ zone, count }) => `${isNight(count)} until ${this.hours.from} (${zone}).`);
		return later ? [...nights, `${isNight(later)} for longer.`] : nights;
	}
}
