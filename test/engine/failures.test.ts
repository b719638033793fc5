import { UserError } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import {
	accessRefused,
	invalidAddress,
	invalidToken,
	invalidValues,
	notAttempted,
	refusedByN8n,
	tokenRefused,
	unsupportedN8n,
	valuesMissing,
	valuesRefused,
	type Failure,
} from '../../nodes/ChatbotService/client/failure/failure';
import { address, contactId } from '../../nodes/ChatbotService/resources/kinds';
import { SEEDED, TOKEN_WITHOUT_API } from '../../sandbox/emulator';
import { operationOf, parametersOf } from '../operations';
import { labelOf } from '../operations/words';
import { credentialFor, loadList, runNode, until, useEmulator, type RunOptions } from './harness';
import { attach, lettersFor, problemOf, send } from './messages';

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
const errorOutput = { onError: 'continueErrorOutput' } as const;
const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credential(), items: [good], ...options });

test('the error names all wrong values of an item and what to enter, and nothing is sent', async () => {
	const wrong = { contactId: '={{ "x" }}', content: ['text', 'image'], imageUrl: '={{ "y" }}' };
	const { error } = await run({ parameters: { ...send, ...wrong } });
	const { message, description } = invalidValues([
		problemOf(contactId('x', labelOf('message/send', 'contactId'))),
		problemOf(address('y', labelOf('message/send', 'imageUrl'))),
	]);
	expect(error).toMatchObject({ message: `${message} [Item 0]`, description, httpCode: 'none' });
	expect(service.requests).toEqual([]);
});

test.each<[string, string, Record<string, unknown>, typeof valuesRefused]>([
	['newFieldSlug', 'listSchema/addField', { schemaId: schemas.orders, newFieldSlug: 'phone' }, valuesRefused],
	['contactName', 'message/sendToWhatsApp', { phone: '+79990001122', contactName: '' }, valuesMissing],
])('a refusal of the service names the field %s as in the editor, and quotes it', async (...row) => {
	const [name, title, changes, failure] = row;
	const { error } = await run({ parameters: parametersOf(operationOf(title).variants[0]!, changes) });
	const { message } = failure(422, [labelOf(title, name)], '');
	expect(error?.message).toBe(`${message} [Item 0]`);
	expect(error?.description).toMatch(/".*[а-яё].*"\.$/i);
});

describe('a credential that does not work', () => {
	const expected = [{ label: labelOf('message/send', 'contactId'), whatItIs: '' }];
	const noAccess = accessRefused(403, { expected, isForeign: false });

	test.each<[string, Record<string, unknown>, Failure, number]>([
		['a wrong token', { token: 'wrong-token' }, tokenRefused(401), 1],
		['a plan without API access', { token: TOKEN_WITHOUT_API }, noAccess, 1],
		['an invalid Base URL', { baseUrl: 'https://' }, invalidAddress(), 0],
	])('the error names %s as the cause', async (_, changes, { message, description }, requests) => {
		const { error } = await run({ credential: credential(changes) });
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(error?.description).toContain(description);
		expect(service.requests).toHaveLength(requests);
	});

	test.each<[string, Record<string, unknown>, Parameters<typeof invalidToken>[0]]>([
		['a token with Cyrillic letters', { tokenPlacement: 'bearer', token: 'sесret' }, 'API Token'],
		[
			'a header name with a space',
			{ tokenPlacement: 'header', tokenName: 'X Token' },
			'Parameter or Header Name',
		],
	])('with %s sends nothing, and each item is sent once it is corrected', async (_, changes, label) => {
		const items = lettersFor(service, 3);
		const parameters = { ...send, options: { sendOncePer: 'осень' } };
		const broken = credential(changes);
		const { message, description } = invalidToken(label);
		const first = await run({ parameters, items, credential: broken });
		expect(first.error?.message).toBe(`${message} [Item 0]`);
		expect(first.error?.description).toContain(description);
		const { outputs } = await run({ parameters, items, credential: broken, node: errorOutput });
		expect(outputs[1]!.map(({ json }) => json.error)).toEqual(
			items.map((_item, index) => `${message} [Item ${index}]`),
		);
		const list = { parameters: { resource: 'listSchema', operation: 'get' }, credential: broken };
		await expect(loadList('searchListSchemas', list)).rejects.toMatchObject({ message });
		expect(service.requests).toEqual([]);

		const { json } = await run({ parameters, items, deduplication: first.options.deduplication });
		expect(json).toEqual(items.map(() => ({ success: true })));
	});

	test('that was deleted meanwhile: the error has the words of n8n', async () => {
		const said = 'Credential with ID "1" does not exist for type "chatbotServiceApi".';
		jest
			.spyOn(ChatbotServiceApi.prototype, 'authenticate')
			.mockImplementation(async () => await Promise.reject(new UserError(said)));
		const { error } = await run({});
		const { message, description } = refusedByN8n([said]);
		expect(error).toMatchObject({ message: `${message} [Item 0]`, description });
		expect(service.requests).toEqual([]);
	});
});

