import { UserError, type ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import {
	accessRefused,
	invalidAddress,
	invalidToken,
	invalidValues,
	notFound,
	refusedByN8n,
	serviceFailed,
	tokenRefused,
	unknownEndpoint,
	valuesMissing,
	valuesRefused,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { address, contactId } from '../../nodes/ChatbotService/resources/kinds';
import { SEEDED, TOKEN_WITHOUT_API, type Emulator, type Fault } from '../../sandbox/emulator';
import {
	byTitle,
	operationOf,
	operations,
	parametersOf,
	unknownOf,
	variants,
	type Variant,
} from '../operations';
import { labelOf } from '../operations/words';
import { credentialFor, loadList, runNode, until, useEmulator, type RunOptions } from './harness';
import { attach, lettersFor, problemOf, refusal, send } from './messages';

/*
 * What users see when something is wrong: with the values of an item, with the service, with the credential. And a credential that is
 * edited while a run uses it.
 */

const service = useEmulator();
const other = useEmulator();

afterEach(() => jest.restoreAllMocks());

const { contacts, schemas } = SEEDED;
const credential = (changes = {}) => credentialFor(service, changes);
const good = { id: contacts.telegram, text: 'Добрый день' };
const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credential(), items: [good], ...options });

test('the error names all wrong values of an item and what to enter, and nothing is sent', async () => {
	const { error } = await run({
		parameters: { ...send, contactId: '={{ "x" }}', content: ['text', 'image'], imageUrl: '={{ "y" }}' },
	});
	const problems = [
		contactId('x', labelOf('message/send', 'contactId')),
		address('y', labelOf('message/send', 'imageUrl')),
	];
	const failure = invalidValues(problems.map(problemOf));
	expect(error?.message).toBe(`${failure.message} [Item 0]`);
	expect(error?.description).toBe(failure.description);
	expect(error?.httpCode).toBe('none');
	expect(service.requests).toEqual([]);
});

describe('values that the service refuses', () => {
	test.each<[string, Fault, Failure, string]>([
		['is refused', refusal, valuesRefused(422, [], 'The given data was invalid.'), ''],
		[
			'may have been sent',
			{ kind: 'server error' },
			serviceFailed(500),
			unknownOf(operationOf('message/send')),
		],
	])('when On Error continues, a message that %s fails only its own item', async (...asked) => {
		const [, fault, { message, description }, first] = asked;
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
		expect(failed!.json.error).toBe(`${message} [Item 1]`);
		expect(failed!.json.message).toContain(first + description);
	});

	const expectedOf = ({ fields }: Variant) =>
		fields.flatMap((field) => (field.whatItIs ? [{ ...field, whatItIs: field.whatItIs }] : []));
	// To the service, a bot that does not exist is an invalid value.
	const findable = variants.filter((each) => !['botId', undefined].includes(expectedOf(each).at(-1)?.name));

	test.each(byTitle(findable))(
		'when the service does not find what %s names, the error lists everything that may be missing and quotes the service',
		async (_title, variant) => {
			const expected = expectedOf(variant);
			const { name, value } = expected.at(-1)!;
			const absent = String(value).replace(/[\p{L}\d]/gu, '9');
			const { error } = await run({ parameters: parametersOf(variant, { [name]: absent }) });
			const { message, description } = notFound(404, expected);
			expect(error?.message).toBe(`${message} [Item 0]`);
			expect(error?.description).toContain(description);
			expect(error?.description).toMatch(/".*[а-яё].*"\.$/i);
		},
	);

	test.each<[string, string, Record<string, unknown>, typeof valuesRefused]>([
		[
			'newFieldSlug',
			'listSchema/addField',
			{ schemaId: schemas.orders, newFieldSlug: 'phone' },
			valuesRefused,
		],
		['contactName', 'message/sendToWhatsApp', { phone: '+79990001122', contactName: '' }, valuesMissing],
	])(
		'a refusal of the service names the field %s as labeled in the editor',
		async (name, title, changes, failure) => {
			const [usual] = operationOf(title).variants;
			const { error } = await run({ parameters: parametersOf(usual!, changes) });
			const { message } = failure(422, [labelOf(title, name)], '');
			expect(error?.message).toBe(`${message} [Item 0]`);
			expect(error?.description).toMatch(/".*[а-яё].*"\.$/i);
		},
	);
});

