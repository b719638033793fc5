import type { INodeParameters } from 'n8n-workflow';

import { SEEDED, TOKEN_WITHOUT_API, type Fault } from '../../sandbox/service';
import { operationOf, unknownOf } from '../operations';
import { credentialFor, runNode, useService } from './harness';

/* What people see when something is wrong: with an item's values, with the credential, with the service. */

const unknownMessage = unknownOf(operationOf('message/send'));

const service = useService();

const { contacts, bots, schemas } = SEEDED;
const credential = (changes = {}) => credentialFor(service, changes);
const send: INodeParameters = {
	resource: 'message',
	operation: 'send',
	contactId: '={{ $json.id }}',
	text: '={{ $json.text }}',
};
const good = { id: contacts.telegram, text: 'Добрый день' };

describe('values that cannot be sent', () => {
	const tagNamed = (value: unknown) => ({ __rl: true, mode: 'name', value }) as never;
	const variable = { resource: 'contactVariable', operation: 'upsert', contactId: 5001, variableValue: 'x' };
	const create = { resource: 'listSchema', operation: 'create', listName: 'Список' };
	const cases: Array<[string, INodeParameters, string, RegExp]> = [
		['an ID that is a word', { ...send, contactId: '={{ "вася" }}' }, 'Contact ID', /"вася"/],
		['an ID with a fraction', { ...send, contactId: '={{ 12.5 }}' }, 'Contact ID', /12\.5/],
		['a negative ID', { ...send, contactId: '={{ -7 }}' }, 'Contact ID', /-7/],
		[
			'an ID that is too large to be exact',
			{ ...send, contactId: '={{ "90071992547409931" }}' },
			'Contact ID',
			/9007/,
		],
		['an empty ID', { ...send, contactId: '={{ $json.nothing }}' }, 'Contact ID', /expression/],
		['no content at all', { ...send, text: '={{ "  " }}' }, 'Text', /at least one/],
		['a text that is an object', { ...send, text: '={{ { a: 1 } }}' }, 'Text', / choose one field, as in /],
		[
			'an image that is no address',
			{ ...send, content: ['image'], imageUrl: '={{ "кот.png" }}' },
			'Image URL',
			/"кот\.png"/,
		],
		[
			'an unknown messenger',
			{ ...send, recipient: 'externalId', messenger: '={{ "icq" }}', botId: '1', externalId: '1' },
			'Messenger',
			/"icq"/,
		],
		[
			'a phone number with letters',
			{
				resource: 'message',
				operation: 'sendToWhatsApp',
				botId: '1',
				phone: '={{ "8-800-ЦВЕТЫ" }}',
				text: 'а',
			},
			'Phone Number',
			/country code/,
		],
		[
			'an empty tag',
			{ resource: 'tag', operation: 'attach', contactId: '1', tagName: tagNamed('={{ "" }}') },
			'Tag',
			/^Enter a value for 'Tag'\./,
		],
		[
			'an empty variable',
			{ ...variable, variableName: tagNamed('={{ null }}') },
			'Variable',
			/^Enter a value for 'Variable'\./,
		],
		[
			'an empty value',
			{ ...variable, variableName: tagNamed('Город'), variableValue: '={{ "" }}' },
			'Value',
			/^Enter a value for 'Value'\./,
		],
		[
			'a switch that is neither on nor off',
			{ ...variable, variableName: tagNamed('Город'), deletable: '={{ "maybe" }}' },
			'Remove After Request',
			/"maybe"/,
		],
		[
			'a limit of nothing',
			{ resource: 'listSchema', operation: 'getAll', returnAll: false, limit: '={{ 0 }}' },
			'Limit',
			/1 or more/,
		],
		[
			'a slug that repeats',
			{
				...create,
				fields: {
					field: [
						{ name: 'А', slug: 'a', type: 'string' },
						{ name: 'Б', slug: 'a', type: 'string' },
					],
				},
			},
			'Fields, field 2',
			/"a"/,
		],
		[
			'a field without a slug',
			{ ...create, fields: { field: [{ name: 'А', slug: '={{ "" }}', type: 'string' }] } },
			'Fields, field 1: slug',
			/a name, a slug and a type/,
		],
		[
			'JSON that is cut off',
			{ ...create, fieldsInput: 'json', fieldsJson: '[{"name":' },
			'Fields (JSON)',
			/brackets/,
		],
		['JSON that is a number', { ...create, fieldsInput: 'json', fieldsJson: '42' }, 'Fields (JSON)', /array/],
		[
			'an attribute the service does not know',
			{
				...create,
				fieldsInput: 'json',
				fieldsJson: '[{"name":"А","slug":"a","type":"string","reqired":true}]',
			},
			'Fields (JSON), field 1',
			/"reqired"/,
		],
	];

	test.each(cases)('%s', async (_name, parameters, label, advice) => {
		const { error } = await runNode({ parameters, credential: credential(), items: [good] });
		expect(error?.message).toContain(`'${label}'`);
		expect(error?.message).toContain('[Item 0]');
		expect(error?.description).toMatch(advice);
		expect(error?.context?.itemIndex).toBe(0);
		expect(error?.httpCode).toBe('none');
		expect(service.requests).toEqual([]);
	});

	test('several at once are all named', async () => {
		const { error } = await runNode({
			parameters: { ...send, contactId: '={{ "x" }}', content: ['text', 'image'], imageUrl: '={{ "y" }}' },
			credential: credential(),
			items: [good],
		});
		expect(error?.message).toContain("'Contact ID'");
		expect(error?.message).toContain("'Image URL'");
	});

	test('a content that is empty for an item is left out', async () => {
		const { json } = await runNode({
			parameters: { ...send, content: ['text', 'image'], imageUrl: '={{ $json.image }}' },
			credential: credential(),
			items: [good, { ...good, text: '', image: 'https://example.com/a.png' }],
		});
		expect(json).toEqual([{ success: true }, { success: true }]);
		expect(service.requests.map(({ query }) => Object.keys(query).sort())).toEqual([
			['api_token', 'contact_id', 'text'],
			['api_token', 'contact_id', 'image'],
		]);
	});

	test('numbers and texts that mean the same are taken as such', async () => {
		await runNode({
			parameters: {
				resource: 'tag',
				operation: 'attach',
				contactId: '={{ $json.id }}',
				tagName: tagNamed('VIP'),
			},
			credential: credential(),
			items: [{ id: ` ${contacts.telegram} ` }, { id: contacts.telegram }],
		});
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ contact_id: contacts.telegram, name: 'VIP' },
			{ contact_id: contacts.telegram, name: 'VIP' },
		]);
		service.assertContract();
	});
});

