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

type Changed = () => Record<string, unknown> | Promise<Record<string, unknown>>;

test.each<[string, Changed, string]>([
	['with an address of a page', () => ({ baseUrl: `${bench.service.url}/account/api?tab=1#key` }), ''],
	['with the token in a header', () => ({ tokenPlacement: 'bearer' }), ''],
	['with a wrong token', () => ({ token: 'not-the-token' }), wordsOfStatus(401)],
	['without access in the plan', () => ({ token: TOKEN_WITHOUT_API }), wordsOfStatus(403)],
	['with an address of something else', () => ({ baseUrl: bench.host.url }), wordsOfStatus(404)],
	['if nobody answers', async () => ({ baseUrl: `http://127.0.0.1:${await freePort()}` }), 'ECONNREFUSED'],
	['without https', () => ({ baseUrl: new URL(bench.service.url).host }), 'EPROTO'],
	['without an address', () => ({ baseUrl: 'мой сервис' }), "'Base URL'"],
])('the test of a credential %s', async (_, changed, words) => {
	const { api, credential, service } = bench;
	const tested = await api.testCredential(credential.id, credentialFor(service, await changed()));
	if (words) expect(tested).toEqual({ status: 'Error', message: expect.stringContaining(words) });
	else expect(tested).toMatchObject({ status: 'OK' });
	service.assertContract();
});

// As docs/credential.md says: HTTP Request reaches the endpoints that this node does not cover.
test('HTTP Request can use the credential', async () => {
	const { api, credential, service } = bench;
	const query = { bot_id: String(SEEDED.bots.school) };
	const headers = { Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' };
	const request = {
		...{ name: 'Ask', type: 'n8n-nodes-base.httpRequest', typeVersion: 4.2 },
		parameters: {
			url: `${service.url}/api/v1/getBotTags`,
			...{ authentication: 'predefinedCredentialType', nodeCredentialType: credential.type },
			...{ sendQuery: true, queryParameters: pairs(query) },
			...{ sendHeaders: true, headerParameters: pairs(headers) },
			options: {},
		},
		credentials: credentialsOf(credential),
	};
	const { id } = await api.createWorkflow(chained('Tags by HTTP Request', [manualTrigger, request]));
	expect((await api.runWorkflow(id)).status).toBe('success');
	expect(service.requests.at(-1)).toMatchObject({
		operation: 'getBotTags',
		query: { ...query, api_token: service.token },
	});
});
