import { chained, credentialsOf, manualTrigger } from '../../sandbox/host';
import { SEEDED, TOKEN_WITHOUT_API } from '../../sandbox/emulator';
import { credentialFor } from '../../sandbox/start/sandbox';
import { openBench } from './support/bench';
import { duringTests } from './support/duringTests';
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

	test.each<[string, Record<string, unknown>, RegExp]>([
		['no address', { baseUrl: 'мой сервис' }, /^Base URL is not a valid URL/],
		['no pace', { requestsPerSecond: 'быстро' }, /^Requests per Second must be a number, 0 or more/],
	])('the test of the credential explains the error when there is %s', async (_, changed, words) => {
		const outcome = await testWith(changed);
		expect(outcome).toMatchObject({ status: 'Error', message: expect.stringMatching(words) as string });
	});

	test('the test of the credential passes with the token in a header', async () => {
		expect(await testWith({ tokenPlacement: 'bearer' })).toMatchObject({ status: 'OK' });
	});

	test('the test of the credential says that the plan has no access', async () => {
		const { status, message } = await testWith({ token: TOKEN_WITHOUT_API });
		expect(status).toBe('Error');
		expect(message).toMatch(/plan/i);
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
