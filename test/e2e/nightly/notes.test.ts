import { duringTests } from '../../duringTests';
import { boxesOf } from '../editor';
import { eventually, openEditorBench } from '../support/editor';
import { exampleFiles, russianExamplesFolder } from '../support/examples';

/* Only the editor knows how much room the text of a sticky note needs, and what covers it. */

const bench = duringTests(openEditorBench);

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
