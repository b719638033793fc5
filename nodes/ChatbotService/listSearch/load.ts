import {
	NodeApiError,
	type IDataObject,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type JsonObject,
} from 'n8n-workflow';

import { credentialType, readAccount } from '../client/credential/account';
import type { ServiceAnswer } from '../client/http/answer';
import { Client } from '../client/client';
import type { Failure } from '../client/failure/failure';
import type { WireParameter } from '../client/http/placement';
import type { Done, Result } from '../client/failure/result';
import { isEmpty } from '../shared/values';
import { checkAs } from '../resources/kind';
import type { Field, Operation } from '../resources/operation';
import { requestFor } from '../resources/operationRequest';

/* How the entries of the editor's lists are requested, all of them or by a search, and why a list is empty. */

/**
 * How to request the entries of a list.
 *
 * @param operation that reads them
 * @param owner field that the user must fill in first, because the entries belong to what it names
 * @returns also a key, which is equal for all that load this list
 * @throws NodeApiError that says what is wrong and what to do
 */
async function listOf(context: ILoadOptionsFunctions, operation: Operation, owner?: Field) {
	const request = owner ? requestFor(operation, [owner, valueOf(context, owner)]) : requestFor(operation);
	const account = readAccount(await context.getCredentials(credentialType));
	const send = context.helpers.httpRequestWithAuthentication.bind(context, credentialType);
	const client = new Client(account, async (options) => (await send(options)) as ServiceAnswer);
	return { client, request, key: JSON.stringify([account.key, request.url, request.parameters]) };
}

/** Requests all entries of a list. For the scheduler, each list is a separate run. Parameters and errors: `listOf`. */
export async function load(...list: Parameters<typeof listOf>): Promise<Done> {
	const { client, request } = await listOf(...list);
	const caller = { signal: new AbortController().signal, isForEditor: true };
	// Nobody stops it, so there is a result.
	return rowsOf(list[0], (await client.request(caller, request)) as Result);
}

/** @throws NodeApiError if the list could not be loaded */
function rowsOf(context: ILoadOptionsFunctions, result: Result): Done {
	if ('failure' in result) throw notLoaded(context, result.failure);
	return result;
}

/** The value of a field as it is sent. @throws NodeApiError if it is empty or invalid */
function valueOf(context: ILoadOptionsFunctions, field: Field): WireParameter['value'] {
	const { name, displayName: label, kind } = field;
	const value = context.getCurrentNodeParameter(name, { extractValue: true });
	if (isEmpty(value)) throw notLoaded(context, fillInFirst(label));
	const checked = checkAs(kind!, value, label);
	if ('value' in checked) return checked.value;
	throw notLoaded(context, {
		message: checked.problems[0]!.message,
		description: `Correct '${label}', or choose another mode beside this field and type the value.`,
	});
}

/** The list needs the value of another field. @param label of that field */
export const fillInFirst = (label: string) => ({
	message: `Fill in '${label}' first`,
	description: `The list shows what belongs to it. If '${label}' comes from another node, run that node first. You can also type the value: choose another mode beside this field.`,
});

/** The editor shows message and description only of this class. For 401 and 403 it links to the credential. */
const notLoaded = (
	context: ILoadOptionsFunctions,
	{ message, description, status }: Pick<Failure, 'message' | 'description' | 'status'>,
) =>
	new NodeApiError(context.getNode(), {} as JsonObject, {
		message,
		description,
		...(status === 401 || status === 403 ? { httpCode: String(status) } : {}),
	});

/** An entry of a list, as the service returns it. */
export interface Entry {
	/** The value that the user picks. */
	value: unknown;
	name: unknown;
	/** Shown after the name, in parentheses. */
	detail?: unknown;
}

/** The entries that contain the search text, without the blanks around it. The editor cuts off long ones. */
export const matching = (entries: Entry[], filter = ''): INodeListSearchItems[] =>
	entries
		.filter(({ value }) => !isEmpty(value))
		.map((entry) => ({ name: titleOf(entry), value: entry.value as string | number }))
		.filter(({ name }) => name.toLowerCase().includes(filter.trim().toLowerCase()));

/** What the editor shows of an entry. */
export function titleOf({ value, name, detail }: Entry): string {
	if (isEmpty(name)) return String(value);
	return isEmpty(detail) ? String(name) : `${String(name)} (${String(detail)})`;
}

/** Pages that a search reads for one request of the editor. */
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
 * Requests the rows of a list that match a text. The service cannot search, so the node reads page after page. The editor starts a search
 * whenever the person pauses in typing, and asks for the rest of one only when the person scrolls. Therefore a search for a longer text
 * goes on where the one before has come to: what the shorter text has left out does not match either.
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
