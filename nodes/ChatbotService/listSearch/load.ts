import {
	NodeApiError,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type JsonObject,
} from 'n8n-workflow';

import { credentialType, readAccount } from '../client/account';
import type { ServiceAnswer } from '../client/answer';
import { Client } from '../client/client';
import type { Failure } from '../client/failure';
import type { Part } from '../client/pages';
import type { WireParameter } from '../client/placement';
import type { Selection } from '../client/request';
import type { Done, Result } from '../client/result';
import { isEmpty } from '../client/values';
import type { Field, Operation } from '../resources/operation';
import { labelsOf, requestOf } from '../resources/request';

/* Shared code of the editor's lists: it requests their entries and explains why a list is empty. */

/** Pages that a search reads for one request of the editor. */
const mostPages = 10;

const latest = new Map<string, object>();

/**
 * Whether a search is to end after a page, with a token for the next one. The editor starts another search whenever the user pauses,
 * and drops what the older ones find.
 */
function endsOf(list: string): () => boolean {
	const search = {};
	latest.set(list, search);
	let pages = 0;
	return () => ++pages >= mostPages || latest.get(list) !== search;
}

/**
 * Requests the entries of a list, all of them by default.
 *
 * @param operation that reads them
 * @param selection of a search
 * @param part.owner field that the user must fill in first, because the entries belong to what it names
 * @throws NodeApiError that says what is wrong and what to do
 */
export async function load(
	context: ILoadOptionsFunctions,
	operation: Operation,
	{ owner, selection, ...part }: Part & { owner?: Field; selection?: Selection },
): Promise<Done> {
	const fields = owner ? [owner] : [];
	const request = requestOf(operation, {
		parameters: fields.map((field) => ({
			name: field.routing!.send.property,
			value: valueOf(context, field),
		})),
		labels: labelsOf(operation, fields),
		limits: {},
		selection,
	});
	const account = readAccount(await context.getCredentials(credentialType));
	const send = context.helpers.httpRequestWithAuthentication.bind(context, credentialType);
	const client = new Client(account, async (options) => (await send(options)) as ServiceAnswer);
	// Only the entries of a search are loaded in several requests.
	const ends = selection && endsOf(`${account.key} ${request.url}`);
	// For the scheduler, each list is a separate run. The editor cannot stop a list while it loads, so there is a result.
	const caller = { signal: new AbortController().signal, isForEditor: true };
	const result = (await client.ask(caller, request, ends ? { ...part, ends } : part)) as Result;
	if ('failure' in result) throw notLoaded(context, result.failure);
	return result;
}

/** The value of a field as it is sent. @throws NodeApiError if it is empty or invalid */
function valueOf(context: ILoadOptionsFunctions, field: Field): WireParameter['value'] {
	const { name, displayName: label, kind } = field;
	const value = context.getCurrentNodeParameter(name, { extractValue: true });
	if (isEmpty(value)) throw notLoaded(context, fillInFirst(label));
	const checked = kind!(value, label);
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
	value: unknown;
	name: unknown;
	/** Shown after the name, in parentheses. */
	detail?: unknown;
}

/** The entries that contain the search text. The editor cuts off long ones. */
export const matching = (entries: Entry[], filter = ''): INodeListSearchItems[] =>
	entries
		.filter(({ value }) => !isEmpty(value))
		.map((entry) => ({ name: titleOf(entry), value: entry.value as string | number }))
		.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()));

/** What the editor shows of an entry. */
export function titleOf({ value, name, detail }: Entry): string {
	if (isEmpty(name)) return String(value);
	return isEmpty(detail) ? String(name) : `${String(name)} (${String(detail)})`;
}
