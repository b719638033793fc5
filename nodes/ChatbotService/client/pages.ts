import { endlessPages, type Failure } from './failure';

/* Only the service says which page is the last one, so wrong page numbers could make the node request pages forever. */

/** Enough for half a million rows at 50 rows per page. */
const mostPages = 10_000;

/** Checks each page before the next one is requested. */
export class Pages {
	/** @param next the page to request next; the first is 1 */
	constructor(public next = 1) {}

	/**
	 * Whether another page follows this one, or why the list cannot be read to its end.
	 *
	 * @param numbers undefined if the answer has no page numbers
	 */
	follows(rows: unknown[], numbers?: { current: number; last: number }): boolean | { failure: Failure } {
		if (!numbers) return false;
		const { current, last } = numbers;
		if (current !== this.next)
			return { failure: endlessPages(`The service returned page ${current} instead of page ${this.next}.`) };
		if (!rows.length || current >= last) return false;
		if (last > mostPages)
			return { failure: endlessPages(`On page ${current}, the service reports ${last} pages.`) };
		this.next++;
		return true;
	}
}
