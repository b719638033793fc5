import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { SEEDED } from '../../sandbox/emulator';
import { parametersOf, travelling, valueAt, variants } from '../operations';
import { pasted, spellingsOfOnePerson, type PastedInto } from '../pasted/values';
import { callAsTool, credentialFor, loadList, runNode, useEmulator } from './harness';
import { lettersFor, send } from './messages';
import { came, withOnce } from './once';

/* Pasted values in a run of the real engine: which are sent and how, and how the others are reported. */

const service = useEmulator();

/** Objects that serialize to a JSON string are dates, of JavaScript or of Luxon, which isolates copy as plain objects. */
const isDate = (value: unknown) => typeof (value as { toJSON?: unknown } | null)?.toJSON === 'function';

/** Values that items can hold, and that all expression engines of n8n return in the same way. */
const isInItems = (value: unknown) => value !== undefined && !Number.isNaN(value) && !isDate(value);

const variantOf = ({ variant }: PastedInto) => variants.find(({ title }) => title === variant)!;

/** The node with one field that takes its value from the items. */
const parametersWith = (into: PastedInto, changes: Record<string, unknown> = {}): INodeParameters =>
	parametersOf(variantOf(into), { limit: 7, ...changes, [into.field]: '={{ $json.value }}' });

const run = async (parameters: INodeParameters, values: unknown[], credential = {}) =>
	await runNode({
		parameters,
		credential: credentialFor(service, credential),
		items: values.map((value) => ({ value }) as IDataObject),
		node: { onError: 'continueErrorOutput' },
	});

const titled = pasted.map((into) => [into.label, into.variant, into] as const);

test.each(titled)(
	'a refused value of %s of %s fails its own item, and nothing is sent for it',
	async (_, __, into) => {
		const values = into.refused.map(([value]) => value).filter(isInItems);
		const { outputs, error } = await run(parametersWith(into), values);
		expect(error).toBeUndefined();
		expect(outputs[0]).toEqual([]);
		expect(outputs[1]!.map(({ pairedItem }) => pairedItem)).toEqual(values.map((_value, item) => ({ item })));
		for (const { json } of outputs[1]!) expect(json.error).toContain(`'${into.label}`);
		expect(service.requests).toEqual([]);
	},
);

/** Values that are sent without waiting for the limit of a messenger. */
const unpaced = titled.filter(
	([label, variant]) =>
		/^(?:tag|contactVariable|listSchema)\//.test(variant) &&
		!['Return All', 'Limit', 'Variable'].includes(label),
);

test.each(unpaced)('all accepted spellings of %s of %s are sent in one form', async (_, __, into) => {
	const taken = into.taken.filter(([value]) => isInItems(value));
	await run(
		parametersWith(into),
		taken.map(([value]) => value),
	);
	const { place } = variantOf(into).of;
	const { wire } = travelling(variantOf(into)).find(({ name }) => name === into.field)!;
	const sent = service.requests.map(({ query, body }) =>
		valueAt((place === 'query' ? query : body) as object, wire),
	);
	const expected = taken.map(([, travels]) => (place === 'query' ? String(travels) : travels));
	// Requests to one contact are sent in order; requests for lists are not.
	const sorted = (values: unknown[]) => values.map((value) => JSON.stringify(value)).sort();
	expect(sorted(sent)).toEqual(sorted(expected));
});

test('all spellings of a phone number count as one person, who gets one message', async () => {
	// Run one after the other: each run queries n8n's store.
	const spellings = spellingsOfOnePerson.filter((_, index) => index % 5 === 0);
	const into = pasted.find(({ field }) => field === 'phone')!;
	const ran = await run({ ...parametersWith(into), ...withOnce('осень') }, spellings);
	expect(came(ran).filter((each) => each === 'sent')).toHaveLength(1);
	expect(came(ran).filter((each) => each === 'skipped')).toHaveLength(spellings.length - 1);
	expect(service.requests.map(({ input }) => input.phone)).toEqual(['+79161234567']);
});

test.each([true, 'TRUE', 1, '1', 'yes', 'да', ' Истина '])(
	'Return All as %j returns all rows',
	async (value) => {
		const stored = Array.from({ length: 120 }, (_, index) => `Метка ${index}`);
		service.faults.add({ kind: 'answer', status: 200, body: { data: stored } });
		const getMany = {
			resource: 'tag',
			operation: 'getManyByBot',
			botId: String(SEEDED.bots.school),
			limit: 50,
		};
		const { json } = await runNode({
			parameters: { ...getMany, returnAll: '={{ $json.value }}' },
			credential: credentialFor(service),
			items: [{ value }, { value: 'нет' }],
		});
		expect(json).toHaveLength(120 + 50);
	},
);

