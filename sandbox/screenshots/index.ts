/**
 * Takes new pictures for the documents: `npm run screenshots`, or some of them by their names, such as `npm run screenshots -- pace broadcast`.
 * They show the real editor with the packed package, connected to the emulator. The animation takes three minutes.
 */

import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import sharp from 'sharp';

import { openEditor } from '../editor';
import { ensureHostInstalled, freePort, packPackage, projectFolder, sandboxFolder } from '../host';
import { startEmulator } from '../emulator';
import { openSandbox, owner } from '../start/sandbox';
import { writeAnimation } from './animation';
import { recordBroadcast } from './broadcast';
import { distractions, scenes, type Stage } from './scenes';

const SERVICE_PORT = 3999;

const animation = 'broadcast';

const pictures = join(projectFolder, 'docs', 'screenshots');

async function main(): Promise<void> {
	const stops: Array<() => Promise<unknown>> = [];
	try {
		const userFolder = join(sandboxFolder, 'screenshots');
		await rm(userFolder, { recursive: true, force: true });
		const packed = await packPackage(join(userFolder, 'packed'));
		await ensureHostInstalled(console.log);

		const service = await startEmulator({ port: await freePort(SERVICE_PORT), limits: {} });
		stops.push(async () => await service.stop());
		const sandbox = await openSandbox({ userFolder, packed, service, log: console.log });
		stops.push(sandbox.stop);
		const editor = await openEditor({ url: sandbox.host.url, owner, pictures });
		stops.push(async () => await editor.close());

		await takeAll({ ...sandbox, service, editor }, process.argv.slice(2));
	} finally {
		for (const stop of stops.reverse()) await stop();
	}
}

/** @param chosen names of pictures; empty for all pictures, which also removes obsolete files */
async function takeAll(stage: Stage, chosen: string[]): Promise<void> {
	const { editor } = stage;
	const isChosen = (name: string) => !chosen.length || chosen.includes(name);
	const taken: string[] = [];
	const into = (file: string) => {
		taken.push(file);
		console.log(`  ${file}`);
		return join(pictures, file);
	};
	await mkdir(pictures, { recursive: true });
	for (const [name, play] of Object.entries(scenes)) {
		if (!isChosen(name)) continue;
		const framing = await play(stage);
		await editor.page.mouse.move(0, 0);
		await editor.page.waitForLoadState('networkidle');
		const without = [...distractions, ...(framing.without ?? [])];
		const picture = await editor.screenshot({ ...framing, without });
		await sharp(picture)
			.png({ palette: true, dither: 0, effort: 10 })
			.toFile(into(`${name}.png`));
	}
	if (isChosen(animation)) await writeAnimation(into(`${animation}.gif`), await recordBroadcast(stage));
	if (chosen.length) return;
	const old = (await readdir(pictures)).filter((file) => !taken.includes(file));
	await Promise.all(old.map((file) => rm(join(pictures, file))));
}

void main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
