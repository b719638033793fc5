import type { INode, INodeParameters } from 'n8n-workflow';

import { SEEDED, startService, type Fault, type Service } from '../../sandbox/service';
import { endpoints } from '../description/table';
import { runNode } from './harness';

/*
 * Every operation, every fault, every error mode: how often the request left, what came out, and what it says. The modes
 * have a service each, and all operations run at once, so that the waits between repetitions pass only once.
 */

const modes: Array<[string, INode['onError']]> = [
	['stop', undefined],
	['continue', 'continueRegularOutput'],
	['error output', 'continueErrorOutput'],
];

let services: Service[];
beforeAll(async () => {
	services = await Promise.all(modes.map(async () => await startService()));
});
afterEach(() => services.forEach((service) => service.reset()));
afterAll(async () => await Promise.all(services.map(async (service) => await service.stop())));

const { contacts, bots, schemas } = SEEDED;
const contactId = String(contacts.telegram);
const pick = (mode: string, value: string) => ({ __rl: true, mode, value }) as never;

interface Tried {
	method: string;
	parameters: INodeParameters;
	harmless: boolean;
	answersWith: 'data' | 'done';
}

const operations: Tried[] = [
	['getBotTags', true, 'data', { resource: 'tag', operation: 'getManyByBot', botId: String(bots.school) }],
	['getContactTags', true, 'data', { resource: 'tag', operation: 'getManyByContact', contactId }],
	[
		'attachTagToContact',
		true,
		'done',
		{ resource: 'tag', operation: 'attach', contactId, tagName: pick('name', 'VIP') },
	],
	[
		'detachTagFromContact',
		true,
		'done',
		{ resource: 'tag', operation: 'detach', contactId, tagName: pick('name', 'VIP') },
	],
	['getContactVariables', true, 'data', { resource: 'contactVariable', operation: 'getAll', contactId }],
	[
		'setContactVariable',
		true,
		'done',
		{
			resource: 'contactVariable',
			operation: 'upsert',
			contactId,
			variableName: pick('name', 'Город'),
			variableValue: 'Тверь',
		},
	],
	[
		'deleteContactVariable',
		false,
		'done',
		{ resource: 'contactVariable', operation: 'delete', contactId, variableName: pick('name', 'Город') },
	],
	['sendMessage', false, 'done', { resource: 'message', operation: 'send', contactId, text: 'Здравствуйте' }],
	[
		'sendMessageToWhatsApp',
		false,
		'done',
		{
			resource: 'message',
			operation: 'sendToWhatsApp',
			botId: String(bots.school),
			phone: '+79035550101',
			text: 'Здравствуйте',
		},
	],
	['getListSchemas', true, 'data', { resource: 'listSchema', operation: 'getAll' }],
	[
		'getListSchema',
		true,
		'data',
		{ resource: 'listSchema', operation: 'get', schemaId: pick('id', schemas.reviews) },
	],
	[
		'createListSchema',
		false,
		'done',
		{ resource: 'listSchema', operation: 'create', listName: 'Новый список' },
	],
	[
		'addListSchemaField',
		false,
		'done',
		{
			resource: 'listSchema',
			operation: 'addField',
			schemaId: pick('id', schemas.reviews),
			fieldName: 'Визиты',
			newFieldSlug: 'visits',
			fieldType: 'number',
		},
	],
	[
		'deleteListSchemaField',
		false,
		'done',
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
		'done',
		{ resource: 'listSchema', operation: 'delete', schemaId: pick('id', schemas.reviews) },
	],
].map(
	([method, harmless, answersWith, parameters]) => ({ method, harmless, answersWith, parameters }) as Tried,
);

test('no operation is missing here', () => {
	expect(operations.map(({ method }) => method).sort()).toEqual(endpoints);
});

interface Outcome {
	fault: Fault;
	message: RegExp;
	/** What the description says beside the advice. */
	says?: RegExp;
	/** How often the request leaves when repeating is harmless; once otherwise. */
	attempts?: 3;
	/** Only operations that answer with data take it for a fault. */
	onlyForData?: true;
}

