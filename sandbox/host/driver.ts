import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import { type CommandOptions, runCommand, runNpm } from '../processes/command';
import { toolEnvironment } from '../processes/environment';
import { searchProgram } from '../processes/program';
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
	const notFound = missing.length > 0 ? ` (not found: ${missing.join(', ')})` : '';
	const advice =
		adviceOn[process.platform] ??
		(missing.length > 0
			? 'Install them, on Debian and Ubuntu with "sudo apt-get install python3 make g++"'
			: 'Solve what the log shows, or allow downloads from github.com');
	return (
		`n8n's SQLite driver can neither be downloaded from github.com nor compiled${notFound}. Log: ${relative(projectFolder, logFile)}\n` +
		`${advice}, then run the same command again.`
	);
}

/** On macOS, a program may be found that only asks for the installation of the real one. */
const adviceOn: Partial<Record<NodeJS.Platform, string>> = {
	darwin: 'Run "xcode-select --install"',
	win32: 'Install Python, and Visual Studio with "Desktop development with C++"',
};

/** The programs with which node-gyp compiles, each with its names. */
const tools: Record<string, string[]> = {
	Python: ['python3', 'python'],
	make: ['make', 'gmake'],
	'a C++ compiler': ['c++', 'g++', 'clang++'],
};

async function missingTools(): Promise<string[]> {
	const missing: string[] = [];
	for (const [tool, names] of Object.entries(tools)) if (!(await searchProgram(names))) missing.push(tool);
	return missing;
}
