import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { addressBlocked } from '../../../nodes/ChatbotService/client/failure/failure';
import { chain } from '../../../sandbox/host';
import { certificate, SEEDED, startEmulator } from '../../../sandbox/emulator';
import { credentialFor } from '../../../sandbox/start/sandbox';
import { duringTests } from '../../duringTests';
import { startProxy } from '../../engine/proxy';
import { openOwnBench, userFolderOf } from '../support/bench';

/*
 * An n8n that reaches https only through a proxy, knows the authority of the service's certificate as docs/administration.md says, and
 * has SSRF protection, which by default is off in n8n 2. Its list of addresses is that of n8n 3, as far as n8n 2 can have it.
 */

const folder = 'network';
const authority = join(userFolderOf(folder), 'authority.pem');

const proxy = duringTests(startProxy);
const secure = duringTests(async () => await startEmulator({ tls: true }));
const bench = duringTests(async () => {
	await mkdir(userFolderOf(folder), { recursive: true });
	await writeFile(authority, certificate().cert);
	const env = {
		...{ HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: authority },
		N8N_SSRF_PROTECTION_ENABLED: 'true',
		N8N_SSRF_BLOCKED_IP_RANGES: 'default,100.64.0.0/10',
		N8N_SSRF_ALLOWED_HOSTNAMES: 'localhost',
	};
	return await openOwnBench(folder, { env });
});

/** Reads tags with another address of the service. */
async function askAt(url: string) {
	const { api, service } = bench;
	const data = credentialFor({ ...service, url });
	const credential = await api.createCredential(data);
	const parameters = { resource: 'tag', operation: 'getManyByBot', botId: String(SEEDED.bots.school) };
	const { id } = await api.createWorkflow(chain(url, [{ name: 'Tags', parameters }], credential));
	return { tested: await api.testCredential(credential.id, data), run: await api.runWorkflow(id) };
}

test.each([
	['of this machine', () => bench.service.url],
	['that n8n 3 blocks too', () => 'http://100.64.0.1'],
])('an address %s gets nothing, with a reason', async (_, url) => {
	const { error } = (await askAt(url())).run;
	const { message, description } = addressBlocked([]);
	expect(error?.message).toBe(`${message} [Item 0]`);
	const [advice] = description.split(' n8n says:');
	expect(error?.description).toContain(advice);
	expect(error?.description).toContain(`The target ${new URL(url()).hostname} is not allowed.`);
	expect(bench.service.requests).toEqual([]);
});

test('a server that is allowed by name gets the request', async () => {
	const { run } = await askAt(bench.service.url.replace('127.0.0.1', 'localhost'));
	expect([run.status, run.error]).toEqual(['success', undefined]);
});

test('the proxy and the authority of n8n are used', async () => {
	const { tested, run } = await askAt(secure.url);
	expect([tested.status, run.status, run.error]).toEqual(['OK', 'success', undefined]);
	const tunnels = proxy.passages.filter(({ target }) => target === new URL(secure.url).host);
	// For the test of the credential, and for the node.
	expect(tunnels.length).toBeGreaterThanOrEqual(2);
});
