/**
 * Takes new screenshots for the documents: `npm run screenshots`, or some of them by their names. They show the real editor with the packed package,
 * connected to the emulator.
 */

import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { openEditor } from '../editor';
import { ensureHostInstalled, freePort, packPackage, projectFolder, sandboxFolder } from '../host';
import { startEmulator } from '../emulator';
import { openSandbox, owner } from '../start/sandbox';
import { scenes, type Stage } from './scenes';

const SERVICE_PORT = 3999;

/** Notifications in the corner, and elements that extend beyond a node's window. */
const distractions = ['.el-notification', '[data-test-id="floating-nodes"]'];

const pictures = join(projectFolder, 'docs', 'screenshots');

async function main(): Promise<void> {
	const stops: Array<() => Promise<unknown>> = [];
	try {
		const userFolder = join(sandboxFolder, 'screenshots');
		await rm(userFolder, { recursive: true, force: true });
		const packed = await packPackage(join(userFolder, 'packed'));
		await ensureHostInstalled(console.log);

		const service = await startEmulator({ port: await freePort(SERVICE_PORT) });
		stops.push(async () => await service.stop());
		const sandbox = await openSandbox({ userFolder, packed, service, log: console.log });
		stops.push(sandbox.stop);
		const editor = await openEditor({ url: sandbox.host.url, owner, pictures });
		stops.push(async () => await editor.close());

		const stage: Stage = { ...sandbox, service, editor };
		const chosen = process.argv.slice(2);
		if (!chosen.length) await rm(pictures, { recursive: true, force: true });
		for (const [name, play] of Object.entries(scenes)) {
			if (chosen.length && !chosen.includes(name)) continue;
			const framing = await play(stage);
			await editor.page.mouse.move(0, 0);
			await editor.page.waitForLoadState('networkidle');
			console.log(await editor.picture(name, { ...framing, without: distractions }));
		}
	} finally {
		for (const stop of stops.reverse()) await stop();
	}
}

void main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
