import { createHash } from 'node:crypto';
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
	/** Changes whenever the content of the tarball does. */
	digest: string;
}

interface PackageJson {
	name: string;
	version: string;
	author: { name?: string; email?: string };
	[key: string]: unknown;
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
	const tarball = join(folder, packed.filename);
	const digest = createHash('sha256')
		.update(await readFile(tarball))
		.digest('hex');
	return { tarball, digest };
}

/**
 * Installs a packed package for the n8n of a user folder, leaving the files as n8n's own installer does; that one only
 * takes packages of the public registry. Says whether anything changed. n8n reads the folder when it starts.
 */
export async function installPackage(
	userFolder: string,
	{ tarball, digest }: PackedPackage,
	signal?: AbortSignal,
): Promise<boolean> {
	await linkWorkflowLibrary(userFolder);
	const stampFile = join(userFolder, 'installed-package');
	if ((await readFile(stampFile, 'utf8').catch(() => '')) === digest) return false;

	const downloads = join(userFolder, '.n8n', 'nodes');
	const folder = join(downloads, 'node_modules', packageName);
	const logFile = join(userFolder, 'install.log');
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await runCommand('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], {
		cwd: downloads,
		logFile,
		signal,
	});

	const {
		devDependencies: _development,
		peerDependencies: _peers,
		optionalDependencies: _optional,
		...packageJson
	} = await readJson<PackageJson>(join(folder, 'package.json'));
	await writeJson(join(folder, 'package.json'), packageJson);
	const flags = ['--audit=false', '--fund=false', '--bin-links=false', '--install-strategy=shallow'];
	await runNpm(['install', ...flags, '--ignore-scripts=true', '--package-lock=false'], {
		cwd: folder,
		logFile,
		signal,
	});

	const ledgerFile = join(downloads, 'package.json');
	const ledger = await readJson<{ dependencies: Record<string, string> }>(ledgerFile).catch(() => ({
		name: 'installed-nodes',
		private: true,
		dependencies: {},
	}));
	await writeJson(ledgerFile, {
		...ledger,
		dependencies: { ...ledger.dependencies, [packageName]: packageJson.version },
	});
	await writeFile(stampFile, digest);
	return true;
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

/** The package.json of the package as it is installed in a user folder. */
export async function installedPackageJson(userFolder: string): Promise<PackageJson> {
	return await readJson(join(userFolder, '.n8n', 'nodes', 'node_modules', packageName, 'package.json'));
}

async function readJson<T>(file: string): Promise<T> {
	return JSON.parse(await readFile(file, 'utf8')) as T;
}

async function writeJson(file: string, content: unknown): Promise<void> {
	await writeFile(file, JSON.stringify(content, null, 2));
}
