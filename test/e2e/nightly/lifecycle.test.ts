import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

import {
	chain,
	type Execution,
	type Host,
	HostApi,
	installPackage,
	packageName,
	type PackedPackage,
	startHost,
	until,
} from '../../../sandbox/host';
import { SEEDED, type Emulator, startEmulator } from '../../../sandbox/emulator';
import { owner } from '../../../sandbox/start/sandbox';
import packageJson from '../../../package.json';
import {
	dataFor,
	doing,
	type Fixture,
	fixtures,
	outputsOf,
	prepare,
	type SavedCredential,
	serviceFor,
	triggerOf,
	wanted,
} from '../../fixtures/workflows';
import { description } from '../../description/editor';
import { packedPackage } from '../support/environment';
import { manifestOf, type Registry, repack, startRegistry } from '../support/registry';

/*
 * The life of an installed package, with n8n's own installer: every released version is installed, workflows are saved with
 * it, and it is updated; before the next version, it is removed. Each test continues where the previous one stopped.
 */

const tarballs = join(__dirname, '../fixtures');

/** The released versions, the oldest first. */
const released = readdirSync(tarballs)
	.map((file) => ({
		version: file.slice(`${packageName}-`.length, -'.tgz'.length),
		tarball: join(tarballs, file),
	}))
	.sort((a, b) => a.version.localeCompare(b.version, 'en', { numeric: true }));

/** A saved workflow in n8n, and the service of its credential. */
interface Stored {
	fixture: Fixture;
	id: string;
	service: Emulator;
}

/** Outside of the project, where only n8n's own folders lie above the package. */
let root: string;
let userFolder: string;
let downloads: string;
let current: PackedPackage & { version: string };
let registry: Registry;
let services: Emulator[];
let workflows: Stored[];
let host: Host;
let api: HostApi;

async function startN8n(): Promise<void> {
	host = await startHost({ userFolder, env: registry.env });
	api = new HostApi(host.url);
	await api.signIn(owner);
}

beforeAll(async () => {
	root = await mkdtemp(join(tmpdir(), 'n8n-lifecycle-'));
	userFolder = join(root, 'user');
	downloads = join(userFolder, '.n8n', 'nodes');
	current = await newerThanReleased(packedPackage());
	const published = released.map(({ tarball }) => tarball);
	registry = await startRegistry([...published, current.tarball], join(root, 'registry'));
	services = [];
	workflows = [];
	await startN8n();
});

afterAll(async () => {
	await host?.stop();
	for (const service of services ?? []) await service.stop();
	await registry?.stop();
	await rm(root, { recursive: true, force: true });
});

describe.each(released)('version $version', ({ version, tarball }) => {
	test('n8n installs the released version', async () => {
		// The previous pass has left the current version installed.
		for (const { packageName: name } of await api.communityPackages()) await api.removeCommunityPackage(name);
		expect(await nodeTypes()).toEqual([]);
		const installed = await api.installCommunityPackage(`${packageName}@${version}`);
		expect(installed).toMatchObject({ packageName, installedVersion: version });
		expect(await nodeTypes()).toEqual([`${packageName}.chatbotService`, `${packageName}.chatbotServiceTool`]);
		await expectAsInstalledByUs({ tarball });
	});

	test('workflows saved with the released version run correctly', async () => {
		await storeWorkflows(version);
		await expectToRunAsSaved(version);
	});

	test('n8n updates the released version while a workflow runs with it', async () => {
		expect(await api.communityPackages()).toMatchObject([{ updateAvailable: current.version }]);
		const values = Array.from({ length: 30 }, (_, number) => `Значение ${number}`);
		const { service, run } = await startPacedRun(values);

		const updated = await api.updateCommunityPackage(packageName);
		expect(updated).toMatchObject({ packageName, installedVersion: current.version });
		// The requests take fifteen seconds, so the run is still in progress.
		expect(service.requests.length).toBeLessThan(values.length);
		expect(await api.communityPackages()).toMatchObject([
			{
				installedVersion: current.version,
				authorName: packageJson.author.name,
				failedLoading: false,
				installedNodes: [
					{ name: description.displayName, type: `${packageName}.chatbotService`, latestVersion: 1 },
				],
			},
		]);
		await expectAsInstalledByUs(current);

		const { status, error } = await run;
		expect([status, error]).toEqual(['success', undefined]);
		expect(service.requests.map(({ input }) => input.value)).toEqual(values);
	});

	test('workflows saved with the released version run correctly after the update', async () =>
		await expectToRunAsSaved(version));
});

