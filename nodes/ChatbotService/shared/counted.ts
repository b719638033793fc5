/* Numbers and times in words. */

/** A number as people write it, such as 3,000. */
export const grouped = (count: number) => count.toLocaleString('en-US');

/** A number of things, such as "1 item" or "3,000 items". */
export const counted = (count: number, noun: string) => `${grouped(count)} ${noun}${count === 1 ? '' : 's'}`;

/** A time, as exact as a person needs it: 40 seconds, 25 minutes, 8 hours and 20 minutes. */
export function durationOf(milliseconds: number): string {
	const seconds = Math.ceil(milliseconds / 1000);
	if (seconds < 100) return counted(seconds, 'second');
	const minutes = Math.ceil(seconds / 60);
	const hours = Math.floor(minutes / 60);
	if (!hours) return counted(minutes, 'minute');
	return minutes % 60
		? `${counted(hours, 'hour')} and ${counted(minutes % 60, 'minute')}`
		: counted(hours, 'hour');
}