describe('what the service refuses', () => {
	const doubted = new RegExp(`^${unknownMessage} `);

	const faults: Array<[string, Fault, string, RegExp]> = [
		['Forbidden under 200', { kind: 'forbidden' }, 'The service refused access', /"Forbidden"/],
		[
			'Forbidden under 403',
			{ kind: 'answer', status: 403, body: { message: 'Forbidden' } },
			'The service refused access',
			/tariff/,
		],
		[
			'a validation answer under 200',
			{
				kind: 'answer',
				status: 200,
				body: { message: 'The given data was invalid.', errors: { text: ['Поле text слишком длинное.'] } },
			},
			"The service refused the value of 'Text'",
			/Поле text слишком длинное\./,
		],
		['a page under 200', { kind: 'html' }, 'The service answered with a web page', /Base URL/],
		['a page under 404', { kind: 'html', status: 404 }, 'The service answered with a web page', /Base URL/],
		['a redirect', { kind: 'redirect' }, 'The service redirected the request', /Base URL/],
		['cut-off JSON', { kind: 'malformed' }, 'The answer of the service cannot be read', doubted],
		['a server that fails', { kind: 'server error' }, 'The service failed to process the request', doubted],
		[
			'success that is false',
			{ kind: 'answer', status: 200, body: { success: false, message: 'Диалог закрыт' } },
			'The service refused the request',
			/Диалог закрыт/,
		],
		['a connection that breaks', { kind: 'reset' }, 'The connection to the service broke off', doubted],
	];

	test.each(faults)('%s, where the node stops', async (_name, fault, message, advice) => {
		service.faults.add(fault);
		const { error, run } = await runNode({ parameters: send, credential: credential(), items: [good] });
		expect(error?.message).toContain(message);
		expect(error?.message).toContain('[Item 0]');
		expect(error?.description).toMatch(advice);
		expect(error?.description).toMatch(/\.$/);
		expect(error?.description).not.toContain(' items');
		expect(service.requests).toHaveLength(1);
		expect(JSON.stringify(run)).not.toContain(service.token);
	});

	test('n8n gets to know the status of an answer', async () => {
		service.faults.add({ kind: 'answer', status: 422, body: { message: 'The given data was invalid.' } });
		const { error } = await runNode({ parameters: send, credential: credential(), items: [good] });
		expect(error?.httpCode).toBe('422');
	});

	test.each(faults)('%s, where the node continues', async (_name, fault, message, advice) => {
		service.faults.add({ ...fault, match: { text: 'не дойдёт' } });
		const items = [good, { ...good, text: 'не дойдёт' }, good];
		const { outputs, run } = await runNode({
			parameters: send,
			credential: credential(),
			items,
			node: { onError: 'continueErrorOutput' },
		});
		expect(outputs[0]!.map(({ json, pairedItem }) => [json, pairedItem])).toEqual([
			[{ success: true }, { item: 0 }],
			[{ success: true }, { item: 2 }],
		]);
		expect(outputs[1]).toHaveLength(1);
		const [failed] = outputs[1]!;
		expect(failed!.pairedItem).toEqual({ item: 1 });
		expect(failed!.json).toMatchObject({ id: good.id, text: 'не дойдёт' });
		expect(failed!.json.error).toContain(message);
		expect(failed!.json.error).toContain('[Item 1]');
		expect(failed!.json.message).toMatch(advice);
		expect(JSON.stringify(run)).not.toContain(service.token);
	});

	test.each([undefined, 'continueErrorOutput'] as const)(
		'the token that the service repeats in its words is hidden (On Error: %s)',
		async (onError) => {
			service.faults.add({
				kind: 'answer',
				status: 400,
				body: { message: `Неверный запрос: /api/v1/sendMessage?api_token=${service.token}` },
			});
			const { run } = await runNode({
				parameters: send,
				credential: credential(),
				items: [good],
				node: { onError },
			});
			const stored = JSON.stringify([run, run.data.resultData.error?.description]);
			expect(stored).toContain('api_token=***');
			expect(stored).not.toContain(service.token);
		},
	);

	test.each<[string, INodeParameters, string]>([
		[
			'an unknown contact',
			{ ...send, contactId: '999999' },
			'No contact with this ID in this account [Item 0]',
		],
		[
			'an unknown person in a messenger',
			{
				...send,
				recipient: 'externalId',
				messenger: 'telegram',
				botId: String(bots.school),
				externalId: '999999',
			},
			'No bot with this ID or no contact with this phone number or messenger ID in this account [Item 0]',
		],
		[
			'an unknown bot',
			{ resource: 'tag', operation: 'getManyByBot', botId: '999999' },
			'No bot with this ID in this account [Item 0]',
		],
		[
			'an unknown variable',
			{
				resource: 'contactVariable',
				operation: 'delete',
				contactId: '={{ $json.id }}',
				variableName: { __rl: true, mode: 'name', value: 'Нет такой' } as never,
			},
			'No contact with this ID or no variable with this name in this account [Item 0]',
		],
		[
			'an unknown variable by its ID',
			{
				resource: 'contactVariable',
				operation: 'delete',
				contactId: '={{ $json.id }}',
				deleteBy: 'id',
				variableId: { __rl: true, mode: 'id', value: '999999' } as never,
			},
			'No contact with this ID or no variable with this ID in this account [Item 0]',
		],
		[
			'an unknown field',
			{
				resource: 'listSchema',
				operation: 'deleteField',
				schemaId: { __rl: true, mode: 'id', value: schemas.orders } as never,
				fieldSlug: { __rl: true, mode: 'slug', value: 'nothing' } as never,
			},
			'No list with this ID or no field with this slug in this account [Item 0]',
		],
		[
			'an unknown list',
			{
				resource: 'listSchema',
				operation: 'get',
				schemaId: { __rl: true, mode: 'id', value: '000000000000000000000000' } as never,
			},
			'No list with this ID in this account [Item 0]',
		],
		[
			'a slug that is taken',
			{
				resource: 'listSchema',
				operation: 'addField',
				schemaId: { __rl: true, mode: 'id', value: schemas.orders } as never,
				fieldName: 'Ещё раз',
				newFieldSlug: 'phone',
				fieldType: 'string',
			},
			"The service refused the value of 'Field Slug'",
		],
		[
			'a first message without a name',
			{
				resource: 'message',
				operation: 'sendToWhatsApp',
				botId: String(bots.school),
				phone: '+79990001122',
				text: 'Здравствуйте',
			},
			"The service refused the value of 'Contact Name'",
		],
	])('%s', async (_name, parameters, message) => {
		const { error } = await runNode({ parameters, credential: credential(), items: [good] });
		expect(error?.message).toContain(message);
		expect(error?.description).toMatch(/The service says: ".*[а-яё]/i);
	});

	test.each(['attach', 'detach'])('a tag that the bot does not know, to %s', async (operation) => {
		const tagName = { __rl: true, mode: 'name', value: 'Нет такого' };
		const { error } = await runNode({
			parameters: { resource: 'tag', operation, contactId: '={{ $json.id }}', tagName: tagName as never },
			credential: credential(),
			items: [good],
		});
		expect(error?.message).toBe('No contact with this ID or no tag with this name in this account [Item 0]');
		expect(error?.description).toBe(
			"Check 'Contact ID', 'Tag'. If nothing is ever found, check 'Base URL' in the credential. " +
				'The service says: "Тег не найден".',
		);
	});

	describe('to create a list', () => {
		const create = { resource: 'listSchema', operation: 'create', listName: 'Список' };
		const withoutPath =
			"Check 'Base URL' in the credential: it must be the address of the service, without a path.";
		const ofBot = "Check 'Bot ID'. If nothing is ever found, check 'Base URL' in the credential.";
		const tariff = 'Check that the tariff of the account includes API access.';
		const owner = "Check 'Bot ID': it must belong to the account whose token is in the credential.";
		const bot = { botId: '={{ $json.bot }}' };

		test.each<[string, INodeParameters, object, number, string, string]>([
			['without a bot', {}, {}, 404, 'The service has nothing at this address', withoutPath],
			[
				'for a bot that is left empty',
				bot,
				{ bot: '' },
				404,
				'The service has nothing at this address',
				withoutPath,
			],
			['for a bot', bot, { bot: bots.school }, 404, 'No bot with this ID in this account', ofBot],
			['without a bot', {}, {}, 403, 'The service refused access', tariff],
			['for a bot that is left empty', bot, { bot: null }, 403, 'The service refused access', tariff],
			['for a bot', bot, { bot: bots.school }, 403, 'The service refused access', `${tariff} ${owner}`],
		])('%s (%j, %j), refused under %d', async (_name, more, item, status, message, advice) => {
			service.faults.add({ kind: 'answer', status, body: { message: 'Нельзя' } });
			const { error } = await runNode({
				parameters: { ...create, ...more },
				credential: credential(),
				items: [{ ...item }],
			});
			expect(error?.message).toBe(`${message} [Item 0]`);
			expect(error?.description).toBe(`${advice} The service says: "Нельзя".`);
			expect(service.requests).toHaveLength(1);
		});

		test('for a bot by its item, the bot is looked for where the item names it', async () => {
			service.faults.add({ kind: 'answer', status: 404, body: { message: 'Нельзя' } });
			const { json } = await runNode({
				parameters: { ...create, ...bot },
				credential: credential(),
				items: [{ bot: bots.school }, { bot: '' }, { bot: bots.school }],
				node: { onError: 'continueRegularOutput' },
			});
			expect(json.map(({ error }) => error)).toEqual([
				'No bot with this ID in this account [Item 0]',
				'The service has nothing at this address [Item 1]',
				'No bot with this ID in this account [Item 2]',
			]);
		});
	});
});

describe('a limit of the service that stays reached', () => {
	const whatsApp = "If these contacts use WhatsApp, choose WhatsApp as 'Contact's Messenger'. ";
	const others = 'Something else may use this account too. ';
	const person = { recipient: 'externalId', botId: String(bots.school), externalId: '1' };

	test.each<[string, INodeParameters, string]>([
		['not known', {}, whatsApp + others],
		['chosen as not known', { contactMessenger: 'unknown' }, whatsApp + others],
		['not known for this item', { contactMessenger: '={{ $json.nothing }}' }, whatsApp + others],
		['Telegram', { contactMessenger: 'telegram' }, others],
		['WhatsApp', { contactMessenger: 'whatsapp' }, others],
		['VK, which has no limit', { contactMessenger: 'vk' }, others],
		['that of the person', { ...person, messenger: 'telegram' }, others],
	])('a message, where the messenger is %s', async (_name, parameters, first) => {
		service.faults.add({ kind: 'too many', retryAfter: 900 });
		const { error } = await runNode({
			parameters: { ...send, ...parameters },
			credential: credential(),
			items: [good],
		});
		expect(error?.message).toBe("The service's limit of requests was reached [Item 0]");
		expect(error?.description?.slice(0, first.length)).toBe(first);
		expect(service.requests).toHaveLength(1);
	});
});

describe('a credential that does not work', () => {
	const run = async (changes: Record<string, unknown>) => {
		const { error } = await runNode({
			parameters: send,
			credential: credential(changes) as never,
			items: [good],
		});
		return error!;
	};

	test('a wrong token, asked once', async () => {
		const error = await run({ token: 'wrong-token' });
		expect(error.message).toContain('does not accept the token');
		expect(error.description).toContain('Token Placement');
		expect(service.requests).toHaveLength(1);
	});

	test('a tariff without access', async () => {
		expect((await run({ token: TOKEN_WITHOUT_API })).message).toContain('refused access');
	});

	test('a base URL that is no address', async () => {
		expect((await run({ baseUrl: 'https://' })).message).toContain(
			"'Base URL' in the credential is not an address",
		);
	});

	test('the address of something else is said to have nothing, and what else may be wrong', async () => {
		const error = await run({ baseUrl: `${service.url}/login` });
		expect(error.message).toBe('The service has nothing at this address [Item 0]');
		expect(error.description).toBe(
			"Check 'Base URL' in the credential: it must be the address of the service, without a path. " +
				"If the node works otherwise, check 'Contact ID'. " +
				'The service says: "The route login/api/v1/sendMessage could not be found.".',
		);
		expect(service.violations.splice(0)).toHaveLength(1);
	});

	test('the address of something else is said to have nothing where nothing is looked for', async () => {
		const { error } = await runNode({
			parameters: { resource: 'listSchema', operation: 'getAll' },
			credential: credential({ baseUrl: `${service.url}/login` }) as never,
			items: [{}],
		});
		expect(error?.message).toBe('The service has nothing at this address [Item 0]');
		expect(error?.description).toBe(
			"Check 'Base URL' in the credential: it must be the address of the service, without a path. " +
				'The service says: "The route login/api/v1/getListSchemas could not be found.".',
		);
		expect(service.violations.splice(0)).toHaveLength(1);
	});
});
