import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand, runNpm } from '../processes/command';
import { hostFolder, projectFolder } from './paths';

/** The name under which this package is published, installed and found. */
export const packageName = 'n8n-nodes-chatbot-service';

export interface PackedPackage {
	/** The tarball that npm would publish. */
	tarball: string;
}

interface Packing {
	signal?: AbortSignal;
	project?: string;
	/** `bundle` does not check the types. */
	script?: 'build' | 'bundle';
}

/** Builds this package, or a copy of it, and packs it into the given folder, as for publication. */
export async function packPackage(folder: string, options: Packing = {}) {
	const { signal, project: cwd = projectFolder, script = 'build' } = options;
	await mkdir(folder, { recursive: true });
	await runNpm(['run', script], { cwd, signal });
	const args = ['--ignore-scripts', '--json', '--loglevel=error', `--pack-destination=${folder}`];
	const [{ filename }] = JSON.parse(await runNpm(['pack', ...args], { cwd, signal })) as [
		{ filename: string },
	];
	return { tarball: join(folder, filename) } satisfies PackedPackage;
}

/**
 * Installs a packed package into an n8n user folder with the same files as n8n's own installer, which accepts only
 * packages of the public registry. n8n reads the folder when it starts.
 *
 * @returns the folder of the package
 */
export async function installPackage(userFolder: string, { tarball }: PackedPackage): Promise<string> {
	await linkWorkflowLibrary(userFolder);
	const downloads = join(userFolder, '.n8n', 'nodes');
	const folder = join(downloads, 'node_modules', packageName);
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await runCommand('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], { cwd: downloads });

	const file = join(folder, 'package.json');
	const packageJson = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
	// n8n then makes npm install the dependencies. The package has none.
	for (const kind of ['devDependencies', 'peerDependencies', 'optionalDependencies'])
		delete packageJson[kind];
	await writeJson(file, packageJson);
	const dependencies = { [packageName]: packageJson.version };
	await writeJson(join(downloads, 'package.json'), { name: 'installed-nodes', private: true, dependencies });
	return folder;
}

/**
 * Outside this project, no folder above a user folder has a `node_modules`, so a package's `require('n8n-workflow')` finds the one of
 * the running n8n. Here it would find the project's own first, which is older. In a container, which has nothing of the project, the
 * link leads nowhere, and the rule holds.
 */
async function linkWorkflowLibrary(userFolder: string): Promise<void> {
	const library = 'n8n-workflow';
	const folder = join(userFolder, 'node_modules');
	await mkdir(folder, { recursive: true });
	await rm(join(folder, library), { force: true });
	await symlink(join(hostFolder, 'node_modules', library), join(folder, library), 'dir');
}

const writeJson = async (file: string, content: object) =>
	await writeFile(file, JSON.stringify(content, null, 2));
