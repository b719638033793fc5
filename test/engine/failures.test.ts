import type { INodeParameters } from 'n8n-workflow';

import { SEEDED, TOKEN_WITHOUT_API, type Fault } from '../../sandbox/emulator';
import {
	byTitle,
	operationOf,
	parametersOf,
	travelling,
	unknownOf,
	variants,
	type Variant,
} from '../operations';
import { credentialFor, runNode, useEmulator, type RunOptions } from './harness';
import { attach, refusal, send } from './messages';

/* What users see when something is wrong: with the values of an item, with the credential, with the service. */

const service = useEmulator();

const { contacts, bots, schemas } = SEEDED;
const credential = (changes = {}) => credentialFor(service, changes);
const good = { id: contacts.telegram, text: 'Добрый день' };
const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credential(), items: [good], ...options });

const withoutPath =
	"Check 'Base URL' in the credential: it must be the address of the service, without a path.";

describe('values that cannot be sent', () => {
	test.each(byTitle(variants.filter((variant) => travelling(variant).length)))(
		'%s rejects an object in each of its fields under the label of the field, and sends nothing',
		async (_title, variant) => {
			for (const { name, label, value } of travelling(variant)) {
				// A collection of rows, whose fields are tested by themselves.
				if (typeof value === 'object') continue;
				const parameters = parametersOf(variant, { [name]: '={{ { a: 1 } }}' });
				const { error } = await run({ parameters });
				expect([label, error?.message]).toEqual([label, expect.stringContaining(`'${label}`)]);
				expect([label, error?.message]).toEqual([label, expect.stringContaining('[Item 0]')]);
				expect([label, error?.description]).toEqual([label, expect.stringContaining('Received: "')]);
				expect([label, error?.context?.itemIndex, error?.httpCode]).toEqual([label, 0, 'none']);
			}
			expect(service.requests).toEqual([]);
		},
	);

	const toNumber = { resource: 'message', operation: 'sendToWhatsApp', botId: '1', text: 'а' };
	const create = { resource: 'listSchema', operation: 'create', listName: 'Список' };
	const asJson = { ...create, fieldsInput: 'json' };

	test.each<[string, INodeParameters, string, RegExp]>([
		['an empty ID', { ...send, contactId: '={{ $json.nothing }}' }, 'Contact ID', /expression/],
		['no content at all', { ...send, text: '={{ "  " }}' }, 'Text', /at least one/],
		['letters in a phone number', { ...toNumber, phone: '8-800-ЦВЕТЫ' }, 'Phone Number', /country code/],
		[
			'a field without a slug',
			{ ...create, fields: { field: [{ name: 'А', slug: '={{ "" }}', type: 'string' }] } },
			'Fields, field 1: slug',
			/a name, a slug and a type/,
		],
		[
			'a limit of nothing',
			{ resource: 'listSchema', operation: 'getAll', limit: '={{ 0 }}' },
			'Limit',
			/1 or more/,
		],
		['JSON that is cut off', { ...asJson, fieldsJson: '[{"name":' }, 'Fields (JSON)', /brackets/],
		['JSON that is a number', { ...asJson, fieldsJson: '42' }, 'Fields (JSON)', /array/],
	])('the error message for %s names the field, and its description says what to enter', async (...asked) => {
		const [, parameters, label, advice] = asked;
		const { error } = await run({ parameters });
		expect(error?.message).toContain(`'${label}'`);
		expect(error?.description).toMatch(advice);
		expect(service.requests).toEqual([]);
	});

	test('the error names all wrong values of one item', async () => {
		const { error } = await run({
			parameters: { ...send, contactId: '={{ "x" }}', content: ['text', 'image'], imageUrl: '={{ "y" }}' },
		});
		expect(error?.message).toContain("'Contact ID'");
		expect(error?.message).toContain("'Image URL'");
	});

	test('empty content of an item is omitted', async () => {
		const { json } = await run({
			parameters: { ...send, content: ['text', 'image'], imageUrl: '={{ $json.image }}' },
			items: [good, { ...good, text: '', image: 'https://example.com/a.png' }],
		});
		expect(json).toEqual([{ success: true }, { success: true }]);
		expect(service.requests.map(({ query }) => Object.keys(query).sort())).toEqual([
			['api_token', 'contact_id', 'text'],
			['api_token', 'contact_id', 'image'],
		]);
	});

	test('an ID is accepted as a number and as a string with surrounding spaces', async () => {
		await run({ parameters: attach, items: [{ id: ` ${contacts.telegram} ` }, { id: contacts.telegram }] });
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ contact_id: contacts.telegram, name: 'VIP' },
			{ contact_id: contacts.telegram, name: 'VIP' },
		]);
	});
});

