import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand, runNpm } from '../processes/command';
import { hostFolder, projectFolder, sandboxFolder } from './paths';

/** The name this package is published, installed and found by. */
export const packageName = 'n8n-nodes-chatbot-service';

/** A packed package. */
export interface PackedPackage {
	/** The tarball, as npm would publish it. */
	tarball: string;
}

/** Builds this package, or a copy of it, and packs it into the given folder, as publishing it would. */
export async function packPackage(
	folder: string,
	signal?: AbortSignal,
	project = projectFolder,
): Promise<PackedPackage> {
	await mkdir(folder, { recursive: true });
	const options = { cwd: project, logFile: join(sandboxFolder, 'logs', 'pack.log'), signal };
	await runNpm(['run', 'build'], options);
	const output = await runNpm(
		['pack', '--ignore-scripts', '--json', '--loglevel=error', `--pack-destination=${folder}`],
		options,
	);
	const [packed] = JSON.parse(output) as Array<{ filename: string }>;
	if (!packed) throw new Error('npm packed nothing');
	return { tarball: join(folder, packed.filename) };
}

/**
 * Installs a packed package for the n8n of a user folder, leaving the files as n8n's own installer does; that one only
 * takes packages of the public registry. n8n reads the folder when it starts.
 */
export async function installPackage(
	userFolder: string,
	{ tarball }: PackedPackage,
	signal?: AbortSignal,
): Promise<void> {
	await linkWorkflowLibrary(userFolder);
	const downloads = join(userFolder, '.n8n', 'nodes');
	const folder = join(downloads, 'node_modules', packageName);
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await runCommand('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], {
		cwd: downloads,
		logFile: join(userFolder, 'install.log'),
		signal,
	});

	const {
		devDependencies: _development,
		peerDependencies: _peers,
		optionalDependencies: _optional,
		...packageJson
	} = await readJson<Record<string, unknown>>(join(folder, 'package.json'));
	// n8n has npm install the dependencies then. The package has none.
	await writeJson(join(folder, 'package.json'), packageJson);

	const ledgerFile = join(downloads, 'package.json');
	const ledger = await readJson<{ dependencies: Record<string, unknown> }>(ledgerFile).catch(() => ({
		name: 'installed-nodes',
		private: true,
		dependencies: {},
	}));
	await writeJson(ledgerFile, {
		...ledger,
		dependencies: { ...ledger.dependencies, [packageName]: packageJson.version },
	});
}

/**
 * Outside this project nothing lies above a user folder, and a package's `require('n8n-workflow')` falls back to the one of
 * the n8n that runs. Here the project's own, which is older, would be found first.
 */
async function linkWorkflowLibrary(userFolder: string): Promise<void> {
	const library = 'n8n-workflow';
	const folder = join(userFolder, 'node_modules');
	await mkdir(folder, { recursive: true });
	await rm(join(folder, library), { force: true });
	await symlink(join(hostFolder, 'node_modules', library), join(folder, library), 'dir');
}

async function readJson<T>(file: string): Promise<T> {
	return JSON.parse(await readFile(file, 'utf8')) as T;
}

async function writeJson(file: string, content: unknown): Promise<void> {
	await writeFile(file, JSON.stringify(content, null, 2));
}
