import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { SEEDED, type Emulator, startEmulator } from '../../../sandbox/emulator';
import {
	chained,
	fan,
	type Host,
	itemsNode,
	manualTrigger,
	ourNode,
	packageName,
	startHost,
	type StoredCredential,
	until,
} from '../../../sandbox/host';
import { credentialFor, owner } from '../../../sandbox/start/sandbox';
import packageJson from '../../../package.json';
import { description } from '../../description/editor';
import { input, matching, savedNodes } from '../../fixtures/workflows';
import { HostApi } from '../support/api';
import { packedPackage } from '../support/environment';
import { type Registry, repack, startRegistry } from '../support/registry';

/*
 * The life of an installed package, with n8n's own installer: an older version is installed, it is updated while a workflow runs, and
 * it is removed. The older version is the current one with a lower number. Each test continues where the previous one stopped.
 */

/** Outside of the project, where only n8n's own folders lie above the package. */
let root: string;
let registry: Registry;
let service: Emulator;
let credential: StoredCredential;
let host: Host;
let api: HostApi;

const { version } = packageJson;
const olderVersion = '0.0.1';

async function startN8n(): Promise<void> {
	host = await startHost({ userFolder: join(root, 'user'), env: registry.env });
	api = new HostApi(host.url);
	await api.signIn(owner);
}

beforeAll(async () => {
	root = await mkdtemp(join(tmpdir(), 'n8n-lifecycle-'));
	const { tarball } = packedPackage();
	registry = await startRegistry(
		[await repack(tarball, olderVersion, root), tarball],
		join(root, 'registry'),
	);
	service = await startEmulator();
	await startN8n();
});

afterAll(async () => {
	await host?.stop();
	await service?.stop();
	await registry?.stop();
	await rm(root, { recursive: true, force: true });
});

const installedTypes = async () =>
	(await api.nodeTypes())
		.map(({ name }) => name)
		.filter((name) => name.startsWith(packageName))
		.sort();

test('n8n installs an older version', async () => {
	const installed = await api.installCommunityPackage(`${packageName}@${olderVersion}`);
	expect(installed).toMatchObject({ packageName, installedVersion: olderVersion });
	const asTools = ['', 'HitlTool', 'Tool'];
	expect(await installedTypes()).toEqual(asTools.map((end) => `${packageName}.chatbotService${end}`));
});

test('n8n updates the package while a workflow runs with it', async () => {
	credential = await api.createCredential(credentialFor(service, { requestsPerSecond: 2 }));
	expect(await api.communityPackages()).toMatchObject([{ updateAvailable: version }]);
	const values = Array.from({ length: 30 }, (_, number) => ({ value: `Значение ${number}` }));
	const parameters = {
		resource: 'contactVariable',
		operation: 'upsert',
		contactId: String(SEEDED.contacts.telegram),
		variableName: { __rl: true, mode: 'name', value: 'Уровень' },
		variableValue: '={{ $json.value }}',
	};
	const node = ourNode({ name: 'Set', parameters }, credential);
	const workflow = chained('Paced', [manualTrigger, itemsNode('Values', values), node]);
	const run = api.runWorkflow((await api.createWorkflow(workflow)).id);
	await until(() => service.requests.length >= 2);

	const updated = await api.updateCommunityPackage(packageName);
	expect(updated).toMatchObject({ packageName, installedVersion: version });
	// The requests take fifteen seconds, so the run is still in progress.
	expect(service.requests.length).toBeLessThan(values.length);
	const type = `${packageName}.chatbotService`;
	const installedNodes = [{ name: description.displayName, type, latestVersion: 1 }];
	const authorName = packageJson.author.name;
	expect(await api.communityPackages()).toMatchObject([
		{ installedVersion: version, authorName, failedLoading: false, installedNodes },
	]);

	const { status, error } = await run;
	expect([status, error]).toEqual(['success', undefined]);
	expect(service.requests.map(({ input: { value } }) => ({ value }))).toEqual(values);
});

test('saved nodes run after the update and a restart', async () => {
	await host.stop();
	await startN8n();
	service.reset();
	// Those that don't wait for a person.
	const nodes = savedNodes.filter(({ node }) => node.parameters.operation !== 'sendAndWait');
	const steps = nodes.map(({ node }) => node);
	const workflow = { ...fan('Saved', steps, credential), pinData: { Start: [{ json: input }] } };
	const execution = await api.runWorkflow((await api.createWorkflow(workflow)).id);
	expect(execution.error).toBeUndefined();
	for (const { title, node, outputs } of nodes) {
		const items = outputs.map((_, output) => execution.output(node.name, output).map(({ json }) => json));
		expect([title, items]).toEqual([title, matching(outputs)]);
	}
	expect(service.requests).toHaveLength(nodes.filter(({ sends }) => sends).length);
	service.assertContract();
});

test('n8n removes the package', async () => {
	await api.removeCommunityPackage(packageName);
	expect(await api.communityPackages()).toEqual([]);
	expect(await installedTypes()).toEqual([]);
});
