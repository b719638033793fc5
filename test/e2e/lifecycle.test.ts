import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';

import {
	type CommunityPackage,
	type Execution,
	type Host,
	HostApi,
	installPackage,
	packageName,
	type PackedPackage,
	registerPackage,
	startHost,
} from '../../sandbox/host';
import { SEEDED, type Service } from '../../sandbox/service';
import { owner } from '../../sandbox/start/sandbox';
import {
	dataFor,
	doing,
	type Fixture,
	fixtures,
	outputsOf,
	prepare,
	serviceFor,
	triggerOf,
	wanted,
} from '../fixtures/workflows';
import { packedPackage } from './support/environment';
import { manifestOf, type Registry, repack, startRegistry } from './support/registry';
import { chain } from './support/workflow';

/*
 * The life of an installed package, by n8n's own installer: the version before is installed and workflows are saved, it is
 * updated, removed, and installed again. Each test goes on where the one before it stopped.
 */

const previousVersion = '0.1.0';
const previousTarball = join(__dirname, 'fixtures', `${packageName}-${previousVersion}.tgz`);
const saved = fixtures.filter(({ version }) => version === previousVersion);

/** Outside of the project, where nothing but n8n's own folders lies above the package. */
let root: string;
let userFolder: string;
let downloads: string;
let current: PackedPackage & { version: string };
let registry: Registry;
let services: Map<string, Service>;
let workflows: Map<Fixture, string>;
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
	current = await newerThanPrevious(packedPackage());
	registry = await startRegistry([previousTarball, current.tarball], join(root, 'registry'));
	services = new Map();
	for (const { credential } of saved) {
		if (!services.has(credential.name)) services.set(credential.name, await serviceFor(credential));
	}
	await startN8n();
});

afterAll(async () => {
	await host?.stop();
	for (const service of services?.values() ?? []) await service.stop();
	await registry?.stop();
	await rm(root, { recursive: true, force: true });
});

test('n8n installs the version before', async () => {
	const installed = await api.installCommunityPackage(`${packageName}@${previousVersion}`);
	expect(installed).toMatchObject({ packageName, installedVersion: previousVersion });
	expect(await nodeTypes()).toEqual([`${packageName}.chatbotService`, `${packageName}.chatbotServiceTool`]);
	await expectAsInstalledByUs({ tarball: previousTarball, digest: 'previous' });
});

test('the sandbox notes a package in the database as n8n does', async () => {
	const undated = (listed: CommunityPackage[]) =>
		listed.map((entry) => ({ ...entry, createdAt: undefined, updatedAt: undefined }));
	const asN8nDoes = undated(await api.communityPackages());
	await registerPackage(userFolder, await api.nodeTypes());
	expect(undated(await api.communityPackages())).toEqual(asN8nDoes);
});

test('workflows saved with it run as they must', async () => {
	const credentials = new Map<string, string>();
	workflows = new Map();
	for (const fixture of saved) {
		const { credential, workflow } = fixture;
		const data = dataFor(credential, services.get(credential.name)!);
		const id = credentials.get(credential.name) ?? (await api.createCredential({ ...credential, data })).id;
		credentials.set(credential.name, id);
		const nodes = workflow.nodes.map((node) =>
			node.credentials
				? { ...node, credentials: { [credential.type]: { id, name: credential.name } } }
				: node,
		);
		workflows.set(fixture, (await api.createWorkflow({ ...workflow, nodes } as never)).id);
	}
	await expectToRunAsSaved();
});

test('n8n updates it while it runs', async () => {
	expect(await api.communityPackages()).toMatchObject([{ updateAvailable: current.version }]);
	const values = Array.from({ length: 60 }, (_, number) => `Значение ${number}`);
	const { service, run } = await startPacedRun(values);

	const updated = await api.updateCommunityPackage(packageName);
	expect(updated).toMatchObject({ packageName, installedVersion: current.version });
	// Half a minute's requests: the run is still under way.
	expect(service.requests.length).toBeLessThan(values.length);
	expect(await api.communityPackages()).toMatchObject([
		{ installedVersion: current.version, failedLoading: false },
	]);
	await expectAsInstalledByUs(current);

	const { status, error } = await run;
	expect([status, error]).toEqual(['success', undefined]);
	expect(service.requests.map(({ input }) => input.value)).toEqual(values);
});

