import { eventually, openEditorBench, pictureOfTest } from '../support/editor';
import { duringTests } from '../support/duringTests';
import { exampleFiles, isNote, russianExamplesFolder } from '../support/examples';

/* Only the editor knows how much room the text of a sticky note needs, and what covers it. */

const bench = duringTests(async () => await openEditorBench('notes'));

afterEach(async () => await pictureOfTest(bench.editor));

describe.each([
	['English', exampleFiles(), 'Change first'],
	['Russian', exampleFiles(russianExamplesFolder), 'Сначала измените'],
])('in %s', (_language, files, beginning) => {
	test.each(files.map(({ file, workflow }) => [file, workflow] as const))(
		'the notes of %s can be read',
		async (_file, workflow) => {
			const { api, editor } = bench;
			const { id } = await api.createWorkflow(workflow);
			await editor.page.setViewportSize({ width: 1800, height: 1100 });
			await editor.openWorkflow(id);
			await editor.fitCanvas();
			// The canvas moves for a moment.
			await eventually(async () => {
				const notes = await editor.notes();
				expect(notes).toHaveLength(workflow.nodes.filter(isNote).length);
				expect(notes.filter(({ isCutOff, isCovered }) => isCutOff || isCovered)).toEqual([]);
				expect(notes.filter(({ text }) => text.includes(beginning))).toHaveLength(1);
			});
		},
	);
});
