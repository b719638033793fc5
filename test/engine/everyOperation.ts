import type { INode, INodeExecutionData, INodeParameters } from 'n8n-workflow';

import { SEEDED, type RecordedRequest, type Service } from '../../sandbox/service';
import { credentialFor, runNode, type RunOptions, type RunResult } from './harness';

/* Every operation in every error mode, once each, for whatever the service does to all of them. */

export const modes: Array<[string, INode['onError']]> = [
	['stop', undefined],
	['continue', 'continueRegularOutput'],
	['error output', 'continueErrorOutput'],
];

export interface Tried {
	method: string;
	parameters: INodeParameters;
	/** Whether it may be repeated when nobody knows whether it was done. */
	harmless: boolean;
	/** 'schema': what changes something, and answers with it. */
	answersWith: 'data' | 'done' | 'deleted' | 'schema';
	/** What is said first when nobody knows whether it was done, and asking again may help. */
	unknown: string;
	/** What is said when the service finds nothing. */
	missing: string;
}

const nothingChanged = 'Nothing was changed. Try again later.';
const noContact = 'No contact with this ID in this account';
const noTag = 'No contact with this ID or no tag with this name in this account';
const noBot = 'No bot with this ID in this account';
const noList = 'No list with this ID in this account';

/** What is said first of a message when nobody knows whether it was sent. */
export const unknownMessage =
	'The message may have been sent, so the node did not send it again. Check the chat first.';
/** The same of a tag. */
export const unknownTag =
	'The tag may have been attached. Attaching it again does no harm: run this item again later.';

const { contacts, bots, schemas } = SEEDED;
const contactId = String(contacts.telegram);
const pick = (mode: string, value: string) => ({ __rl: true, mode, value }) as never;

/** A list that no other operation needs, as all of them run at once. */
const listToDelete = '5dee4800c2cc5a38ec797237';

export const operations: Tried[] = [
	[
		'getBotTags',
		true,
		'data',
		nothingChanged,
		noBot,
		{ resource: 'tag', operation: 'getManyByBot', botId: String(bots.school) },
	],
	[
		'getContactTags',
		true,
		'data',
		nothingChanged,
		noContact,
		{ resource: 'tag', operation: 'getManyByContact', contactId },
	],
	[
		'attachTagToContact',
		true,
		'done',
		unknownTag,
		noTag,
		{ resource: 'tag', operation: 'attach', contactId, tagName: pick('name', 'VIP') },
	],
	[
		'detachTagFromContact',
		true,
		'done',
		'The tag may have been detached. Detaching it again does no harm: run this item again later.',
		noTag,
		{ resource: 'tag', operation: 'detach', contactId, tagName: pick('name', 'VIP') },
	],
	[
		'getContactVariables',
		true,
		'data',
		nothingChanged,
		noContact,
		{ resource: 'contactVariable', operation: 'getAll', contactId },
	],
	[
		'setContactVariable',
		true,
		'done',
		'The variable may have been set. Setting it again does no harm: run this item again later.',
		noContact,
		{
			resource: 'contactVariable',
			operation: 'upsert',
			contactId,
			variableName: pick('name', 'Уровень'),
			variableValue: 'B2',
		},
	],
	[
		'deleteContactVariable',
		false,
		'deleted',
		'The variable may have been deleted, so the node did not try again. Look at the variables of the contact first.',
		'No contact with this ID or no variable with this name in this account',
		{ resource: 'contactVariable', operation: 'delete', contactId, variableName: pick('name', 'Город') },
	],
	[
		'sendMessage',
		false,
		'done',
		unknownMessage,
		noContact,
		{ resource: 'message', operation: 'send', contactId, text: 'Здравствуйте' },
	],
	[
		'sendMessageToWhatsApp',
		false,
		'done',
		unknownMessage,
		noBot,
		{
			resource: 'message',
			operation: 'sendToWhatsApp',
			botId: String(bots.school),
			phone: '+79035550101',
			text: 'Здравствуйте',
		},
	],
	[
		'getListSchemas',
		true,
		'data',
		nothingChanged,
		'The service has nothing at this address',
		{ resource: 'listSchema', operation: 'getAll' },
	],
	[
		'getListSchema',
		true,
		'data',
		nothingChanged,
		noList,
		{ resource: 'listSchema', operation: 'get', schemaId: pick('id', schemas.reviews) },
	],
	[
		'createListSchema',
		false,
		'schema',
		'The list may have been created, so the node did not create it again. Look at the lists in the service first.',
		noBot,
		{ resource: 'listSchema', operation: 'create', listName: 'Новый список', botId: String(bots.school) },
	],
	[
		'addListSchemaField',
		false,
		'done',
		'The field may have been added, so the node did not add it again. Look at the fields of the list first.',
		noList,
		{
			resource: 'listSchema',
			operation: 'addField',
			schemaId: pick('id', schemas.orders),
			fieldName: 'Визиты',
			newFieldSlug: 'visits',
			fieldType: 'number',
		},
	],
	[
		'deleteListSchemaField',
		false,
		'deleted',
		'The field may have been deleted, so the node did not try again. Look at the fields of the list first.',
		'No list with this ID or no field with this slug in this account',
		{
			resource: 'listSchema',
			operation: 'deleteField',
			schemaId: pick('id', schemas.orders),
			fieldSlug: pick('slug', 'phone'),
		},
	],
	[
		'deleteListSchema',
		false,
		'deleted',
		'The list may have been deleted, so the node did not try again. Look at the lists in the service first.',
		noList,
		{ resource: 'listSchema', operation: 'delete', schemaId: pick('id', listToDelete) },
	],
].map(
	([method, harmless, answersWith, unknown, missing, parameters]) =>
		({ method, harmless, answersWith, unknown, missing, parameters }) as Tried,
);

/** What became of one operation in one mode. */
export interface Attempt extends Tried {
	mode: string;
	onError: INode['onError'];
	/** Names it, for what a test expects of it. */
	context: string;
	result: RunResult;
	/** Its requests, in the order they arrived. */
	sent: RecordedRequest[];
	/** Items of the output that failures go to. */
	rows: INodeExecutionData[];
	/** Title and text of its failure, as the mode shows them; of undefined where there is none. */
	said: [title: unknown, text: unknown];
}

/**
 * Runs all at once, so that the waits between repetitions pass only once.
 *
 * @param services one for each mode
 */
export async function runEach(
	services: Service[],
	options: { chosen?: Tried[]; requestOptions?: INodeParameters; credential?: Record<string, unknown> } = {},
): Promise<Attempt[]> {
	const { chosen = operations, requestOptions = {}, credential = {} } = options;
	const attempts = modes.flatMap(([mode, onError], place) =>
		chosen.map(async (tried): Promise<Attempt> => {
			const service = services[place]!;
			const { method, parameters } = tried;
			const run: RunOptions = {
				parameters: { ...parameters, requestOptions },
				credential: credentialFor(service, credential),
				items: [{ lead: method }],
				node: { onError },
			};
			const result = await runNode(run);
			const { outputs, error } = result;
			const rows = outputs[mode === 'error output' && outputs[1]?.length ? 1 : 0] ?? [];
			const failed = rows[0]?.json;
			return {
				...tried,
				mode,
				onError,
				context: `${method}, ${mode}`,
				result,
				sent: service.requests.filter(({ operation }) => operation === method),
				rows,
				said: onError ? [failed?.error, failed?.message] : [error?.message, error?.description],
			};
		}),
	);
	return await Promise.all(attempts);
}
