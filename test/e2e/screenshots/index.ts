/**
 * Takes new pictures for the documents: `npm run screenshots`, or some of them by their names, such as `npm run screenshots -- pace broadcast`.
 * They show the real editor with the packed package, connected to the emulator. The animation takes three minutes.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Locator } from 'playwright-core';
import sharp from 'sharp';

import { ensureHostInstalled, packPackage, projectFolder } from '../../../sandbox/host';
import { boxesOf } from '../editor';
import { openOwnBench, userFolderOf } from '../support/bench';
import { openEditorBench } from '../support/editor';
import { rememberPacked } from '../support/environment';
import { recordBroadcast } from './broadcast';
import { distractions, scenes, type Stage } from './scenes';

const pictures = join(projectFolder, 'docs', 'screenshots');

async function main(chosen: string[]): Promise<void> {
	await ensureHostInstalled();
	await rm(userFolderOf('screenshots'), { recursive: true, force: true });
	rememberPacked(await packPackage(join(userFolderOf('screenshots'), 'packed')));
	const stage = await openEditorBench(async () => await openOwnBench('screenshots', { limits: {} }));
	try {
		for (const name of chosen.length ? chosen : [...Object.keys(scenes), 'broadcast']) {
			console.log(`  ${name}`);
			if (name === 'broadcast') await recordBroadcast(stage, join(pictures, 'broadcast.gif'));
			else await take(stage, name);
		}
	} finally {
		await stage.stop();
	}
}

async function take(stage: Stage, name: string): Promise<void> {
	const { page } = stage.editor;
	const { size, show } = scenes[name]!;
	await page.setViewportSize(size);
	const { part, margin = 0, style } = await show(stage);
	// Before the part is measured.
	if (style) await page.addStyleTag({ content: style });
	await page.mouse.move(0, 0);
	await page.waitForLoadState('networkidle');
	const picture = await page.screenshot({
		clip: part && (await frameOf(part, margin, size)),
		animations: 'disabled',
		style: `${distractions.join()} { visibility: hidden !important; }`,
	});
	await sharp(picture)
		.png({ palette: true, dither: 0, effort: 10 })
		.toFile(join(pictures, `${name}.png`));
}

/** The rectangle around all elements of a locator, within the window. */
async function frameOf(part: Locator, margin: number, size: { width: number; height: number }) {
	// The lines of a drawing come before its nodes, and a horizontal one counts as hidden.
	await part.last().waitFor();
	const boxes = await boxesOf(part);
	const x = Math.max(0, Math.min(...boxes.map(({ left }) => left)) - margin);
	const y = Math.max(0, Math.min(...boxes.map(({ top }) => top)) - margin);
	const right = Math.min(size.width, Math.max(...boxes.map((box) => box.right)) + margin);
	const bottom = Math.min(size.height, Math.max(...boxes.map((box) => box.bottom)) + margin);
	return { x, y, width: right - x, height: bottom - y };
}

main(process.argv.slice(2)).catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