describe('values that the service refuses', () => {
	test('the error carries the HTTP status of the answer', async () => {
		service.faults.add(refusal);
		expect((await run({})).error?.httpCode).toBe('422');
	});

	test.each<[string, Fault, string, RegExp]>([
		['is refused', refusal, 'The service refused the request', /^Correct the values/],
		[
			'may have been sent',
			{ kind: 'server error' },
			'The service failed to process the request',
			new RegExp(`^${unknownOf(operationOf('message/send'))} `),
		],
	])('when On Error continues, a message that %s fails only its own item', async (...asked) => {
		const [, fault, message, advice] = asked;
		service.faults.add({ ...fault, match: { text: 'не дойдёт' } });
		const { outputs } = await run({
			items: [good, { ...good, text: 'не дойдёт' }, good],
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
	});

	test.each(['stopWorkflow', 'continueErrorOutput'] as const)(
		'the token is removed from quoted texts of the service (On Error: %s)',
		async (onError) => {
			service.faults.add({
				kind: 'answer',
				status: 400,
				body: { message: `Неверный запрос: /api/v1/sendMessage?api_token=${service.token}` },
			});
			const { run: ran } = await run({ node: { onError } });
			const stored = JSON.stringify([ran, ran.data.resultData.error?.description]);
			expect(stored).toContain('api_token=***');
			expect(stored).not.toContain(service.token);
		},
	);

	const thingsOf = ({ fields }: Variant) => fields.filter(({ whatItIs }) => whatItIs);
	// To the service, a bot that does not exist is an invalid value.
	const findable = variants.filter((each) => !['botId', undefined].includes(thingsOf(each).at(-1)?.name));

	test.each(byTitle(findable))(
		'when the service does not find what %s names, the error lists everything that may be missing and quotes the service',
		async (_title, variant) => {
			const things = thingsOf(variant);
			const { name, value } = things.at(-1)!;
			const absent = String(value).replace(/[\p{L}\d]/gu, '9');
			const { error } = await run({ parameters: parametersOf(variant, { [name]: absent }) });
			const missing = things.map(({ whatItIs }) => whatItIs).join(' or no ');
			expect(error?.message).toBe(`No ${missing} in this account [Item 0]`);
			const [advice, said] = error!.description!.split(' The service says: ');
			const labels = things.map(({ label }) => `'${label}'`).join(', ');
			expect(advice).toBe(
				`Check ${labels}. If the service never finds anything, check 'Base URL' in the credential.`,
			);
			expect(said).toMatch(/^".*[а-яё].*"\.$/i);
		},
	);

	test.each<[string, string, Record<string, unknown>]>([
		['Field Slug', 'listSchema/addField', { schemaId: schemas.orders, newFieldSlug: 'phone' }],
		['Contact Name', 'message/sendToWhatsApp', { phone: '+79990001122', contactName: '' }],
	])("a refusal of the service names '%s' as labeled in the editor", async (label, title, changes) => {
		const [usual] = operationOf(title).variants;
		const { error } = await run({ parameters: parametersOf(usual!, changes) });
		expect(error?.message).toContain(`The service refused the value of '${label}'`);
		expect(error?.description).toMatch(/The service says: ".*[а-яё]/i);
	});

	const plan = 'Check that the plan of the account includes API access.';

	test.each<[number, named: string[], notNamed: string[]]>([
		[
			404,
			[
				'No bot with this ID in this account',
				"Check 'Bot ID'. If the service never finds anything, check 'Base URL' in the credential.",
			],
			['The service does not have this endpoint', withoutPath],
		],
		[
			403,
			[
				'The service refused access',
				`${plan} Check 'Bot ID': it must belong to the account whose token is in the credential.`,
			],
			['The service refused access', plan],
		],
	])(
		'when a list is refused with status %d, the error suggests checking the bot only if the item names one',
		async (status, named, notNamed) => {
			service.faults.add({ kind: 'answer', status, body: { message: 'Нельзя' } });
			const { json } = await run({
				parameters: {
					resource: 'listSchema',
					operation: 'create',
					listName: 'Список',
					botId: '={{ $json.bot }}',
				},
				items: [bots.school, '', bots.school, null].map((bot) => ({ bot })),
				node: { onError: 'continueRegularOutput' },
			});
			expect(json.map(({ error, message }) => [error, message])).toEqual(
				[named, notNamed, named, notNamed].map(([error, advice], item) => [
					`${error} [Item ${item}]`,
					`${advice} The service says: "Нельзя".`,
				]),
			);
			expect(service.requests).toHaveLength(4);
		},
	);
});

describe('a limit of the service that remains exceeded', () => {
	const whatsApp = "If these contacts use WhatsApp, choose WhatsApp as 'Contact's Messenger'. ";
	const others = 'Something else may use this account too. ';

	test.each<[string, INodeParameters, string]>([
		['to a contact whose messenger is not known', {}, whatsApp + others],
		[
			'to a contact whose messenger the item does not name',
			{ contactMessenger: '={{ $json.nothing }}' },
			whatsApp + others,
		],
		['to a contact in Telegram', { contactMessenger: 'telegram' }, others],
		[
			'to a person in VK',
			{ recipient: 'externalId', messenger: 'vk', botId: String(bots.school), externalId: '1' },
			others,
		],
	])('a message %s fails with the most likely cause first', async (_name, parameters, first) => {
		service.faults.add({ kind: 'too many', retryAfter: 900 });
		const { error } = await run({ parameters: { ...send, ...parameters } });
		expect(error?.message).toBe("The service's limit of requests was reached [Item 0]");
		expect(error?.description?.slice(0, first.length)).toBe(first);
		expect(service.requests).toHaveLength(1);
	});
});

describe('a credential that does not work', () => {
	const errorWith = async (changes: Record<string, unknown>) =>
		(await run({ credential: credential(changes) })).error!;

	test('the error names a wrong token as the cause, after one request', async () => {
		const error = await errorWith({ token: 'wrong-token' });
		expect(error.message).toContain('does not accept the token');
		expect(error.description).toContain('Token Placement');
		expect(service.requests).toHaveLength(1);
	});

	test('with a plan without API access, the error says that the service refused access', async () => {
		expect((await errorWith({ token: TOKEN_WITHOUT_API })).message).toContain('refused access');
	});

	test('an invalid Base URL is reported with the name of its field in the credential', async () => {
		expect((await errorWith({ baseUrl: 'https://' })).message).toContain(
			"'Base URL' in the credential is not a valid URL",
		);
	});

	test('for the address of another page, the error says that nothing is there, and what else may be wrong', async () => {
		const error = await errorWith({ baseUrl: `${service.url}/login` });
		expect(error.message).toBe('The service does not have this endpoint [Item 0]');
		expect(error.description).toBe(
			`${withoutPath} If other operations work, check 'Contact ID'. ` +
				'The service says: "The route login/api/v1/sendMessage could not be found.".',
		);
		expect(service.violations.splice(0)).toHaveLength(1);
	});
});