const faults: Array<[string, Outcome]> = [
	[
		'a 500',
		{ fault: { kind: 'server error' }, message: /failed to process/, says: /may have done it/, attempts: 3 },
	],
	[
		'a 503',
		{ fault: { kind: 'unavailable' }, message: /failed to process/, says: /may have done it/, attempts: 3 },
	],
	['a reset', { fault: { kind: 'reset' }, message: /broke off/, says: /may have done it/, attempts: 3 }],
	[
		'a time-out',
		{ fault: { kind: 'timeout', when: 'before' }, message: /in time/, says: /may have done it/, attempts: 3 },
	],
	[
		'cut-off JSON',
		{
			fault: { kind: 'malformed', when: 'before' },
			message: /cannot be read/,
			says: /It answered/,
			attempts: 3,
		},
	],
	[
		'nothing',
		{ fault: { kind: 'empty', when: 'before' }, message: /with nothing/, attempts: 3, onlyForData: true },
	],
	['a page', { fault: { kind: 'html' }, message: /web page/, says: /Base URL/ }],
	[
		'a page under 502',
		{
			fault: { kind: 'html', status: 502 },
			message: /failed to process/,
			says: /may have done it/,
			attempts: 3,
		},
	],
	['Forbidden under 200', { fault: { kind: 'forbidden' }, message: /refused access/, says: /"Forbidden"/ }],
	['a redirect', { fault: { kind: 'redirect' }, message: /redirected/, says: /login page/ }],
	[
		'a long Retry-After',
		{ fault: { kind: 'too many', retryAfter: 900 }, message: /limit of requests/, says: /Too Many/ },
	],
	[
		'a refusal of the values',
		{
			fault: {
				kind: 'answer',
				status: 422,
				body: { message: 'The given data was invalid.', errors: { _: ['Так нельзя.'] } },
			},
			message: /refused the value/,
			says: /Так нельзя\./,
		},
	],
];

test.each(faults)(
	'%s',
	async (_name, { fault, message, says, attempts = 1, onlyForData }) => {
		const tried = modes.flatMap(([mode, onError], place) =>
			operations.map((operation) => ({ mode, onError, service: services[place]!, ...operation })),
		);
		for (const service of services) service.faults.add(fault);
		const results = await Promise.all(
			tried.map(
				async ({ method, parameters, onError, service }) =>
					await runNode({
						parameters: { ...parameters, requestOptions: fault.kind === 'timeout' ? { timeout: 3000 } : {} },
						credential: {
							baseUrl: service.url,
							token: service.token,
							tokenPlacement: 'query',
							tokenName: 'api_token',
							requestsPerSecond: 0,
							workers: 1,
						},
						items: [{ lead: method }],
						node: { onError },
					}),
			),
		);

		for (const [index, { method, mode, onError, service, harmless, answersWith }] of tried.entries()) {
			const { run, outputs, error } = results[index]!;
			const context = `${method}, ${mode}`;
			const sent = service.requests.filter(({ operation }) => operation === method);
			expect([context, JSON.stringify(run).includes(service.token)]).toEqual([context, false]);
			if (onlyForData && answersWith === 'done') {
				expect([context, sent.length, error, outputs[0]!.length]).toEqual([context, 1, undefined, 1]);
				continue;
			}
			expect([context, sent.length]).toEqual([context, harmless ? attempts : 1]);
			const failed = outputs[mode === 'error output' ? 1 : 0]?.[0];
			const [title, text] = onError
				? [failed?.json.error, failed?.json.message]
				: [error?.message, error?.description];
			expect([context, title]).toEqual([context, expect.stringMatching(message)]);
			expect([context, title]).toEqual([context, expect.stringContaining('[Item 0]')]);
			if (says) expect([context, text]).toEqual([context, expect.stringMatching(says)]);
			if (onError) expect([context, failed?.pairedItem]).toEqual([context, { item: 0 }]);
			if (mode === 'error output') {
				expect([context, failed?.json.lead, outputs[0]]).toEqual([context, method, []]);
			}
		}
	},
	90_000,
);
