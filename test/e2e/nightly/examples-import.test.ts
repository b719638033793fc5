import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import Fastify from 'fastify';

import { examplesFolder } from '../../../sandbox/start/examples';
import { duringTests } from '../support/duringTests';
import { openEditorBench, pictureOfTest } from '../support/editor';
import { exampleFiles, isNote } from '../support/exampleFiles';

/* The examples as a user imports them into the editor from the URL of a file, and the notes that the user reads first. */

const bench = duringTests(async () => await openEditorBench('examples-import'));
const server = Fastify();

beforeAll(async () => {
	server.get<{ Params: { file: string } }>('/:file', async ({ params }, reply) => {
		// Served like the raw files of a repository.
		await reply.type('text/plain; charset=utf-8').send(await readFile(join(examplesFolder, params.file)));
	});
	await server.listen({ host: '127.0.0.1', port: 0 });
	await bench.editor.page.setViewportSize({ width: 1800, height: 1100 });
});

afterAll(async () => await server.close());

afterEach(async () => await pictureOfTest(bench.editor));

test.each(exampleFiles().map((each) => [each.file, each] as const))(
	'%s is imported from a URL unchanged, and its notes can be read',
	async (file, { workflow }) => {
		const { editor } = bench;
		await editor.openHome();
		await editor.newWorkflow();
		const given = editor.page.waitForResponse((response) => response.url().includes('/from-url?'));
		await editor.importFromUrl(`${server.listeningOrigin}/${file}`);
		const { data } = (await (await given).json()) as { data: unknown };
		expect(data).toEqual(workflow);
		await editor.fitCanvas();
		const others = workflow.nodes.filter((node) => !isNote(node));
		expect((await editor.nodes()).sort()).toEqual(others.map(({ name }) => name).sort());

		const notes = await editor.notes();
		expect(notes).toHaveLength(workflow.nodes.length - others.length);
		expect(notes.filter(({ isCutOff, isCovered }) => isCutOff || isCovered)).toEqual([]);
		expect(notes.filter(({ text }) => text.includes('Change first'))).toHaveLength(1);
	},
);
