/** A number as people write it, such as 3,000. */
export const grouped = (count: number) => count.toLocaleString('en-US');

/** A number of things, such as "1 item" or "3 items". @param digits the number as it is written */
export const counted = (count: number, noun: string, digits = String(count)) =>
	`${digits} ${noun}${count === 1 ? '' : 's'}`;
