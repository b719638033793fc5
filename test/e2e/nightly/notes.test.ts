import { openEditorBench, pictureOfTest } from '../support/editor';
import { duringTests } from '../support/duringTests';
import { eventually } from '../support/eventually';
import { exampleFiles, isNote, russianExamplesFolder } from '../support/exampleFiles';

/* Only the editor knows how much room the text of a sticky note needs, and what covers it. */

const bench = duringTests(async () => await openEditorBench('notes'));

afterEach(async () => await pictureOfTest(bench.editor));

const cases = [
	...exampleFiles().map((each) => [each.file, 'English', each.workflow, 'Change first'] as const),
	...exampleFiles(russianExamplesFolder).map(
		(each) => [each.file, 'Russian', each.workflow, 'Сначала измените'] as const,
	),
];

test.each(cases)('the notes of %s can be read in %s', async (_file, _language, workflow, beginning) => {
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
});
