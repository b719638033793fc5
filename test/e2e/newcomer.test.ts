import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type Editor, openEditor } from './editor';
import { type Host, HostApi, packageName, startHost } from '../../sandbox/host';
import { SEEDED, type Emulator, startEmulator } from '../../sandbox/emulator';
import { credentialFor, owner } from '../../sandbox/start/sandbox';
import { description, operationsOf } from '../description/editor';
import { packedPackage } from './support/environment';
import { type Registry, startRegistry } from './support/registry';

/* What a new user of the package does, from its installation to the first message. */

let root: string;
let service: Emulator;
let registry: Registry;
let host: Host;
let api: HostApi;
let editor: Editor;

beforeAll(async () => {
	// Outside of the project, where only n8n's own folders lie above the package.
	root = await mkdtemp(join(tmpdir(), 'n8n-newcomer-'));
	service = await startEmulator();
	registry = await startRegistry([packedPackage().tarball], join(root, 'registry'));
	host = await startHost({ userFolder: join(root, 'user'), env: registry.env });
	api = new HostApi(host.url);
	await api.signIn(owner);
	// The user is new to the package, not to n8n, whose home page looks different before the first workflow.
	await api.createWorkflow({ name: 'Еженедельный отчёт', nodes: [], connections: {}, settings: {} });
	editor = await openEditor(host.url);
});
afterAll(async () => {
	await editor?.close();
	await host?.stop();
	await registry?.stop();
	await service?.stop();
	await rm(root, { recursive: true, force: true });
});

test("a newcomer installs the package in n8n's dialog", async () => {
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

test('a newcomer sends the first message', async () => {
	await editor.openHome();
	await editor.newWorkflow();
	const panel = await editor.addFirstStep();
	await panel.search('chatbot');
	await panel.pick(description.displayName);
	await panel.pick(operationsOf('message').find(({ value }) => value === 'send')!.action!);
	const { details } = editor;
	await details.untilShown();

	const credential = await details.connect();
	await credential.fill('baseUrl', service.url);
	await credential.fill('token', service.token);
	await credential.save();
	await credential.untilHidden();
	// So nobody has to rename it for the examples.
	expect((await api.credentials()).map(({ name }) => name)).toEqual([credentialFor(service).name]);

	await details.fill('contactId', String(SEEDED.contacts.telegram));
	await details.fill('text', 'Здравствуйте!');
	await details.execute();

	expect(service.deliveries()).toMatchObject([
		{ contactId: SEEDED.contacts.telegram, text: 'Здравствуйте!' },
	]);
	service.assertContract();
});
