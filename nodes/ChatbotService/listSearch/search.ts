import type { IDataObject, ILoadOptionsFunctions } from 'n8n-workflow';

import type { Field, Operation } from '../resources/operation';
import { listOf, rowsOf } from './load';

/*
 * A search in a list that has pages. The service cannot search, so the node reads page after page, some of them for one request of the
 * editor. The editor starts a search whenever the person pauses in typing, and asks for the rest of one only when the person scrolls.
 * Therefore a search for a longer text goes on where the one before has come to: what the shorter text has left out does not match either.
 */

const mostPages = 20;

/** After this time, a search begins anew: the list can have changed. */
const keptMs = 60_000;

/** The editor can scroll a list of this length. */
const enough = 10;

interface Search {
	text: string;
	/** All that match in the pages before `next`. */
	rows: IDataObject[];
	/** Undefined at the end of the list. */
	next: number | undefined;
	/** Of the last page. */
	readAt: number;
	over: AbortController;
}

/** By list. */
const latest = new Map<string, Search>();

/**
 * Requests the rows of a list that match a text.
 *
 * @param owner as in `listOf`
 * @param first page, if the person has scrolled
 * @returns the rows, and the page with which the search goes on if the person scrolls
 * @throws NodeApiError that says what is wrong and what to do
 */
export async function search(
	context: ILoadOptionsFunctions,
	operation: Operation,
	matches: (row: IDataObject) => boolean,
	{ owner, text, first }: { owner: Field | undefined; text: string; first: number | undefined },
): Promise<Pick<Search, 'rows' | 'next'>> {
	const over = new AbortController();
	const found: Search = { text, rows: [], next: first ?? 1, readAt: Date.now(), over };
	let pages = 0;
	const selection = {
		wants(row: IDataObject) {
			// When others are added meanwhile, a row moves to a page that is read later.
			const isNew = !found.rows.some(({ id }) => id === row.id);
			return isNew && matches(row) && found.rows.push(row) > 0;
		},
	};
	const { key, client, request } = await listOf(context, operation, { owner, selection });
	if (first === undefined) {
		const before = latest.get(key);
		const isLonger = before && text !== before.text && text.startsWith(before.text);
		// Nobody waits for it any more: n8n does not tell whether it is another person who searches now. Opening the list is no search.
		if (text) before?.over.abort();
		if (isLonger && found.readAt - before.readAt < keptMs)
			Object.assign(found, { rows: before.rows.filter(matches), next: before.next });
		latest.set(key, found);
	}
	const wanted = enough - found.rows.length;
	if (found.next === undefined || wanted <= 0) return found;
	const ends = () => {
		found.next!++;
		found.readAt = Date.now();
		return ++pages >= mostPages;
	};
	const caller = { signal: over.signal, isForEditor: true };
	const result = await client.request(caller, request, { first: found.next, enough: wanted, ends });
	if (typeof result === 'object') found.next = rowsOf(context, result).next;
	return found;
}