describe('in an n8n that passes a copy of a request to its credential', () => {
	beforeEach(() => {
		const { authenticate } = ChatbotServiceApi.prototype;
		jest
			.spyOn(ChatbotServiceApi.prototype, 'authenticate')
			.mockImplementation(async (held, options) => await authenticate(held, { ...options }));
	});
	const [inDoubt, unsent] = (['unknown', 'notDone'] as const).map((outcome) => unsupportedN8n(outcome));

	test('the error of a run says so, and its outcome is unknown', async () => {
		const slow = credential({ requestsPerSecond: 0.01 });
		const { error } = await run({ items: lettersFor(service, 10), credential: slow });
		expect(error?.message).toBe(`${inDoubt!.message} [Item 0]`);
		expect(error?.description).toContain(inDoubt!.description);
		expect(error?.description).toMatch(/may have been sent/);
		expect(service.requests).toHaveLength(1);
	});

	test('a broadcast ends with its first requests, the first of which are in doubt', async () => {
		const { outputs } = await run({ items: lettersFor(service, 100), node: errorOutput });
		const inFlight = service.requests.length;
		// As many as may be in flight.
		expect(inFlight).toBeLessThanOrEqual(10);
		const errors = outputs[1]!.map(({ json }) => String(json.error).replace(/ \[.*/, ''));
		expect(errors).toHaveLength(100);
		expect(errors.slice(0, inFlight)).toEqual(Array(inFlight).fill(inDoubt!.message));
		// Three refusals in a row end the run. The answers of those in flight can come in between.
		expect(new Set(errors.slice(60))).toEqual(new Set([notAttempted(unsent!).message]));
	});

	test('a list of the editor cannot be loaded', async () => {
		const parameters = { resource: 'listSchema', operation: 'get' };
		const loaded = loadList('searchListSchemas', { parameters, credential: credential() });
		await expect(loaded).rejects.toMatchObject({ message: inDoubt!.message });
	});
});

describe('a credential that is edited during a run', () => {
	const token = 'a-new-token-of-the-account';

	/** Runs with a credential that is edited after the given number of requests. */
	async function edited(after: number, changes: Record<string, unknown>, options: Partial<RunOptions>) {
		const held = credential();
		const [result] = await Promise.all([
			run({ ...options, credential: held }),
			until(() => service.requests.length >= after).then(() => Object.assign(held, changes)),
		]);
		return result;
	}

	const tokensAt = ({ requests }: typeof service) => new Set(requests.map(({ query }) => query.api_token));

	test('neither token appears in the output, wherever the service repeats them', async () => {
		service.data.accounts.push({ token, apiAccess: true });
		const body = { success: true, before: `?api_token=${service.token}`, after: `?api_token=${token}` };
		service.faults.add({ kind: 'answer', status: 200, body, when: 'after' });
		service.faults.add({ kind: 'delay', ms: [1, 20] });
		const { run: ran, json } = await edited(30, { token }, { items: lettersFor(service, 90) });
		expect(tokensAt(service)).toEqual(new Set([service.token, token]));
		expect(json).toHaveLength(90);
		expect(JSON.stringify(ran)).not.toContain(service.token);
		// The node learns the new token with the edit.
		const first = service.requests.findIndex(({ query }) => query.api_token === token);
		expect(JSON.stringify(json.slice(first + 10))).not.toContain(token);
	});

	test('the new address is used from then on, and its token goes to no other address', async () => {
		other.data.accounts.push({ token, apiAccess: true });
		service.faults.add({ kind: 'delay', ms: 20 });
		const items = Array.from({ length: 80 }, () => ({ id: contacts.telegram }));
		const { json } = await edited(20, { baseUrl: other.url, token }, { parameters: attach, items });
		expect(json).toHaveLength(80);
		expect(service.requests.length + other.requests.length).toBe(80);
		expect(other.requests.length).toBeGreaterThan(40);
		expect(tokensAt(service)).toEqual(new Set([service.token]));
		expect(tokensAt(other)).toEqual(new Set([token]));
	});

	test('an invalid address fails the remaining items, and nothing more is sent', async () => {
		service.faults.add({ kind: 'delay', ms: 20 });
		const items = lettersFor(service, 100);
		const { outputs } = await edited(20, { baseUrl: 'https://' }, { items, node: errorOutput });
		const [done, failed] = outputs.map((output) => output.map(({ json }) => String(json.error)));
		expect(done!.length).toBe(service.deliveries().length);
		expect(done!.length + failed!.length).toBe(100);
		expect(failed!.filter((error) => !error.includes(invalidAddress().message))).toEqual([]);
	});
});
