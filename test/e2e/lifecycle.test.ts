import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Locator } from 'playwright-core';

import { addContacts, SEEDED, type Emulator, startEmulator } from '../../sandbox/emulator';
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
} from '../../sandbox/host';
import { credentialFor, owner } from '../../sandbox/start/sandbox';
import packageJson from '../../package.json';
import { byVariables } from '../../nodes/ChatbotService/resources/contact/variables';
import { description, operationsOf } from '../description/editor';
import { input, matching, savedNodes } from '../fixtures/workflows';
import { labelOf, wordsOf } from '../operations/words';
import { type Editor, openEditor } from './editor';
import { HostApi } from './support/api';
import { eventually } from './support/editor';
import { packedPackage } from './support/environment';
import { blocked, containing, refusal } from './support/examples';
import { type Registry, repack, startRegistry } from './support/registry';

/*
 * The life of an installed package, with n8n's own installer: an older version is installed, it is updated while a workflow runs, and
 * it is removed; then a new user installs it, and builds README's broadcast. The older version is the current one with a lower number.
 * Each test continues where the previous one stopped.
 */

/** Outside of the project, where only n8n's own folders lie above the package. */
let root: string;
let registry: Registry;
let service: Emulator;
let credential: StoredCredential;
let host: Host;
let api: HostApi;
let editor: Editor;

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
	const tarballs = { [olderVersion]: await repack(tarball, olderVersion, root), [version]: tarball };
	registry = await startRegistry(tarballs, join(root, 'registry'));
	// A busy machine may delay requests so that the limit of the account refuses one.
	service = await startEmulator({ limits: { account: null } });
	await startN8n();
});

afterAll(async () => {
	await editor?.close();
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

test('n8n updates the package while a workflow runs', async () => {
	credential = await api.createCredential(credentialFor(service, { requestsPerSecond: 2 }));
	expect(await api.communityPackages()).toMatchObject([{ updateAvailable: version }]);
	const values = Array.from({ length: 30 }, (_, number) => ({ value: `Значение ${number}` }));
	const parameters = {
		...{ resource: 'contactVariable', operation: 'upsert', contactId: String(SEEDED.contacts.telegram) },
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
	await api.deleteCredential(credential.id);
});

test("a newcomer installs the package in n8n's dialog", async () => {
	editor = await openEditor(host.url, 'ru-RU');
	const { page } = editor;
	await editor.openHome();
	await page.getByTestId('main-sidebar-settings').click();
	await page.getByTestId('settings-community-nodes').click();
	await page.getByRole('button', { name: 'Install a community node' }).click();
	const dialog = page.getByTestId('communityPackageInstall-modal');
	const install = dialog.getByTestId('install-community-package-button');
	await install.waitFor();
	expect(await install.isEnabled()).toBe(false);
	await dialog.getByTestId('package-name-input').fill(packageName);
	await dialog.getByTestId('user-agreement-checkbox').click();
	await install.click();
	await dialog.waitFor({ state: 'hidden' });
});

/** Chooses an operation of the node in the open node panel. */
async function addOperation(resource: string, operation: string): Promise<void> {
	const { nodePanel, details, page } = editor;
	// The editor puts the cursor there.
	await nodePanel.searchBox.and(page.locator(':focus')).waitFor();
	await nodePanel.search('рассылка');
	await nodePanel.entry(description.displayName).waitFor();
	await page.keyboard.press('Enter');
	await nodePanel.pick(operationsOf(resource).find(({ value }) => value === operation)!.action!);
	await details.untilShown();
}

/** Adds a field to a collection. */
async function addField(title: string, collection: string, name: string): Promise<void> {
	const { details } = editor;
	await details.addButton(wordsOf(title).fieldAt(collection).placeholder!).click();
	await details.option(labelOf(title, `${collection}.${name}`)).click();
}

async function drag(from: Locator, to: Locator): Promise<void> {
	const { mouse } = editor.page;
	await from.hover();
	await mouse.down();
	// Between the two, the editor has to notice that something is dragged.
	await to.hover();
	await to.hover();
	await mouse.up();
	await to.locator(':focus').waitFor();
}

test("a newcomer builds README's broadcast", async () => {
	service.reset();
	const { school, flowers } = SEEDED.bots;
	const tag = 'Открытый урок';
	service.data.bots.get(school)!.tags.push(tag);
	const people = [
		...addContacts(service.data, 3, { messenger: 'telegram' }),
		...addContacts(service.data, 2, { messenger: 'whatsapp' }),
	];
	const ofAnotherBot = addContacts(service.data, 1, { botId: flowers });
	for (const { tags } of [...people, ...ofAnotherBot]) tags.push(tag);
	const [unreached, optedOut, ...reached] = people;
	optedOut!.variables.push({ id: 1, name: 'Не писать', value: 'да', deletable: false });
	service.faults.add(refusal('sendMessage', unreached!.id));

	const { details, page } = editor;
	await editor.openHome();
	await editor.newWorkflow();
	await editor.addFirstStep();
	await addOperation('contact', 'getAll');
	const dialog = await details.connect();
	await dialog.fill('baseUrl', service.url);
	await dialog.fill('token', service.token);
	await dialog.save();
	await dialog.untilHidden();
	// So nobody has to rename it for the examples.
	expect((await api.credentials()).map(({ name }) => name)).toEqual([credentialFor(service).name]);

	await details.fill('botId', String(school));
	await details.switch('returnAll').click();
	await addField('contact/getAll', 'filters', 'hasAllTags');
	await details.fill('hasAllTags', tag);
	await addField('contact/getAll', 'filters', 'variables');
	await page.getByRole('button', { name: byVariables.placeholder! }).click();
	await details.fill('name', 'Не писать');
	await details.input('condition').click();
	await details.option('Does Not Exist').click();
	await details.execute();
	await page.keyboard.press('Escape');
	await editor.plusBehind(operationsOf('contact').find(({ value }) => value === 'getAll')!.action!).click();
	await addOperation('message', 'send');

	const invitation = 'Ждём вас в субботу на открытом уроке, ';
	await drag(details.inputField('id'), details.parameter('contactId'));
	await drag(details.inputField('name'), details.parameter('text'));
	// The cursor is in front of the name.
	await page.keyboard.insertText(invitation);
	await addField('message/send', 'options', 'sendOncePer');
	await details.fill('sendOncePer', 'открытый урок');
	await details.settingsTab.click();
	await details.input('onError').click();
	await details.option('Continue (using error output)').click();
	await details.execute();
	const failed = { name: unreached!.name, message: containing(blocked) };
	await eventually(async () => expect(await details.output.items(1)).toMatchObject([failed]));
	const sent = service.deliveries().map(({ contactId, text }) => [contactId, text]);
	expect(sent.sort()).toEqual(reached.map(({ id, name }) => [id, invitation + name]));
	// The messengers' limits are kept, although no messenger is named.
	expect(service.requests.map(({ refusedBy }) => refusedBy).filter(Boolean)).toEqual([]);
	service.assertContract();
});
