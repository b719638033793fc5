import { SEEDED } from '../../sandbox/service';
import { openBench, type Bench } from './support/bench';
import { manualTrigger, pairs } from './support/workflow';

/* What docs/credential.md says of n8n's HTTP Request node, which reaches what this node does not cover. */

let bench: Bench;
beforeAll(async () => {
	bench = await openBench('http-request');
});
afterAll(async () => await bench.stop());

test("n8n's HTTP Request node can use the credential, and then sends the token with it", async () => {
	const { api, service } = bench;
	const [credential] = await api.credentials();
	const { id } = await api.createWorkflow({
		name: 'Tags by HTTP Request',
		nodes: [
			manualTrigger,
			{
				id: 'ask',
				name: 'Ask',
				type: 'n8n-nodes-base.httpRequest',
				typeVersion: 4.2,
				position: [200, 0],
				parameters: {
					url: `${service.url}/api/v1/getBotTags`,
					authentication: 'predefinedCredentialType',
					nodeCredentialType: credential!.type,
					sendQuery: true,
					queryParameters: pairs({ bot_id: String(SEEDED.bots.school) }),
					sendHeaders: true,
					headerParameters: pairs({ Accept: 'application/json', 'X-Requested-With': 'XMLHttpRequest' }),
					options: {},
				},
				credentials: { [credential!.type]: { id: credential!.id, name: credential!.name } },
			},
		],
		connections: { [manualTrigger.name]: { main: [[{ node: 'Ask', type: 'main', index: 0 }]] } },
		settings: { executionOrder: 'v1' },
	});
	const execution = await api.runWorkflow(id);
	expect(execution.status).toBe('success');
	const { operation, query } = service.requests.at(-1)!;
	expect({ operation, query }).toEqual({
		operation: 'getBotTags',
		query: { bot_id: String(SEEDED.bots.school), api_token: service.token },
	});
});
