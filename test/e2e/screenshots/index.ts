/**
 * Takes new pictures for the documents: `npm run screenshots`, or some of them by their names, such as `npm run screenshots -- pace ru/send`.
 * They show the real editor with the packed package, connected to the emulator. The animation takes three minutes in each language.
 */

import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

import type { Locator } from 'playwright-core';
import sharp from 'sharp';

import { ensureHostInstalled, packPackage, projectFolder } from '../../../sandbox/host';
import { boxesOf } from '../editor';
import { openOwnBench, userFolderOf } from '../support/bench';
import { openEditorBench } from '../support/editor';
import { rememberPacked } from '../support/environment';
import { recordBroadcast } from './broadcast';
import { broadcastScenes } from './broadcastScenes';
import { comparedScenes } from './comparedScenes';
import { editorScenes } from './editorScenes';
import { pages } from './pages';
import { distractions, type Language, type Scene, type Stage } from './scene';

const scenes: Record<string, Scene> = { ...editorScenes, ...comparedScenes, ...broadcastScenes, ...pages };

const english = [...Object.keys(scenes), 'broadcast'];
const russian = english.filter((name) => scenes[name]?.inRussian ?? true).map((name) => `ru/${name}`);

async function main(chosen: string[]): Promise<void> {
	await ensureHostInstalled();
	await rm(userFolderOf('screenshots'), { recursive: true, force: true });
	rememberPacked(await packPackage(join(userFolderOf('screenshots'), 'packed')));
	const stage = await openEditorBench(async () => await openOwnBench('screenshots', { limits: {} }));
	try {
		for (const name of chosen.length ? chosen : [...english, ...russian]) {
			console.log(`  ${name}`);
			await take(stage, name);
		}
	} finally {
		await stage.stop();
	}
}

/** @param picture its name, with the language if that is not English */
async function take(stage: Stage, picture: string): Promise<void> {
	const name = basename(picture);
	const language = picture === name ? 'en' : 'ru';
	const file = join(projectFolder, 'docs', dirname(picture), 'screenshots', name);
	if (name === 'broadcast') await recordBroadcast(stage, `${file}.gif`, language);
	else await takeScene(stage, scenes[name]!, `${file}.png`, language);
}

async function takeScene(
	stage: Stage,
	{ size, show }: Scene,
	file: string,
	language: Language,
): Promise<void> {
	const { page } = stage.editor;
	await page.setViewportSize(size);
	const { part, margin = 0, style } = await show(stage, language);
	// Before the part is measured.
	if (style) await page.addStyleTag({ content: style });
	await page.mouse.move(0, 0);
	await page.waitForLoadState('networkidle');
	const taken = await page.screenshot({
		clip: part && (await frameOf(part, margin, size)),
		animations: 'disabled',
		style: `${distractions.join()} { visibility: hidden !important; }`,
	});
	await sharp(taken).png({ palette: true, dither: 0, effort: 10 }).toFile(file);
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
