import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { Editor } from '../../sandbox/editor';
import { type Host, HostApi, packageName, startHost, stopwatch } from '../../sandbox/host';
import { SEEDED, type Service, startService } from '../../sandbox/service';
import { owner } from '../../sandbox/start/sandbox';
import { description, operationsOf } from '../description/editor';
import { openEditorOf, pictureOfTest } from './support/editor';
import { packedPackage } from './support/environment';
import { type Registry, startRegistry } from './support/registry';

/* How much somebody has to do who has never used the package: every click and every field is counted. */

let root: string;
let service: Service;
let registry: Registry;
let host: Host;
let editor: Editor;
beforeAll(async () => {
	// Outside of the project, where nothing but n8n's own folders lies above the package.
	root = await mkdtemp(join(tmpdir(), 'n8n-newcomer-'));
	service = await startService();
	registry = await startRegistry([packedPackage().tarball], join(root, 'registry'));
	host = await startHost({ userFolder: join(root, 'user'), env: registry.env });
	const api = new HostApi(host.url);
	await api.signIn(owner);
	// New to the package, not to n8n, whose home is another one before the first workflow.
	await api.createWorkflow({ name: 'Еженедельный отчёт', nodes: [], connections: {}, settings: {} });
	editor = await openEditorOf(host.url, 'newcomer');
});
afterEach(async () => await pictureOfTest(editor));
afterAll(async () => {
	await editor?.close();
	await host?.stop();
	await registry?.stop();
	await service?.stop();
	await rm(root, { recursive: true, force: true });
});

/** Counts what is done from now on; the function it returns prints and tells the result. */
function measure(title: string) {
	const { interaction } = editor;
	const before = { clicks: interaction.clicks, fields: interaction.fields };
	const taken = stopwatch();
	return () => {
		const effort = { clicks: interaction.clicks - before.clicks, fields: interaction.fields - before.fields };
		process.stdout.write(`${title}: ${effort.clicks} clicks, ${effort.fields} fields, ${taken()}\n`);
		return effort;
	};
}

test("installing takes n8n's dialog one field, a tick and a click", async () => {
	const effort = measure('Installing');
	const installation = await editor.openInstallation();
	expect(await installation.isReady()).toBe(false);
	await installation.prepare(packageName);
	await installation.install();
	// Settings, Community nodes, Install, the tick, and Install.
	expect(effort()).toEqual({ clicks: 5, fields: 1 });
});

test('a newcomer gets from the installed package to the first message in seven clicks and five fields', async () => {
	await editor.openHome();
	const effort = measure('From the installed package to the first message');
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

	await details.fill('contactId', String(SEEDED.contacts.telegram));
	await details.fill('text', 'Здравствуйте!');
	await details.execute();

	expect(service.deliveries()).toMatchObject([
		{ contactId: SEEDED.contacts.telegram, text: 'Здравствуйте!' },
	]);
	service.assertContract();
	const { clicks, fields } = effort();
	// A search, the address, the token, whom to write to and what.
	expect(fields).toBeLessThanOrEqual(5);
	// New workflow, first step, node, action, credential, Save, Execute step.
	expect(clicks).toBeLessThanOrEqual(7);
});