test('an AI agent may name a messenger as people do', async () => {
	const [contact] = lettersFor(service, 1);
	const parameters = {
		...send,
		contactId: String(contact!.id),
		contactMessenger: "={{ $fromAI('messenger') }}",
		text: 'Привет',
	};
	const results = await callAsTool({ parameters, credential: credentialFor(service) }, [
		{ arguments: { messenger: 'Телеграм' } },
		{ arguments: { messenger: 'Одноклассники' } },
	]);
	expect(results[0]).toEqual([{ success: true }]);
	expect(results[1]).toMatchObject([
		{ error: expect.stringContaining("'Contact's Messenger' must be one of") as string },
	]);
	expect(service.requests).toHaveLength(1);
});

describe('Base URL', () => {
	const attach = {
		resource: 'tag',
		operation: 'attach',
		contactId: String(SEEDED.contacts.telegram),
		tagName: 'VIP',
	};

	test.each([
		'/bots/2048/schema/1',
		'/account/api',
		'/bots/2048/schema/1?tab=1#block',
		'/#/bots',
		'?tab=1',
		'/api/v1/getBotTags?bot_id=1',
	])('copied as the address of a page, %s, works for runs and lists', async (page) => {
		const credential = credentialFor(service, { baseUrl: ` ${service.url}${page}\n` });
		const { error } = await runNode({ parameters: attach, credential });
		expect(error).toBeUndefined();
		const parameters = { resource: 'listSchema', operation: 'get' };
		expect((await loadList('searchListSchemas', { parameters, credential })).results).not.toEqual([]);
		expect(service.requests.map(({ path }) => path)).toEqual([
			'/api/v1/attachTagToContact',
			'/api/v1/getListSchemas',
		]);
	});

	test('keeps the path of a reverse proxy', async () => {
		const paths: string[] = [];
		const proxy = createServer((request, response) => {
			paths.push(request.url!.replace(/\?.*/, ''));
			response.setHeader('Content-Type', 'application/json').end('{"data":["VIP"]}');
		});
		await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
		try {
			const { port } = proxy.address() as AddressInfo;
			const parameters = { resource: 'tag', operation: 'getManyByBot', botId: '2048' };
			for (const path of ['/chatbot', '/chatbot/bots/2048/schema/1', '/bots/api/v1']) {
				const baseUrl = `http://127.0.0.1:${port}${path}`;
				const { json } = await runNode({ parameters, credential: credentialFor(service, { baseUrl }) });
				expect(json).toEqual([{ name: 'VIP' }]);
			}
			expect(paths).toEqual([
				'/chatbot/api/v1/getBotTags',
				'/chatbot/api/v1/getBotTags',
				'/bots/api/v1/getBotTags',
			]);
		} finally {
			proxy.close();
		}
	});
});

describe('Requests per Second', () => {
	test.each([-1, '-1', 'быстро', NaN])(
		'%j sends nothing, and the error shows the received value',
		async (requestsPerSecond) => {
			const items = lettersFor(service, 2);
			const { outputs } = await runNode({
				parameters: send,
				credential: credentialFor(service, { requestsPerSecond }),
				items,
				node: { onError: 'continueErrorOutput' },
			});
			expect(outputs[1]!.map(({ json }) => json)).toMatchObject(
				items.map((_, item) => ({
					error: `'Requests per Second' in the credential must be a number, 0 or more [Item ${item}]`,
					message: expect.stringContaining(`Received: "${requestsPerSecond}"`) as string,
				})),
			);
			expect(service.requests).toEqual([]);
		},
	);

	test('accepts a decimal comma', async () => {
		const { json } = await runNode({
			parameters: { ...send, contactMessenger: 'vk' },
			credential: credentialFor(service, { requestsPerSecond: '2,5' }),
			items: lettersFor(service, 4),
		});
		expect(json).toHaveLength(4);
		const arrivals = service.requests.map(({ arrivedAt }) => arrivedAt);
		for (const [index, at] of arrivals.slice(1).entries()) expect(at - arrivals[index]!).toBeGreaterThan(350);
	});
});
