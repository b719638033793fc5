import { join } from 'node:path';

import { type Editor, openEditor } from '../../../sandbox/editor';
import { projectFolder } from '../../../sandbox/host';
import { owner } from '../../../sandbox/start/sandbox';
import { type Bench, openBench } from './bench';

/** A bench with somebody in front of its editor. */
export interface EditorBench extends Bench {
	editor: Editor;
}

/** The pictures that tests take: one at the end of each, and of whatever they want to show. */
const pictures = join(projectFolder, 'artefacts');

/** Sets a bench up and opens its editor. The name is that of the user folder and of the folder of pictures. */
export async function openEditorBench(name: string): Promise<EditorBench> {
	const bench = await openBench(name);
	try {
		const editor = await openEditor({ url: bench.host.url, owner, pictures: join(pictures, name) });
		const stop = async () => {
			await editor.close();
			await bench.stop();
		};
		return { ...bench, editor, stop };
	} catch (error) {
		await bench.stop();
		throw error;
	}
}

/** Runs a test and takes a picture of what the editor shows at its end, good or bad. */
export async function pictured(editor: Editor, body: () => Promise<void>): Promise<void> {
	const { currentTestName = 'test' } = expect.getState();
	try {
		await body();
	} finally {
		await editor.picture(currentTestName);
	}
}
