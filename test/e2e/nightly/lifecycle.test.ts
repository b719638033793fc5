import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

import { SEEDED, type Emulator, startEmulator } from '../../../sandbox/emulator';
import {
	chain,
	fan,
	type Host,
	installPackage,
	packageName,
	type PackedPackage,
	startHost,
	type StoredCredential,
	until,
} from '../../../sandbox/host';
import { owner } from '../../../sandbox/start/sandbox';
import packageJson from '../../../package.json';
import { description } from '../../description/editor';
import { input, matching, savedNodes, sentBy, sentIn } from '../../fixtures/workflows';
import { HostApi } from '../support/api';
import { packedPackage } from '../support/environment';
import { type Registry, repack, startRegistry } from '../support/registry';

/*
 * The life of an installed package, with n8n's own installer: an older version is installed, workflows run with it, it is updated, and
 * it is removed. The older version is the current one with a lower number. Each test continues where the previous one stopped.
 */

/** Outside of the project, where only n8n's own folders lie above the package. */
let root: string;
let userFolder: string;
let older: PackedPackage;
let registry: Registry;
let service: Emulator;
let credential: StoredCredential;
let host: Host;
let api: HostApi;

const { version } = packageJson;
const olderVersion = '0.0.1';

/** Those that don't wait for a person. */
const nodes = savedNodes.filter(({ node }) => node.parameters.operation !== 'sendAndWait');
let workflowId: string;

async function startN8n(): Promise<void> {
	host = await startHost({ userFolder, env: registry.env });
	api = new HostApi(host.url);
	await api.signIn(owner);
}

beforeAll(async () => {
	root = await mkdtemp(join(tmpdir(), 'n8n-lifecycle-'));
	userFolder = join(root, 'user');
	older = { tarball: await repack(packedPackage().tarball, olderVersion, root) };
	registry = await startRegistry([older.tarball, packedPackage().tarball], join(root, 'registry'));
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
	await expectAsInstalledByUs(older);
});

test('saved nodes run correctly with it', async () => {
	credential = await api.createCredential({
		name: 'Saved',
		type: 'chatbotServiceApi',
		data: { baseUrl: service.url, token: service.token, tokenPlacement: 'bearer', requestsPerSecond: 0 },
	});
	const workflow = fan(
		'Saved',
		nodes.map(({ node }) => node),
		credential,
	);
	({ id: workflowId } = await api.createWorkflow({ ...workflow, pinData: { Start: [{ json: input }] } }));
	await expectToRunAsSaved();
});

test('n8n updates the package while a workflow runs with it', async () => {
	expect(await api.communityPackages()).toMatchObject([{ updateAvailable: version }]);
	const values = Array.from({ length: 30 }, (_, number) => `Значение ${number}`);
	const { run } = await startPacedRun(values);

	const updated = await api.updateCommunityPackage(packageName);
	expect(updated).toMatchObject({ packageName, installedVersion: version });
	// The requests take fifteen seconds, so the run is still in progress.
	expect(service.requests.length).toBeLessThan(values.length);
	expect(await api.communityPackages()).toMatchObject([
		{
			installedVersion: version,
			authorName: packageJson.author.name,
			failedLoading: false,
			installedNodes: [
				{ name: description.displayName, type: `${packageName}.chatbotService`, latestVersion: 1 },
			],
		},
	]);
	await expectAsInstalledByUs(packedPackage());

	const { status, error } = await run;
	expect([status, error]).toEqual(['success', undefined]);
	expect(service.requests.map(({ input: { value } }) => value)).toEqual(values);
});

test('saved nodes run correctly after the update', async () => await expectToRunAsSaved());

test('saved nodes run correctly after a restart', async () => {
	await host.stop();
	await startN8n();
	await expectToRunAsSaved();
});

test('n8n removes the package', async () => {
	await api.removeCommunityPackage(packageName);
	expect(await api.communityPackages()).toEqual([]);
	expect(await installedTypes()).toEqual([]);
});

/** n8n's installer has left the same files as the sandbox's installer, which the other tests use. */
async function expectAsInstalledByUs(packed: PackedPackage): Promise<void> {
	const ours = await mkdtemp(join(root, 'ours-'));
	await installPackage(ours, packed);
	const installed = await filesIn(join(userFolder, '.n8n', 'nodes'));
	expect(Object.keys(installed).length).toBeGreaterThan(10);
	expect(installed).toEqual(await filesIn(join(ours, '.n8n', 'nodes')));
}

/** All files in a folder and its subfolders: digests of their contents by path. */
async function filesIn(folder: string): Promise<Record<string, string>> {
	const entries = await readdir(folder, { withFileTypes: true, recursive: true });
	const paths = entries
		.filter((entry) => entry.isFile())
		.map((entry) => resolve(entry.parentPath, entry.name));
	const files = paths.sort().map(async (path): Promise<[string, string]> => {
		const digest = createHash('sha256')
			.update(await readFile(path))
			.digest('hex');
		return [relative(folder, path), digest];
	});
	return Object.fromEntries(await Promise.all(files));
}

async function expectToRunAsSaved(): Promise<void> {
	service.reset();
	const execution = await api.runWorkflow(workflowId);
	expect(execution.error).toBeUndefined();
	for (const { title, node, outputs } of nodes) {
		const items = outputs.map((_, output) => execution.output(node.name, output).map(({ json }) => json));
		expect([title, items]).toEqual([title, matching(outputs)]);
	}
	const expected = nodes.flatMap(sentBy);
	expect(service.requests).toHaveLength(expected.length);
	expect(sentIn(service.requests)).toEqual(expect.arrayContaining(expected));
	service.assertContract();
}

/** Starts to set a variable to different values, two per second, and waits for the first ones. */
async function startPacedRun(values: string[]) {
	service.reset();
	const paced = await api.createCredential({
		name: 'Paced',
		type: 'chatbotServiceApi',
		data: { baseUrl: service.url, token: service.token, requestsPerSecond: 2 },
	});
	const parameters = {
		resource: 'contactVariable',
		operation: 'upsert',
		contactId: String(SEEDED.contacts.telegram),
		variableName: { __rl: true, mode: 'name', value: 'Уровень' },
		variableValue: '={{ $json.value }}',
	};
	const workflow = chain('Paced', [{ name: 'Set', parameters }], paced);
	const { id } = await api.createWorkflow({
		...workflow,
		nodes: workflow.nodes.map((node) => ({ ...node, executeOnce: false })),
		pinData: { Start: values.map((value) => ({ json: { value } })) },
	});
	const run = api.runWorkflow(id);
	await until(() => service.requests.length >= 2);
	return { run };
}
