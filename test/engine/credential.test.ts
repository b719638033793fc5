import type { ICredentialDataDecryptedObject } from 'n8n-workflow';
import { UserError } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import type { Emulator } from '../../sandbox/emulator';
import { operations, parametersOf } from '../operations';
import { credentialFor, loadList, runNode, until, useEmulator, type RunOptions } from './harness';
import { attach, lettersFor, send } from './messages';

/* What n8n or Node.js rejects before a connection is made, and a credential that is edited while a run uses it. */

const service = useEmulator();
const other = useEmulator();

afterEach(() => jest.restoreAllMocks());

const onceOptions = { options: { sendOncePer: 'осень' } };

describe('nothing is sent, and the error says so and names the field', () => {
	const bearer = { tokenPlacement: 'bearer' };
	const header = { tokenPlacement: 'header' };
	const refused: Array<[string, Record<string, unknown>, string]> = [
		['a token with Cyrillic letters', { ...bearer, token: 'sесret' }, 'API Token'],
		['a header name with Cyrillic letters', { ...header, tokenName: 'Токен' }, 'Token Name'],
	];

	test.each(refused)('%s', async (_name, changes, label) => {
		const items = lettersFor(service, 3);
		const parameters = { ...send, ...onceOptions };
		const broken = { parameters, items, credential: credentialFor(service, changes) };
		const first = await runNode(broken);
		expect(first.error?.message).toBe(
			`'${label}' in the credential contains characters that are not allowed in a header [Item 0]`,
		);
		expect(first.error?.description).toMatch(/^Nothing was sent\./);
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
		await expect(loading).rejects.toMatchObject({
			message: "'Token Name' in the credential contains characters that are not allowed in a header",
		});
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
			expect([operation.title, error?.message]).toEqual([
				operation.title,
				'n8n did not send the request [Item 0]',
			]);
			expect(error?.description).toMatch(/^Nothing was sent\./);
			expect(error?.description).toContain(message);
			if (description) expect(error?.description).toContain(description);
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
		for (const each of failed) expect(each).toContain("'Base URL' in the credential is not a valid URL");
	});
});
