import { SEEDED } from '../../../sandbox/emulator';
import { credentialFor } from '../../../sandbox/start/sandbox';
import { duringTests } from '../../duringTests';
import { eventually, openEditorBench } from '../support/editor';
import { exampleFiles } from '../support/examples';

/* What examples/README.md says about the import, and about an example that was imported before its credential was there. */

const bench = duringTests(openEditorBench);
const leads = exampleFiles().find(({ file }) => file === 'welcome-new-leads.json')!;

test('an example can be pasted, or imported from a file', async () => {
	const { page, drawing } = bench.editor;
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await bench.editor.openHome();
	await bench.editor.newWorkflow();
	await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(leads.text)})`);
	await page.keyboard.press('Control+v');
	await page.getByTestId('canvas-node').first().waitFor();
	await eventually(async () => expect(await drawing.count()).toBe(leads.workflow.nodes.length));

	await page.getByTestId('workflow-menu').click();
	await page.getByRole('menuitem', { name: 'Import', exact: true }).hover();
	await page.getByRole('menuitem', { name: 'From file', exact: true }).waitFor();
});

test('an example without a credential runs once saved', async () => {
	const { api, credential, editor, service } = bench;
	await api.deleteCredential(credential.id);
	const { id } = await api.createWorkflow(leads.workflow);
	const failed = await api.runWorkflow(id);
	expect(failed.status).toBe('error');
	expect(failed.error?.message).toContain('uses invalid credential');

	await api.createCredential(credentialFor(service, { requestsPerSecond: 0 }));
	// n8n stores the credential only with the workflow.
	expect((await api.runWorkflow(id)).status).toBe('error');
	expect(service.requests).toEqual([]);

	await editor.openWorkflow(id);
	await editor.save();
	expect((await api.runWorkflow(id)).status).toBe('success');
	expect(service.deliveries().map(({ contactId }) => contactId)).toContain(SEEDED.contacts.telegram);
});
