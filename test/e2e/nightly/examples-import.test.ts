import { createReadStream } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';

import { examplesFolder } from '../../../sandbox/start/examples';
import { type EditorBench, openEditorBench, pictureOfTest } from '../support/editor';
import { exampleFiles, isNote } from '../support/exampleFiles';

/* The examples as somebody gets them into the editor from the address of a file, and what is read there first. */

let bench: EditorBench;
let server: Server;
let address: string;

beforeAll(async () => {
	server = createServer(({ url }, response) => {
		// As the raw files of a repository are served.
		response.setHeader('content-type', 'text/plain; charset=utf-8');
		createReadStream(join(examplesFolder, basename(url!))).pipe(response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	bench = await openEditorBench('examples-import');
	await bench.editor.page.setViewportSize({ width: 1800, height: 1100 });
});

afterAll(async () => {
	await bench?.stop();
	server?.close();
});

afterEach(async () => await pictureOfTest(bench.editor));

test.each(exampleFiles().map((each) => [each.file, each] as const))(
	'%s is imported from an address as it is, and its notes can be read',
	async (file, { workflow }) => {
		const { editor } = bench;
		await editor.openHome();
		await editor.newWorkflow();
		const given = editor.page.waitForResponse((response) => response.url().includes('/from-url?'));
		await editor.importFromUrl(`${address}/${file}`);
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
