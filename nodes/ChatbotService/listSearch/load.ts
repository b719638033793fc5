import {
	NodeOperationError,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
} from 'n8n-workflow';

import { readAnswer, type ReadAnswer, type ServiceAnswer } from '../request/answer';
import { readAccount } from '../request/credential';
import { isEmpty } from '../request/kinds';
import { withoutToken } from '../request/secrets';
import { readTransportError } from '../request/transport';
import { forPace, turnsOf } from '../request/turn';
import type { AnswerShape } from '../shared/operation';
import { baseUrlOf } from '../shared/baseUrl';

/* What the lists in the editor have in common: asking the service, and saying in words why there is nothing to pick. */

/** Rows of one page, and the number of the next page if there is one. */
export interface Loaded {
	rows: IDataObject[];
	nextPage: number | undefined;
}

/**
 * Asks the service for what a list offers.
 *
 * @param url of the method, such as `/getListSchemas`
 * @throws NodeOperationError that says what is wrong and what to do
 */
export async function load(
	context: ILoadOptionsFunctions,
	url: string,
	query: IDataObject,
	shape: AnswerShape = 'many',
): Promise<Loaded> {
	const credential = await context.getCredentials('chatbotServiceApi');
	const account = readAccount(credential);
	const turns = turnsOf(account.key);
	turns.shareAmong(account.workers);
	// The lists keep the account's pace, as a run of their own.
	const taken = await turns.take({}, account.limits, false, async () =>
		forPace(await ask(context, credential, url, query, shape)),
	);
	if ('rows' in taken!) {
		const { rows, page } = withoutToken(taken, account.token);
		return { rows, nextPage: page && page.current < page.last ? page.current + 1 : undefined };
	}
	const { message, description } = withoutToken(taken!.failure, account.token);
	throw new NodeOperationError(context.getNode(), message, { description });
}

async function ask(
	context: ILoadOptionsFunctions,
	credential: ICredentialDataDecryptedObject,
	url: string,
	query: IDataObject,
	shape: AnswerShape,
): Promise<ReadAnswer> {
	try {
		const answer = (await context.helpers.httpRequestWithAuthentication.call(context, 'chatbotServiceApi', {
			method: 'GET',
			baseURL: baseUrlOf(credential.baseUrl),
			url,
			qs: query,
			headers: { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' },
			disableFollowRedirect: true,
			ignoreHttpStatusErrors: true,
			returnFullResponse: true,
		})) as ServiceAnswer;
		return readAnswer(answer, shape, new Map(), Date.now());
	} catch (error) {
		return { failure: readTransportError(error) };
	}
}

/**
 * A parameter that the list needs first.
 *
 * @param label of the field, for the message
 * @throws NodeOperationError when it is empty
 */
export function needed(context: ILoadOptionsFunctions, parameter: string, label: string): string | number {
	const value = context.getCurrentNodeParameter(parameter, { extractValue: true });
	if (!isEmpty(value)) return value as string | number;
	throw new NodeOperationError(context.getNode(), `Fill in '${label}' first`, {
		description: `The list shows what belongs to it. You can also type the value: choose another mode beside the field.`,
	});
}

/** Entries whose name holds what the user typed into the search box. */
export const matching = (
	entries: INodeListSearchItems[],
	filter: string | undefined,
): INodeListSearchItems[] =>
	filter ? entries.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase())) : entries;
