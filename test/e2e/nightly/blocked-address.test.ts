import { addressBlocked } from '../../../nodes/ChatbotService/client/failure/failure';
import { chain } from '../../../sandbox/host';
import { SEEDED } from '../../../sandbox/emulator';
import { credentialFor } from '../../../sandbox/start/sandbox';
import { openOwnBench } from '../support/bench';
import { duringTests } from '../../duringTests';

/* An n8n with SSRF protection, which by default is off in n8n 2. Its list of addresses is that of n8n 3, as far as n8n 2 can have it. */

const bench = duringTests(
	async () =>
		await openOwnBench('blocked-address', {
			env: {
				N8N_SSRF_PROTECTION_ENABLED: 'true',
				N8N_SSRF_BLOCKED_IP_RANGES: 'default,100.64.0.0/10',
				N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
			},
		}),
);

/** Sends a message with another address of the service. */
async function sendTo(url: string) {
	const { api, service } = bench;
	const credential = await api.createCredential(credentialFor({ ...service, url }));
	const parameters = {
		resource: 'message',
		operation: 'send',
		contactId: String(SEEDED.contacts.telegram),
		text: 'Здравствуйте',
	};
	const { id } = await api.createWorkflow(chain(url, [{ name: 'Send', parameters }], credential));
	return await api.runWorkflow(id);
}

test.each([
	['of this machine', () => bench.service.url],
	['that n8n 3 blocks too', () => 'http://100.64.0.1'],
])('an address %s gets nothing, and the node says why', async (_, url) => {
	const { error } = await sendTo(url());
	const { message, description } = addressBlocked([]);
	expect(error?.message).toBe(`${message} [Item 0]`);
	const [advice] = description.split(' n8n says:');
	expect(error?.description).toContain(advice);
	expect(error?.description).toContain(`The target ${new URL(url()).hostname} is not allowed.`);
	expect(bench.service.requests).toEqual([]);
});

test('a server that is allowed by name gets the message', async () => {
	const { error } = await sendTo(bench.service.url.replace('127.0.0.1', 'localhost'));
	expect(error).toBeUndefined();
	expect(bench.service.deliveries()).toMatchObject([{ contactId: SEEDED.contacts.telegram }]);
});
