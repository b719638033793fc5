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

/* What people see when something is wrong: with an item's values, with the credential, with the service. */

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
		'%s takes an object in none of its fields: each is refused under its label, and nothing leaves',
		async (_title, variant) => {
			for (const { name, label, value } of travelling(variant)) {
				// Rows have fields of their own.
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
	])('the message of %s names the field, and its description says what to enter', async (...asked) => {
		const [, parameters, label, advice] = asked;
		const { error } = await run({ parameters });
		expect(error?.message).toContain(`'${label}'`);
		expect(error?.description).toMatch(advice);
		expect(service.requests).toEqual([]);
	});

	test('several wrong values of one item are all named', async () => {
		const { error } = await run({
			parameters: { ...send, contactId: '={{ "x" }}', content: ['text', 'image'], imageUrl: '={{ "y" }}' },
		});
		expect(error?.message).toContain("'Contact ID'");
		expect(error?.message).toContain("'Image URL'");
	});

	test('a content that is empty for an item is left out', async () => {
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

	test('an ID is taken as a number and as a text with blanks around it', async () => {
		await run({ parameters: attach, items: [{ id: ` ${contacts.telegram} ` }, { id: contacts.telegram }] });
		expect(service.requests.map(({ body }) => body)).toEqual([
			{ contact_id: contacts.telegram, name: 'VIP' },
			{ contact_id: contacts.telegram, name: 'VIP' },
		]);
	});
});

describe('what the service refuses', () => {
	test('n8n gets to know the status of an answer', async () => {
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
	])('where the node goes on, a message that %s fails its own item only', async (...asked) => {
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
		'the token that the service repeats in its words is hidden (On Error: %s)',
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
	// A bot that is not there is a wrong value to the service.
	const findable = variants.filter((each) => !['botId', undefined].includes(thingsOf(each).at(-1)?.name));

	test.each(byTitle(findable))(
		'where the service does not find what %s names, all that may be missing is said, and what the service says',
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
	])("a refusal of the service names '%s' as the editor does", async (label, title, changes) => {
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
		'a list that is refused under %d has the bot looked for only where the item names one',
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

describe('a limit of the service that stays reached', () => {
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
	])('a message %s fails with the likeliest cause said first', async (_name, parameters, first) => {
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

	test('a wrong token is named as the cause, after one request', async () => {
		const error = await errorWith({ token: 'wrong-token' });
		expect(error.message).toContain('does not accept the token');
		expect(error.description).toContain('Token Placement');
		expect(service.requests).toHaveLength(1);
	});

	test('a plan without access to the API is said to be refused access', async () => {
		expect((await errorWith({ token: TOKEN_WITHOUT_API })).message).toContain('refused access');
	});

	test("a Base URL that is no address is named by the credential's field", async () => {
		expect((await errorWith({ baseUrl: 'https://' })).message).toContain(
			"'Base URL' in the credential is not a valid URL",
		);
	});

	test('the address of something else is said to have nothing, and what else may be wrong', async () => {
		const error = await errorWith({ baseUrl: `${service.url}/login` });
		expect(error.message).toBe('The service does not have this endpoint [Item 0]');
		expect(error.description).toBe(
			`${withoutPath} If other operations work, check 'Contact ID'. ` +
				'The service says: "The route login/api/v1/sendMessage could not be found.".',
		);
		expect(service.violations.splice(0)).toHaveLength(1);
	});
});