test('the workflows saved with all released versions run correctly after a restart', async () => {
	expect(workflows).toHaveLength(fixtures.length);
	await host.stop();
	await startN8n();
	await expectToRunAsSaved();
});

/** The package that the setup has packed, with a higher version number if that version is not released yet. */
async function newerThanReleased(packed: PackedPackage): Promise<typeof current> {
	const { version } = await manifestOf(packed.tarball, root);
	if (!released.some((each) => each.version === version)) return { ...packed, version };
	const higher = version.replace(/\d+$/, (patch) => String(Number(patch) + 1));
	return { tarball: await repack(packed.tarball, higher, root), version: higher };
}

async function nodeTypes(): Promise<string[]> {
	const names = (await api.nodeTypes()).map(({ name }) => name);
	return names.filter((name) => name.startsWith(packageName)).sort();
}

/** n8n's installer has left the same files as the sandbox's installer, which the other tests use. */
async function expectAsInstalledByUs(packed: PackedPackage): Promise<void> {
	const ours = await mkdtemp(join(root, 'ours-'));
	await installPackage(ours, packed);
	const installed = await filesIn(downloads);
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

/** Imports the workflows saved with a version into n8n, each with its own service and credential. */
async function storeWorkflows(version: string): Promise<void> {
	const credentials = new Map<SavedCredential, { id: string; service: Emulator }>();
	for (const fixture of fixtures.filter((each) => each.version === version)) {
		const { credential, workflow } = fixture;
		if (!credentials.has(credential)) {
			const service = await serviceFor(credential);
			services.push(service);
			const { id } = await api.createCredential({ ...credential, data: dataFor(credential, service) });
			credentials.set(credential, { id, service });
		}
		const { id: credentialId, service } = credentials.get(credential)!;
		const nodes = workflow.nodes.map((node) =>
			node.credentials
				? { ...node, credentials: { [credential.type]: { id: credentialId, name: credential.name } } }
				: node,
		);
		const { id } = await api.createWorkflow({ ...workflow, nodes } as never);
		workflows.push({ fixture, id, service });
	}
}

/** Runs the workflows saved with a version, or all of them. */
async function expectToRunAsSaved(version?: string): Promise<void> {
	for (const { fixture, id, service } of workflows) {
		if (version !== undefined && fixture.version !== version) continue;
		prepare(service, fixture);
		const execution = await api.runWorkflow(id);
		const runs = Object.fromEntries(execution.nodes.map((node) => [node, execution.runs(node)]));
		const outputs = outputsOf(runs as never, triggerOf(fixture.workflow).name);
		const title = `${fixture.version}, ${fixture.name}`;
		expect([title, doing(fixture, service, outputs, execution.error)]).toEqual([title, wanted(fixture)]);
		service.assertContract();
	}
}

/** Starts to set a variable to different values, two per second, and waits for the first ones. */
async function startPacedRun(values: string[]): Promise<{ service: Emulator; run: Promise<Execution> }> {
	const service = await startEmulator();
	services.push(service);
	const credential = await api.createCredential({
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
	const workflow = chain('Paced', [{ name: 'Set', parameters }], credential);
	const { id } = await api.createWorkflow({
		...workflow,
		nodes: workflow.nodes.map((node) => ({ ...node, executeOnce: false })),
		pinData: { Start: values.map((value) => ({ json: { value } })) },
	});
	const run = api.runWorkflow(id);
	await until(() => service.requests.length >= 2);
	return { service, run };
}
