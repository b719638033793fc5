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
	const { key, client, request } = await listOf(context, operation, owner);
	if (first === undefined) {
		const before = latest.get(key);
		for (const [each, { readAt }] of latest) if (found.readAt - readAt > keptMs) latest.delete(each);
		const isLonger = before && text !== before.text && text.startsWith(before.text);
		// Nobody waits for it any more: n8n does not tell whether it is another person who searches now. Opening the list is no search.
		if (text) before?.over.abort();
		if (isLonger && found.readAt - before.readAt < keptMs)
			Object.assign(found, { rows: before.rows.filter(matches), next: before.next });
		latest.set(key, found);
	}
	if (found.next === undefined || found.rows.length >= enough) return found;
	const caller = { signal: over.signal, isForEditor: true };
	let pages = 0;
	for await (const page of client.pages(caller, request, { first: found.next })) {
		if (typeof page === 'string') break;
		const { rows, next } = rowsOf(context, page);
		// When others are added meanwhile, a row moves to a page that is read later.
		const isNew = ({ id }: IDataObject) => !found.rows.some((each) => each.id === id);
		found.rows.push(...rows.filter((row) => isNew(row) && matches(row)));
		Object.assign(found, { next, readAt: Date.now() });
		if (found.rows.length >= enough || ++pages >= mostPages) break;
	}
	return found;
}
