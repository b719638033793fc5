import { counted } from './counted';

/** A time in words, as exact as a person needs it: 40 seconds, 25 minutes, 8 hours and 20 minutes. */
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
