import type { IDataObject } from 'n8n-workflow';

import { digestOf } from './digest';
import { endlessPages, type Failure } from './failure';

/*
 * The pages of one list. Only the service says which page is the last one. An answer that is wrong about its page would make us ask for
 * the next page without end.
 */

/** A list of 50 rows a page and half a million rows is read to its end. */
const mostPages = 10_000;

/** How many more pages a list may get while it is read: as many as it had at first, and a few. */
const growth = 10;

/** A page as the service numbers it. */
export interface PageNumbers {
	current: number;
	last: number;
}

/** Looks at each page before the next one is asked for. */
export class Pages {
	/** The page that is asked for next; the first is 1. */
	next: number;

	/** How many pages the list may have, by what the first one said. */
	private most: number | undefined;

	/** Digests of the pages that were read. */
	private readonly read: Set<string>;

	/** @param token of an earlier part of the reading */
	constructor(token = '1') {
		const [next, most, ...read] = token.split(' ');
		this.next = Number(next);
		this.most = most === undefined ? undefined : Number(most);
		this.read = new Set(read);
	}

	/** With which the editor goes on reading. The latest page alone tells a service that ignores the number of the page. */
	get token(): string {
		return [this.next, this.most, ...[...this.read].slice(-1)].join(' ');
	}

	/**
	 * Whether another page follows on this one, or why the list cannot be read to its end.
	 *
	 * @param numbers undefined where the service says nothing of pages
	 */
	follows(rows: IDataObject[], numbers: PageNumbers | undefined): boolean | { failure: Failure } {
		if (!numbers) return false;
		const { current, last } = numbers;
		const asked = this.next;
		if (current !== asked) return wrong(`It answered page ${current} when it was asked for page ${asked}.`);
		const isLast = current >= last;
		// The only page needs no digest.
		if (!rows.length || (isLast && !this.read.size)) return false;
		const digest = fingerprintOf(rows);
		if (digest !== undefined && this.read.has(digest))
			return wrong(`Page ${asked} holds the same rows as a page before it.`);
		if (isLast) return false;
		this.most ??= last + Math.max(last, growth);
		if (last > mostPages) return wrong(`It says that there are ${last} pages.`);
		if (last > this.most)
			return wrong(`It said that there are fewer pages, and says on page ${asked} that there are ${last}.`);
		if (digest !== undefined) this.read.add(digest);
		this.next++;
		return true;
	}
}

const wrong = (reason: string) => ({ failure: endlessPages(reason) });

/** Undefined for rows that are nested too deeply to be written. */
function fingerprintOf(rows: IDataObject[]): string | undefined {
	try {
		return digestOf(rows);
	} catch {
		return undefined;
	}
}
