import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { chained, credentialsOf, manualTrigger, ourNode, workflowOver } from '../../sandbox/host';
import { SEEDED, TOKEN_WITHOUT_API } from '../../sandbox/emulator';
import { credentialFor } from '../../sandbox/start/sandbox';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';
import { wordsOfStatus } from './support/words';
import { pairs } from '../../sandbox/workflow/httpRequest';

/* What n8n itself does with the credential. The test of the editor covers how a person creates one. */

const bench = duringTests(openBench);

describe('test of the credential', () => {
	const testWith = async (changed: Record<string, unknown>) => {
		const { api, credential, service } = bench;
		return await api.testCredential(credential.id, credentialFor(service, changed));
	};

	test.each(['', '/account/api?tab=1#key'])(
		'the test of the credential passes with "%s" after the address',
		async (ending) => {
			expect(await testWith({ baseUrl: bench.service.url + ending })).toMatchObject({ status: 'OK' });
			bench.service.assertContract();
		},
	);

	test.each<[string, Record<string, unknown>]>([
		['no address', { baseUrl: 'мой сервис' }],
		['no pace', { requestsPerSecond: 'быстро' }],
	])('the test of the credential explains the error when there is %s', async (_, changed) => {
		const { data } = credentialFor(bench.service, changed);
		const message = await new ChatbotServiceApi()
			.authenticate(data as ICredentialDataDecryptedObject, { url: '' })
			.then(String, (error: Error) => error.message);
		expect(await testWith(changed)).toEqual({ status: 'Error', message });
	});

	test('the test of the credential passes with the token in a header', async () => {
		expect(await testWith({ tokenPlacement: 'bearer' })).toMatchObject({ status: 'OK' });
	});

	test('the test of the credential says that the plan has no access', async () => {
		const outcome = await testWith({ token: TOKEN_WITHOUT_API });
		expect(outcome).toEqual({ status: 'Error', message: wordsOfStatus(403) });
	});
});

// As docs/credential.md says: HTTP Request reaches the endpoints that this node does not cover.
test("n8n's HTTP Request node can use the credential, and then sends the token with it", async () => {
	const { api, credential, service } = bench;
	const { id } = await api.createWorkflow(
		chained('Tags by HTTP Request', [
			manualTrigger,
			{
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
			},
		]),
	);
	expect((await api.runWorkflow(id)).status).toBe('success');
	const { operation, query } = service.requests.at(-1)!;
	expect({ operation, query }).toEqual({
		operation: 'getBotTags',
		query: { bot_id: String(SEEDED.bots.school), api_token: service.token },
	});
});

test.each<[string, (own: string, row: number) => string, string, number]>([
	['differs', (own, row) => (row === 1 ? 'чужой' : own), 'error', 0],
	['is the same', (own) => own, 'success', 3],
])('with an expression for the token in the credential that %s for the items, %#', async (...row) => {
	const [name, tokenOf, status, sent] = row;
	const { api, service } = bench;
	service.requests.length = 0;
	const credential = await api.createCredential(
		credentialFor(service, { token: '={{ $json.token }}', requestsPerSecond: 0 }),
	);
	const items = [0, 1, 2].map((index) => ({ token: tokenOf(service.token, index) }));
	const parameters = { resource: 'tag', operation: 'getManyByBot', botId: String(SEEDED.bots.school) };
	const ours = ourNode({ name: 'Node', parameters }, credential);
	const { id } = await api.createWorkflow(workflowOver(name, items, ours));
	expect((await api.runWorkflow(id)).status).toBe(status);
	expect(service.requests).toHaveLength(sent);
});
