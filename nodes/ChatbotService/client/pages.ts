import type { IDataObject } from 'n8n-workflow';

import { digestOf } from './digest';
import { endlessPages, type Failure } from './failure';

/* Only the service says which page is the last one, so wrong page numbers could make the node request pages forever. */

/** Enough for half a million rows at 50 rows per page. */
const mostPages = 10_000;

/** A list may double while it is read, or grow by this number of pages if that is more. */
const growth = 10;

/** Page numbers in an answer. */
export interface PageNumbers {
	current: number;
	last: number;
}

/** Checks each page before the next one is requested. */
export class Pages {
	/** The page to request next; the first is 1. */
	next: number;

	/** Limit for the number of pages, derived from the first page. */
	private most: number | undefined;

	/** Digests of the pages read so far. */
	private readonly read: Set<string>;

	/** @param token of an earlier instance, to continue its reading */
	constructor(token = '1') {
		const [next, most, ...read] = token.split(' ');
		this.next = Number(next);
		this.most = most === undefined ? undefined : Number(most);
		this.read = new Set(read);
	}

	/** Lets the editor continue reading. The latest digest is enough to detect a service that ignores the page number. */
	get token(): string {
		return [this.next, this.most, ...[...this.read].slice(-1)].join(' ');
	}

	/**
	 * Whether another page follows this one, or why the list cannot be read to its end.
	 *
	 * @param numbers undefined if the answer has no page numbers
	 */
	follows(rows: IDataObject[], numbers: PageNumbers | undefined): boolean | { failure: Failure } {
		if (!numbers) return false;
		const { current, last } = numbers;
		const asked = this.next;
		if (current !== asked) return wrong(`The service returned page ${current} instead of page ${asked}.`);
		const isLast = current >= last;
		// A single page needs no digest.
		if (!rows.length || (isLast && !this.read.size)) return false;
		if (this.isRead(rows)) return wrong(`Page ${asked} contains the same rows as an earlier page.`);
		if (isLast) return false;
		this.most ??= last + Math.max(last, growth);
		if (last > mostPages) return wrong(`The service reports ${last} pages.`);
		if (last > this.most)
			return wrong(
				`On page ${asked}, the service reports ${last} pages, more than twice as many as on page 1.`,
			);
		this.next++;
		return true;
	}

	/** Whether the same rows were read before, as far as JSON can hold them. Notes them. */
	private isRead(rows: IDataObject[]): boolean {
		try {
			const digest = digestOf(rows);
			const isRead = this.read.has(digest);
			this.read.add(digest);
			return isRead;
		} catch {
			// Rows can be nested too deeply.
			return false;
		}
	}
}

const wrong = (reason: string) => ({ failure: endlessPages(reason) });