describe('a credential that does not work', () => {
	const errorWith = async (changes: Record<string, unknown>) =>
		(await run({ credential: credential(changes) })).error!;

	const expected = [{ label: labelOf('message/send', 'contactId'), whatItIs: '' }];

	test.each<[string, Record<string, unknown>, Failure, number]>([
		['a wrong token', { token: 'wrong-token' }, tokenRefused(401), 1],
		[
			'a plan without API access',
			{ token: TOKEN_WITHOUT_API },
			accessRefused(403, { expected, isForeign: false }),
			1,
		],
		['an invalid Base URL', { baseUrl: 'https://' }, invalidAddress(), 0],
	])('the error names %s as the cause', async (_name, changes, { message, description }, requests) => {
		const error = await errorWith(changes);
		expect(error.message).toBe(`${message} [Item 0]`);
		expect(error.description).toContain(description);
		expect(service.requests).toHaveLength(requests);
	});

	test('for the address of another server, the error says that the service does not have this endpoint, and what else may be wrong', async () => {
		const words = 'The route api/v1/sendMessage could not be found.';
		service.faults.add({ kind: 'answer', status: 404, body: { message: words } });
		const error = await errorWith({});
		const { message, description } = unknownEndpoint(404, expected, words);
		expect([error.message, error.description]).toEqual([`${message} [Item 0]`, description]);
	});
});

const onceOptions = { options: { sendOncePer: 'осень' } };

describe('nothing is sent, and the error says so and names the field', () => {
	const bearer = { tokenPlacement: 'bearer' };
	const header = { tokenPlacement: 'header' };
	const refused: Array<[string, Record<string, unknown>, Parameters<typeof invalidToken>[0]]> = [
		['a token with Cyrillic letters', { ...bearer, token: 'sесret' }, 'API Token'],
		['a header name with Cyrillic letters', { ...header, tokenName: 'Токен' }, 'Token Name'],
	];

	test.each(refused)('%s', async (_name, changes, label) => {
		const items = lettersFor(service, 3);
		const parameters = { ...send, ...onceOptions };
		const broken = { parameters, items, credential: credentialFor(service, changes) };
		const first = await runNode(broken);
		const { message, description } = invalidToken(label);
		expect(first.error?.message).toBe(`${message} [Item 0]`);
		expect(first.error?.description).toContain(description);
		const { outputs } = await runNode({ ...broken, node: { onError: 'continueErrorOutput' } });
		expect(outputs[1]!.map(({ json }) => json.error)).toEqual(
			items.map((_, item) => expect.stringContaining(`[Item ${item}]`) as string),
		);
		expect(service.requests).toEqual([]);

		const { json } = await runNode({
			...broken,
			credential: credentialFor(service),
			deduplication: first.options.deduplication,
		});
		expect(json).toEqual(items.map(() => ({ success: true })));
	});

	test('a list in the editor shows the same error', async () => {
		const credential = credentialFor(service, { ...header, tokenName: 'X Token' });
		const loading = loadList('searchListSchemas', {
			parameters: { resource: 'listSchema', operation: 'get' },
			credential,
		});
		await expect(loading).rejects.toMatchObject({ message: invalidToken('Token Name').message });
	});

	test.each([
		[
			"n8n's protection against SSRF",
			'The request was blocked because it resolves to a restricted IP address',
			'The target 10.0.0.1 is not allowed.',
		],
		[
			'a credential that is limited to other domains',
			'Domain not allowed: This credential is restricted from accessing 127.0.0.1.',
			undefined,
		],
		[
			'a credential that was deleted meanwhile',
			'Credential with ID "1" does not exist for type "chatbotServiceApi".',
			undefined,
		],
	])('%s, with the error text of n8n', async (_name, message, description) => {
		jest
			.spyOn(ChatbotServiceApi.prototype, 'authenticate')
			.mockImplementation(async () => await Promise.reject(new UserError(message, { description })));
		for (const operation of operations) {
			const { error } = await runNode({
				parameters: parametersOf(operation.variants[0]!),
				credential: credentialFor(service),
			});
			const failure = refusedByN8n([message, ...(description ? [description] : [])]);
			expect([operation.title, error?.message, error?.description]).toEqual([
				operation.title,
				`${failure.message} [Item 0]`,
				failure.description,
			]);
		}
		expect(service.requests).toEqual([]);
	});
});

