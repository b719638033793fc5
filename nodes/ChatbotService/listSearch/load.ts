import {
	NodeApiError,
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

/* Shared code of the editor's lists: it requests their entries and explains why a list is empty. */

/**
 * How to request the entries of a list.
 *
 * @param operation that reads them
 * @param owner field that the user must fill in first, because the entries belong to what it names
 * @returns also a key, which is equal for all that load this list
 * @throws NodeApiError that says what is wrong and what to do
 */
export async function listOf(context: ILoadOptionsFunctions, operation: Operation, owner?: Field) {
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
export function rowsOf(context: ILoadOptionsFunctions, result: Result): Done {
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
