import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, join } from 'node:path';

import { runNpm } from '../processes/command';
import { hostFolder } from './paths';

/** Outside of the clone, so that each further clone with the same lock file needs only a link. */
const keptFolder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'n8n-nodes-chatbot-service');

/**
 * Makes the packages of a folder with its own lock file available there, and installs them only if no clone has done that before. Where no
 * link to the kept packages can be made, they are installed in the folder itself.
 *
 * @param install installs them in the folder that it gets
 */
export async function installOnce(folder: string, install: (folder: string) => Promise<void>): Promise<void> {
	const lockFile = await readFile(join(folder, 'package-lock.json'), 'utf8');
	const wanted = createHash('sha256')
		.update([process.platform, process.arch, lockFile].join('\n'))
		.digest('hex');
	const packages = join(folder, 'node_modules');
	const isComplete = async () =>
		(await readFile(join(packages, '.complete'), 'utf8').catch(() => '')) === wanted;
	if (await isComplete()) return;
	const kept = join(keptFolder, `${basename(folder)}-${wanted.slice(0, 16)}`);
	const isLinked = await canLink(packages, join(kept, 'node_modules'));
	if (isLinked && (await isComplete())) return;
	const installed = isLinked ? await mkdtemp(`${kept}.`) : folder;
	if (isLinked)
		for (const file of ['package.json', 'package-lock.json'])
			await copyFile(join(folder, file), join(installed, file));
	try {
		await install(installed);
		await writeFile(join(installed, 'node_modules', '.complete'), wanted);
		// Another clone may have been faster.
		if (isLinked) await rename(installed, kept).catch(() => {});
	} finally {
		if (isLinked) await rm(installed, { recursive: true, force: true });
	}
}

async function canLink(link: string, target: string): Promise<boolean> {
	await rm(link, { recursive: true, force: true });
	try {
		await mkdir(keptFolder, { recursive: true });
		// Windows allows everybody to make a link of this type.
		await symlink(target, link, 'junction');
		return true;
	} catch {
		return false;
	}
}

/** The pinned n8n. */
export async function ensureHostInstalled(signal?: AbortSignal): Promise<void> {
	await installOnce(hostFolder, async (cwd) => {
		console.log(`Installing n8n into ${cwd}: 2.6 GB and three to seven minutes, only this once ...`);
		const options = { cwd, signal };
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
