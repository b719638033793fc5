import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { chain, installPackage, startHost } from '../../../sandbox/host';
import { certificate, SEEDED, startEmulator } from '../../../sandbox/emulator';
import { credentialFor, owner } from '../../../sandbox/start/sandbox';
import { startProxy } from '../../engine/proxy';
import { HostApi } from '../support/api';
import { userFolderOf } from '../support/bench';
import { packedPackage } from '../support/environment';

/** An n8n that reaches the service only through a proxy, and knows the authority of its certificate, as docs/administration.md says. */
test('the proxy and the authority of n8n are used', async () => {
	const userFolder = userFolderOf('own-network');
	await mkdir(userFolder, { recursive: true });
	const authority = join(userFolder, 'authority.pem');
	await writeFile(authority, certificate().cert);
	await installPackage(userFolder, packedPackage());
	const service = await startEmulator({ tls: true });
	const proxy = await startProxy();
	const env = { HTTPS_PROXY: proxy.url, NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: authority };
	const host = await startHost({ userFolder, env });
	const api = new HostApi(host.url);
	await api.signIn(owner);
	/** The tunnels to the service. */
	const tunnels = () =>
		proxy.passages.splice(0).filter(({ target }) => target === new URL(service.url).host).length;

	const data = credentialFor(service);
	const credential = await api.createCredential(data);
	expect(await api.testCredential(credential.id, data)).toMatchObject({ status: 'OK' });
	expect(tunnels()).toBe(1);

	const parameters = { resource: 'tag', operation: 'getManyByBot', botId: String(SEEDED.bots.school) };
	const { id } = await api.createWorkflow(chain('Tags', [{ name: 'Tags', parameters }], credential));
	const { status, error } = await api.runWorkflow(id);
	expect([status, error]).toEqual(['success', undefined]);
	expect(tunnels()).toBeGreaterThan(0);

	await host.stop();
	await proxy.stop();
	await service.stop();
});
