import { openEditorBench, pictureOfTest } from '../support/editor';
import { duringTests } from '../support/duringTests';
import { eventually } from '../support/eventually';
import { exampleFiles, isNote } from '../support/exampleFiles';

/* Only the editor knows how much room the text of a sticky note needs, and what covers it. */

const bench = duringTests(async () => await openEditorBench('notes'));

afterEach(async () => await pictureOfTest(bench.editor));

test.each(exampleFiles().map((each) => [each.file, each] as const))(
	'the notes of %s can be read',
	async (file, { workflow }) => {
		const { editor, examples } = bench;
		await editor.page.setViewportSize({ width: 1800, height: 1100 });
		await editor.openWorkflow(examples.get(file)!);
		await editor.fitCanvas();
		// The canvas moves for a moment.
		await eventually(async () => {
			const notes = await editor.notes();
			expect(notes).toHaveLength(workflow.nodes.filter(isNote).length);
			expect(notes.filter(({ isCutOff, isCovered }) => isCutOff || isCovered)).toEqual([]);
			expect(notes.filter(({ text }) => text.includes('Change first'))).toHaveLength(1);
		});
	},
);
