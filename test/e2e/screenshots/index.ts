/**
 * Takes new pictures for the documents: `npm run screenshots`, or some of them by their names, such as `npm run screenshots -- pace`.
 * They show the real editor with the packed package, connected to the emulator. Some would need much code, so people take them: the
 * animation, the report, the node Send with its numbers, and the two broadcasts of docs/from-http-request.md.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import sharp from 'sharp';

import { ensureHostInstalled, packPackage, projectFolder } from '../../../sandbox/host';
import { boxesOf } from '../editor';
import { openOwnBench, userFolderOf } from '../support/bench';
import { type EditorBench, openEditorBench } from '../support/editor';
import { scenes } from './scenes';

/** Parts of n8n's editor that have nothing to do with the subject. */
const distractions =
	'.el-notification, [data-test-id="floating-nodes"], [data-test-id="node-feature-request"], #cm-tooltip-container';

async function main(chosen: string[]): Promise<void> {
	await ensureHostInstalled();
	await rm(userFolderOf('screenshots'), { recursive: true, force: true });
	process.env.E2E_PACKAGE = (await packPackage(join(userFolderOf('screenshots'), 'packed'))).tarball;
	const stage = await openEditorBench(async () => await openOwnBench('screenshots', { limits: {} }));
	try {
		for (const name of chosen.length ? chosen : Object.keys(scenes)) {
			console.log(`  ${name}`);
			await take(stage, name);
		}
	} finally {
		await stage.stop();
	}
}

async function take(stage: EditorBench, name: string): Promise<void> {
	const { size, show } = scenes[name]!;
	const { page } = stage.editor;
	await page.setViewportSize(size);
	const { part, margin = 0, style } = await show(stage);
	// Before the part is measured.
	if (style) await page.addStyleTag({ content: style });
	await page.mouse.move(0, 0);
	await page.waitForLoadState('networkidle');
	await part?.last().waitFor();
	const boxes = part ? await boxesOf(part) : [{ left: 0, top: 0, right: size.width, bottom: size.height }];
	// The rectangle around all elements, within the window.
	const x = Math.max(0, Math.min(...boxes.map(({ left }) => left)) - margin);
	const y = Math.max(0, Math.min(...boxes.map(({ top }) => top)) - margin);
	const right = Math.min(size.width, Math.max(...boxes.map((box) => box.right)) + margin);
	const bottom = Math.min(size.height, Math.max(...boxes.map((box) => box.bottom)) + margin);
	const taken = await page.screenshot({
		clip: { x, y, width: right - x, height: bottom - y },
		animations: 'disabled',
		style: `${distractions} { visibility: hidden !important; }`,
	});
	const file = join(projectFolder, 'docs/screenshots', `${name}.png`);
	await sharp(taken).png({ palette: true, dither: 0, effort: 10 }).toFile(file);
}

main(process.argv.slice(2)).catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
