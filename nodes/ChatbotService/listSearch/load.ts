import {
	NodeApiError,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type JsonObject,
} from 'n8n-workflow';

import { credentialType, readAccount } from '../client/account';
import type { ServiceAnswer } from '../client/answer';
import { Client, type Page, type ServiceRequest } from '../client/client';
import type { Failure } from '../client/failure';
import type { WireParameter } from '../client/placement';
import { isEmpty } from '../client/values';
import { expectedBy, type Field, type Operation } from '../resources/operation';

/* What the lists in the editor have in common: asking the service, and saying in words why there is nothing to pick. */

/**
 * Asks the service for what a list offers.
 *
 * @param operation that reads it
 * @param owner the field that has to be filled in first: what the entries of the list belong to
 * @throws NodeApiError that says what is wrong and what to do
 */
export async function load(
	context: ILoadOptionsFunctions,
	operation: Operation,
	{ owner, page = 1 }: { owner?: Field; page?: number },
): Promise<Page> {
	const parameters = owner ? [ownerIn(context, owner)] : [];
	const { method, url } = operation.option.routing!.request as Pick<ServiceRequest, 'method' | 'url'>;
	const account = readAccount(await context.getCredentials(credentialType));
	const client = new Client(
		account,
		async (options) =>
			(await context.helpers.httpRequestWithAuthentication.call(
				context,
				credentialType,
				options,
			)) as ServiceAnswer,
	);
	const request: ServiceRequest = {
		method,
		url,
		parameters,
		longInBody: false,
		answer: operation.answer,
		labels: {
			all: new Map(owner && [[owner.routing!.send.property, owner.displayName]]),
			expected: owner ? expectedBy(owner) : [],
		},
		idempotent: operation.idempotent,
		advice: {},
		limits: {},
	};
	// Nobody can stop a list from loading; it keeps the account's pace as a run of its own.
	const outcome = await client.askPage({ signal: new AbortController().signal }, request, page);
	if (typeof outcome === 'object' && 'rows' in outcome) return outcome;
	throw notLoaded(context, (outcome as { failure: Failure }).failure);
}

/** The owner as it travels. @throws NodeApiError when it is empty or cannot be one */
function ownerIn(
	context: ILoadOptionsFunctions,
	{ name, displayName: label, routing, kind }: Field,
): WireParameter {
	const value = context.getCurrentNodeParameter(name, { extractValue: true });
	if (isEmpty(value)) {
		throw notLoaded(context, {
			message: `Fill in '${label}' first`,
			description: `The list shows what belongs to it. If '${label}' comes from another node, run that node first. You can also type the value: choose another mode beside this field.`,
		});
	}
	const checked = kind!(value, label);
	if ('value' in checked) return { name: routing!.send.property, place: 'query', value: checked.value };
	throw notLoaded(context, {
		message: checked.problems[0]!.message,
		description: `Correct '${label}', or choose another mode beside this field and type the value.`,
	});
}

/** The editor shows message and description only of this class, and for 401 and 403 a link to the credential. */
export const notLoaded = (
	context: ILoadOptionsFunctions,
	{ message, description, status }: Pick<Failure, 'message' | 'description' | 'status'>,
) =>
	new NodeApiError(context.getNode(), {} as JsonObject, {
		message,
		description,
		...(status === 401 || status === 403 ? { httpCode: String(status) } : {}),
	});

/** An entry of a list, as the service answers it. */
export interface Entry {
	/** What is picked. */
	value: unknown;
	name: unknown;
	/** Stands behind the name, in brackets. */
	detail?: unknown;
}

/** Entries that hold what the user typed into the search box. Texts that run long are shortened, where the search finds them whole. */
export const matching = (entries: Entry[], filter = ''): INodeListSearchItems[] =>
	entries
		.filter(({ value }) => !isEmpty(value))
		.filter((entry) => titleOf(entry, whole).toLowerCase().includes(filter.toLowerCase()))
		.map((entry) => ({ name: titleOf(entry, shortened), value: entry.value as string | number }));

function titleOf({ value, name, detail }: Entry, written: (text: unknown) => string): string {
	if (isEmpty(name)) return written(value);
	return isEmpty(detail) ? written(name) : `${written(name)} (${written(detail)})`;
}

const whole = (text: unknown) => String(text).replace(/\s+/g, ' ').trim();

/** In characters; a longer text fills the list with one entry. */
const longestText = 60;

/** Ends in an ellipsis where it is cut, never within an emoji. */
function shortened(text: unknown): string {
	const characters = [...whole(text)];
	return characters.length > longestText
		? `${characters.slice(0, longestText).join('').trimEnd()}…`
		: characters.join('');
}
