import { SEEDED } from '../../../sandbox/emulator';
import { credentialFor } from '../../../sandbox/start/sandbox';
import { duringTests } from '../../duringTests';
import { boxesOf } from '../editor';
import { eventually, openEditorBench } from '../support/editor';
import { exampleFiles, russianExamplesFolder } from '../support/examples';

/* What examples/README.md says about the import, about an example that was imported before its credential was there, and the notes. */

const bench = duringTests(openEditorBench);
const leads = exampleFiles().find(({ file }) => file === 'welcome-new-leads.json')!;

/** The texts of all notes, and how many of their lines are outside of their note or behind a node. */
async function notesOf({ editor: { page, drawing } }: typeof bench) {
	const nodes = await boxesOf(drawing.filter({ hasNot: page.locator('.n8n-sticky') }));
	const texts: string[] = [];
	let hidden = 0;
	for (const note of await page.locator('.n8n-sticky').all()) {
		texts.push(await note.innerText());
		const [paper] = await boxesOf(note);
		for (const { left, top, right, bottom } of await boxesOf(note.locator('h2, h3, p, li'))) {
			const isCovered = nodes.some(
				(node) => left < node.right && node.left < right && top < node.bottom && node.top < bottom,
			);
			if (bottom > paper!.bottom || isCovered) hidden++;
		}
	}
	return { texts, hidden };
}

const both = [...exampleFiles(), ...exampleFiles(russianExamplesFolder)];

// Only the editor knows how much room the text of a note needs, and what covers it.
test.each(both)('the notes of $file can be read', async ({ workflow }) => {
	const { api, editor } = bench;
	await editor.page.setViewportSize({ width: 1800, height: 1100 });
	await editor.openWorkflow((await api.createWorkflow(workflow)).id);
	await editor.fitCanvas();
	// The canvas moves for a moment.
	await eventually(async () => {
		const { texts, hidden } = await notesOf(bench);
		expect(hidden).toBe(0);
		const written = workflow.nodes.filter(({ type }) => type.endsWith('.stickyNote'));
		expect(texts).toHaveLength(written.length);
		expect(texts.filter((text) => /Change first|Сначала измените/.test(text))).toHaveLength(1);
	});
});

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
