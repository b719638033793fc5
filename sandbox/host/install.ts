import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

import { type CommandOptions, type Log, runCommand, runNpm } from '../processes/command';
import { toolEnvironment } from '../processes/environment';
import { hostFolder, hostNode, sandboxFolder } from './paths';
import { installOnce } from './installOnce';
import { stopwatch } from './time';

const PROGRESS_EVERY_MS = 5_000;

export async function ensureHostInstalled(log: Log, signal?: AbortSignal): Promise<void> {
	await installOnce(hostFolder, (lockFile) => installHost(lockFile, log, signal));
}

async function installHost(lock: string, log: Log, signal?: AbortSignal): Promise<void> {
	const modules = join(hostFolder, 'node_modules');
	const { packages } = JSON.parse(lock) as {
		packages: Record<string, { version: string }>;
	};
	const version = packages['node_modules/n8n']?.version ?? '';
	log(`Installing n8n ${version} into sandbox/host: about 2.4 GB and three to six minutes, only this once`);

	const total = stopwatch();
	const logFile = join(sandboxFolder, 'logs', 'host-install.log');
	const inFolder = (cwd: string, env?: Record<string, string>): CommandOptions => ({
		cwd,
		logFile,
		env: toolEnvironment(env),
		signal,
	});
	await rm(logFile, { force: true });

	await step('1/3 packages from the npm registry', log, () =>
		runNpm(['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'], inFolder(hostFolder)),
	);
	await step('2/3 the Node.js this n8n needs', log, () =>
		runCommand(process.execPath, ['installArchSpecificPackage.js'], inFolder(join(modules, 'node'))),
	);
	await step('3/3 the SQLite driver (compiled when there is no ready one for this machine)', log, () =>
		runNpm(
			['rebuild', 'sqlite3', '--ignore-scripts=false', '--foreground-scripts'],
			inFolder(hostFolder, compilerSettings()),
		),
	);
	if (!existsSync(hostNode)) throw new Error(`No Node.js came with n8n: ${hostNode} is missing`);
	log(`n8n ${version} is installed (${total()})`);
}

/** Runs one step, and reports the elapsed time every few seconds. */
async function step(title: string, log: Log, work: () => Promise<unknown>): Promise<void> {
	const taken = stopwatch();
	log(`  ${title} ...`);
	const timer = setInterval(() => log(`    ${taken()}`), PROGRESS_EVERY_MS);
	try {
		await work();
	} finally {
		clearInterval(timer);
	}
	log(`    done (${taken()})`);
}

function compilerSettings(): Record<string, string> {
	const nodeFolder = dirname(dirname(process.execPath));
	const hasHeaders = existsSync(join(nodeFolder, 'include', 'node', 'node_api.h'));
	// The driver uses Node-API, so the headers of any Node.js work and need not be downloaded.
	return { JOBS: 'max', ...(hasHeaders ? { npm_config_nodedir: nodeFolder } : {}) };
}
