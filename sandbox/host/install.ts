import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runNpm } from '../processes/command';
import { hostFolder } from './paths';

/**
 * Installs the packages of a folder with its own lock file, unless the contents of this lock file were completely installed there
 * before.
 */
export async function installOnce(folder: string, install: () => Promise<void>): Promise<void> {
	const lockFile = await readFile(join(folder, 'package-lock.json'), 'utf8');
	const wanted = createHash('sha256')
		.update([process.platform, process.arch, lockFile].join('\n'))
		.digest('hex');
	const file = join(folder, 'node_modules', '.complete');
	if ((await readFile(file, 'utf8').catch(() => '')) === wanted) return;
	await rm(file, { force: true });
	await install();
	await writeFile(file, wanted);
}

/** The pinned n8n. */
export async function ensureHostInstalled(signal?: AbortSignal): Promise<void> {
	await installOnce(hostFolder, async () => {
		console.log('Installing n8n into sandbox/host: 2.6 GB and three to seven minutes, only this once ...');
		const options = { cwd: hostFolder, signal };
		await runNpm(['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'], options);
		console.log('Installing the Node.js and the SQLite driver that this n8n needs ...');
		try {
			// The driver is downloaded from GitHub, or else compiled.
			await runNpm(['rebuild', 'node', 'sqlite3', '--ignore-scripts=false'], options);
		} catch (error) {
			throw new Error(
				`${(error as Error).message}\n\nWithout downloads from github.com, a compiler is needed: install python3, make and g++.`,
			);
		}
	});
}
