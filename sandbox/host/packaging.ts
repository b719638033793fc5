import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { runCommand, runNpm } from '../processes/command';
import { hostFolder, projectFolder, sandboxFolder } from './paths';

/** The name under which this package is published, installed and found. */
export const packageName = 'n8n-nodes-chatbot-service';

export interface PackedPackage {
	/** The tarball that npm would publish. */
	tarball: string;
}

/** Builds this package, or a copy of it, and packs it into the given folder, as for publication. */
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
 * Installs a packed package into an n8n user folder with the same files as n8n's own installer, which accepts only
 * packages of the public registry. n8n reads the folder when it starts.
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
	// n8n then makes npm install the dependencies. The package has none.
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
 * Outside this project, no folder above a user folder has a `node_modules`, so a package's `require('n8n-workflow')` finds the one of
 * the running n8n. Here it would find the project's own first, which is older.
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