test('the workflows saved before run as they must, at once and after a restart', async () => {
	await expectToRunAsSaved();
	await host.stop();
	await startN8n();
	await expectToRunAsSaved();
});

test('n8n removes it, starts without it, and says what the workflows lack', async () => {
	await api.removeCommunityPackage(packageName);
	expect(await api.communityPackages()).toEqual([]);
	expect(await nodeTypes()).toEqual([]);
	expect(await filesIn(join(downloads, 'node_modules'))).toEqual({});
	expect(JSON.parse(await readFile(join(downloads, 'package.json'), 'utf8'))).toMatchObject({
		dependencies: {},
	});

	for (const restart of [false, true]) {
		if (restart) {
			await host.stop();
			await startN8n();
		}
		for (const service of services.values()) service.reset();
		for (const [{ workflow }, id] of workflows) {
			const kept = await api.workflow(id);
			expect(kept.nodes.map(({ parameters }) => parameters)).toEqual(
				workflow.nodes.map(({ parameters }) => parameters),
			);
			await expect(api.runWorkflow(id)).rejects.toThrow(
				`Unrecognized node type: ${packageName}.chatbotService`,
			);
		}
		for (const service of services.values()) expect(service.requests).toEqual([]);
	}
});

test('installed again, the workflows run as they must', async () => {
	expect(await api.installCommunityPackage(packageName)).toMatchObject({ installedVersion: current.version });
	await expectToRunAsSaved();
});

/** What the setup has packed, under a higher version if it is not released yet. */
async function newerThanPrevious(packed: PackedPackage): Promise<typeof current> {
	const { version } = await manifestOf(packed.tarball, root);
	if (version !== previousVersion) return { ...packed, version };
	const higher = previousVersion.replace(/\d+$/, (patch) => String(Number(patch) + 1));
	return { tarball: await repack(packed.tarball, higher, root), digest: 'current', version: higher };
}

async function nodeTypes(): Promise<string[]> {
	const names = (await api.nodeTypes()).map(({ name }) => name);
	return names.filter((name) => name.startsWith(packageName)).sort();
}

/** n8n's installer has left the same files as the sandbox's, which the other tests use. */
async function expectAsInstalledByUs(packed: PackedPackage): Promise<void> {
	const ours = await mkdtemp(join(root, 'ours-'));
	await installPackage(ours, packed);
	const installed = await filesIn(downloads);
	expect(Object.keys(installed).length).toBeGreaterThan(10);
	expect(installed).toEqual(await filesIn(join(ours, '.n8n', 'nodes')));
}

/** All files below a folder, by path, as digests of their contents. */
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
	for (const [fixture, id] of workflows) {
		const service = services.get(fixture.credential.name)!;
		prepare(service, fixture);
		const execution = await api.runWorkflow(id);
		const runs = Object.fromEntries(execution.nodes.map((node) => [node, execution.runs(node)]));
		const outputs = outputsOf(runs as never, triggerOf(fixture.workflow).name);
		expect([fixture.name, doing(fixture, service, outputs, execution.error)]).toEqual([
			fixture.name,
			wanted(fixture),
		]);
		service.assertContract();
	}
}

/** Starts to set a variable to one value after the other, two per second, and waits for the first ones. */
async function startPacedRun(values: string[]): Promise<{ service: Service; run: Promise<Execution> }> {
	const service = services.get('Chatbot Service')!;
	service.reset();
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
	while (service.requests.length < 2) await new Promise((passed) => setTimeout(passed, 100));
	return { service, run };
}
