import {
	NodeApiError,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type JsonObject,
} from 'n8n-workflow';

import { readAnswer, type ReadAnswer, type ServiceAnswer } from '../request/answer';
import { readAccount } from '../request/credential';
import type { Failure } from '../request/failure';
import { kinds } from '../request/kinds';
import { isEmpty } from '../shared/values';
import { withoutToken } from '../request/secrets';
import { readTransportError } from '../request/transport';
import { forPace, turnsOf } from '../request/turn';
import type { AnswerShape } from '../shared/operation';
import { baseUrlOf } from '../shared/baseUrl';

/* What the lists in the editor have in common: asking the service, and saying in words why there is nothing to pick. */

/** What the entries of a list belong to: the parameter that has to be filled in first. */
export interface Owner {
	parameter: string;
	label: string;
	/** As the service calls it. */
	wireName: string;
}

export const bot: Owner = { parameter: 'botId', label: 'Bot ID', wireName: 'bot_id' };
export const contact: Owner = { parameter: 'contactId', label: 'Contact ID', wireName: 'contact_id' };
export const list: Owner = { parameter: 'schemaId', label: 'List', wireName: 'schema_id' };

/** Rows of one page, and the number of the next page if there is one. */
export interface Loaded {
	rows: IDataObject[];
	nextPage: number | undefined;
}

/**
 * Asks the service for what a list offers.
 *
 * @param url of the method, such as `/getListSchemas`
 * @throws NodeApiError that says what is wrong and what to do
 */
export async function load(
	context: ILoadOptionsFunctions,
	url: string,
	{ owner, page, shape = 'many' }: { owner?: Owner; page?: number; shape?: AnswerShape },
): Promise<Loaded> {
	const query: IDataObject = { ...(owner && ownerIn(context, owner)), ...(page && page > 1 && { page }) };
	const credential = await context.getCredentials('chatbotServiceApi');
	const account = readAccount(credential);
	const turns = turnsOf(account.key);
	turns.shareAmong(account.workers);
	// The lists keep the account's pace, as a run of their own.
	const taken = await turns.take({}, account.limits, false, async () =>
		forPace(await ask(context, credential, url, query, { owner, shape })),
	);
	if ('rows' in taken!) {
		const { rows, page: found } = withoutToken(taken, account.token);
		return { rows, nextPage: found && found.current < found.last ? found.current + 1 : undefined };
	}
	throw notLoaded(context, withoutToken(forList(taken!.failure, owner), account.token));
}

async function ask(
	context: ILoadOptionsFunctions,
	credential: ICredentialDataDecryptedObject,
	url: string,
	query: IDataObject,
	{ owner, shape }: { owner?: Owner; shape: AnswerShape },
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
		return readAnswer(answer, shape, new Map(owner && [[owner.wireName, owner.label]]), Date.now());
	} catch (error) {
		return { failure: readTransportError(error) };
	}
}

/** The owner as it travels. @throws NodeApiError when it is empty or cannot be one */
function ownerIn(context: ILoadOptionsFunctions, { parameter, label, wireName }: Owner): IDataObject {
	const value = context.getCurrentNodeParameter(parameter, { extractValue: true });
	if (isEmpty(value)) {
		throw notLoaded(context, {
			message: `Fill in '${label}' first`,
			description: `The list shows what belongs to it. When '${label}' comes from another node, run that node first. You can also type the value: choose another mode beside this field.`,
		});
	}
	const checked = kinds[wireName]!(value, label);
	if ('value' in checked) return { [wireName]: checked.value };
	throw notLoaded(context, {
		message: checked.problems[0]!.message,
		description: `Correct '${label}', or choose another mode beside this field and type the value.`,
	});
}

/** Nothing found means one thing only where one thing was asked for. */
const forList = (failure: Failure, owner: Owner | undefined): Failure =>
	failure.status === 404 && owner
		? { ...failure, message: `The service knows nothing under this '${owner.label}'` }
		: failure;

/** The editor shows message and description only of this class, and for 401 and 403 a link to the credential. */
const notLoaded = (
	context: ILoadOptionsFunctions,
	{ message, description, status }: Pick<Failure, 'message' | 'description' | 'status'>,
) =>
	new NodeApiError(context.getNode(), {} as JsonObject, {
		message,
		description,
		...(status === 401 || status === 403 ? { httpCode: String(status) } : {}),
	});

/** Entries whose name holds what the user typed into the search box. */
export const matching = (
	entries: INodeListSearchItems[],
	filter: string | undefined,
): INodeListSearchItems[] =>
	filter ? entries.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase())) : entries;
