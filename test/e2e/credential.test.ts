import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { chained, credentialsOf, freePort, manualTrigger } from '../../sandbox/host';
import { SEEDED, TOKEN_WITHOUT_API } from '../../sandbox/emulator';
import { credentialFor } from '../../sandbox/start/sandbox';
import { pairs } from '../engine/n8n/httpRequest';
import { openBench } from './support/bench';
import { duringTests } from '../duringTests';

/* What n8n itself does with the credential. The test of the editor covers how a person creates one. */

const bench = duringTests(openBench);

/** What the test of the credential says when the service answers with this status. */
const wordsOfStatus = (status: number): string =>
	new ChatbotServiceApi().test.rules!.find(({ properties }) => properties.value === status)!.properties
		.message;

describe('test of the credential', () => {
	const testWith = async (changed: Record<string, unknown>) => {
		const { api, credential, service } = bench;
		return await api.testCredential(credential.id, credentialFor(service, changed));
	};

	test.each([
		[
			'with a page of the service as the address',
			() => ({ baseUrl: `${bench.service.url}/account/api?tab=1#key` }),
		],
		['with the token in a header', () => ({ tokenPlacement: 'bearer' })],
	])('it passes %s', async (_, changed) => {
		expect(await testWith(changed())).toMatchObject({ status: 'OK' });
		bench.service.assertContract();
	});

	test.each<[string, () => Record<string, unknown> | Promise<Record<string, unknown>>, string]>([
		['the token is wrong', () => ({ token: 'not-the-token' }), wordsOfStatus(401)],
		['the plan has no access', () => ({ token: TOKEN_WITHOUT_API }), wordsOfStatus(403)],
		['the address is of something else', () => ({ baseUrl: bench.host.url }), wordsOfStatus(404)],
		['nobody answers', async () => ({ baseUrl: `http://127.0.0.1:${await freePort()}` }), 'ECONNREFUSED'],
		['the server has no https', () => ({ baseUrl: new URL(bench.service.url).host }), 'EPROTO'],
		['there is no address', () => ({ baseUrl: 'мой сервис' }), "'Base URL'"],
	])('it says so when %s', async (_, changed, words) => {
		const message = expect.stringContaining(words);
		expect(await testWith(await changed())).toEqual({ status: 'Error', message });
	});
});

// As docs/credential.md says: HTTP Request reaches the endpoints that this node does not cover.
test("n8n's HTTP Request node can use the credential, and then sends the token with it", async () => {
	const { api, credential, service } = bench;
	const request = {
		name: 'Ask',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			url: `${service.url}/api/v1/getBotTags`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: credential.type,
			sendQuery: true,
			queryParameters: pairs({ bot_id: String(SEEDED.bots.school) }),
			sendHeaders: true,
			headerParameters: pairs({ Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' }),
			options: {},
		},
		credentials: credentialsOf(credential),
	};
	const { id } = await api.createWorkflow(chained('Tags by HTTP Request', [manualTrigger, request]));
	expect((await api.runWorkflow(id)).status).toBe('success');
	expect(service.requests.at(-1)).toMatchObject({
		operation: 'getBotTags',
		query: { bot_id: String(SEEDED.bots.school), api_token: service.token },
	});
});