describe('a credential that is edited during a run', () => {
	const token = 'a-new-token-of-the-account';

	/** Runs with a credential that is edited after the given number of requests. */
	async function edited(
		changes: Record<string, unknown>,
		{ after, credential, ...options }: { after: number } & RunOptions,
	) {
		const held: ICredentialDataDecryptedObject = { ...credential };
		let editedAt = 0;
		const [result] = await Promise.all([
			runNode({ ...options, credential: held }),
			until(() => service.requests.length >= after).then(() => {
				editedAt = performance.now();
				Object.assign(held, changes);
			}),
		]);
		return { ...result, tookMs: performance.now() - editedAt };
	}

	const tokensAt = ({ requests }: Emulator) => requests.map(({ query }) => query.api_token);

	test('neither token appears in the output, wherever the service repeats them', async () => {
		service.data.accounts.push({ token, apiAccess: true });
		const body = { success: true, before: `?api_token=${service.token}`, after: `?api_token=${token}` };
		service.faults.add({ kind: 'answer', status: 200, body, when: 'after' });
		service.faults.add({ kind: 'delay', ms: [1, 20] });
		const items = lettersFor(service, 90);
		const { run, json } = await edited(
			{ token },
			{ after: 30, parameters: send, items, credential: credentialFor(service) },
		);
		expect(new Set(tokensAt(service))).toEqual(new Set([service.token, token]));
		expect(json).toHaveLength(items.length);
		// The node learns the new token with the edit.
		const written = JSON.stringify(
			json.slice(service.requests.findIndex(({ query }) => query.api_token === token) + 10),
		);
		expect(written).not.toContain(service.token);
		expect(written).not.toContain(token);
		expect(JSON.stringify(run)).not.toContain(service.token);
	});

	test('the new address is used from then on, and its token goes to no other address', async () => {
		other.data.accounts.push({ token, apiAccess: true });
		service.faults.add({ kind: 'delay', ms: 20 });
		const items = Array.from({ length: 80 }, () => ({ id: service.data.contacts.keys().next().value }));
		const { json, error } = await edited(
			{ baseUrl: other.url, token },
			{ after: 20, parameters: attach, items, credential: credentialFor(service) },
		);
		expect(error).toBeUndefined();
		expect(json).toHaveLength(items.length);
		expect(service.requests.length + other.requests.length).toBe(items.length);
		expect(other.requests.length).toBeGreaterThan(40);
		expect(new Set(tokensAt(service))).toEqual(new Set([service.token]));
		expect(new Set(tokensAt(other))).toEqual(new Set([token]));
	});

	test('the new pace applies within seconds, also when the next request is far away', async () => {
		const items = lettersFor(service, 8);
		const { json, tookMs } = await edited(
			{ requestsPerSecond: 20 },
			{ after: 1, parameters: send, items, credential: credentialFor(service, { requestsPerSecond: 0.1 }) },
		);
		expect(json).toHaveLength(items.length);
		// 70 s at the old pace.
		expect(tookMs).toBeLessThan(35_000);
	});

	test('an invalid address fails the remaining items, and nothing more is sent', async () => {
		service.faults.add({ kind: 'delay', ms: 20 });
		const items = lettersFor(service, 100);
		const { outputs } = await edited(
			{ baseUrl: 'https://' },
			{
				after: 20,
				parameters: send,
				items,
				credential: credentialFor(service),
				node: { onError: 'continueErrorOutput' },
			},
		);
		const failed = outputs[1]!.map(({ json }) => String(json.error));
		expect(outputs[0]!.length + failed.length).toBe(items.length);
		expect(outputs[0]!.length).toBe(service.deliveries().length);
		for (const each of failed) expect(each).toContain(invalidAddress().message);
	});
});
