import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import which from 'which';

import { type CommandOptions, runCommand, runNpm } from '../processes/command';
import { toolEnvironment } from '../processes/environment';
import { installOnce } from './installOnce';
import { driverFolder, projectFolder } from './paths';

const sqlite3 = join('node_modules', 'sqlite3');
const driverFile = join(sqlite3, 'build', 'Release', 'node_sqlite3.node');

type Options = Pick<CommandOptions, 'logFile' | 'signal'>;

/**
 * Installs n8n's SQLite driver: downloads it from GitHub, or compiles it. The npm registry has only its source code. It is installed
 * before n8n and in another folder, so that a machine on which both fail does not download n8n in vain.
 */
export async function installDriver(options: Options, folder = driverFolder): Promise<void> {
	await installOnce(folder, async () => {
		await runNpm(['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
			...options,
			cwd: folder,
			env: toolEnvironment(),
		});
		try {
			await download(folder, options).catch(async () => await compile(folder, options));
		} catch {
			options.signal?.throwIfAborted();
			throw new Error(await explanation(options.logFile));
		}
	});
}

/** Copies the driver into an n8n that was installed without one. */
export async function copyDriver(n8nFolder: string, folder = driverFolder): Promise<void> {
	const target = join(n8nFolder, driverFile);
	await mkdir(dirname(target), { recursive: true });
	await copyFile(join(folder, driverFile), target);
}

async function download(folder: string, options: Options): Promise<void> {
	await runNode(['../prebuild-install/bin.js', '--runtime=napi'], join(folder, sqlite3), options);
	// It may need a newer C library than this machine has.
	await load(folder, options);
}

async function compile(folder: string, options: Options): Promise<void> {
	const headers = await folderWithHeaders(join(folder, 'node_modules', 'node'), options);
	await runNode(['../node-gyp/bin/node-gyp.js', 'rebuild', `--nodedir=${headers}`], join(folder, sqlite3), {
		...options,
		env: toolEnvironment({ JOBS: 'max' }),
	});
	await load(folder, options);
}

async function load(folder: string, options: Options): Promise<void> {
	await runNode(['--eval', 'require("sqlite3")'], folder, options);
}

async function runNode(args: string[], cwd: string, options: Omit<CommandOptions, 'cwd'>): Promise<void> {
	await runCommand(process.execPath, args, { ...options, cwd });
}

/** The driver uses Node-API, so the headers of any Node.js work. The npm package of Node.js contains them. */
async function folderWithHeaders(nodePackage: string, options: Options): Promise<string> {
	const hasHeaders = (folder: string) => existsSync(join(folder, 'include', 'node', 'node_api.h'));
	const ofMachine = dirname(dirname(process.execPath));
	if (hasHeaders(ofMachine)) return ofMachine;
	await runNode(['installArchSpecificPackage.js'], nodePackage, options);
	const modules = join(nodePackage, 'node_modules');
	const found = (await readdir(modules)).map((name) => join(modules, name)).find(hasHeaders);
	if (!found) throw new Error(`${modules} contains no headers of Node.js`);
	return found;
}

async function explanation(logFile: string): Promise<string> {
	const missing = await missingTools();
	const what = missing.length > 0 ? ` (not found: ${missing.join(', ')})` : '';
	const advice = {
		darwin: 'Run "xcode-select --install", then start again.',
		win32: 'Install Python and Visual Studio with "Desktop development with C++", then start again.',
		others:
			missing.length > 0
				? 'Run "sudo apt-get install python3 make g++" (Debian, Ubuntu) or install the same with your package manager, then start again.'
				: 'The log shows why. Let this machine download from github.com, or solve what the log shows, then start again.',
	};
	return (
		`n8n's SQLite driver can neither be downloaded from github.com nor compiled${what}. Log: ${relative(projectFolder, logFile)}\n` +
		(process.platform in advice ? advice[process.platform as 'darwin' | 'win32'] : advice.others)
	);
}

/** The programs with which node-gyp compiles, each with its names. */
const tools: Record<string, string[]> = {
	Python: ['python3', 'python'],
	make: ['make', 'gmake'],
	'a C++ compiler': ['c++', 'g++', 'clang++'],
};

async function missingTools(): Promise<string[]> {
	const isMissing = async (names: string[]) =>
		(await Promise.all(names.map((name) => which(name, { nothrow: true })))).every((path) => !path);
	const found = await Promise.all(
		Object.entries(tools).map(async ([tool, names]) => ((await isMissing(names)) ? [tool] : [])),
	);
	return found.flat();
}
