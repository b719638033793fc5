import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { type Log, runCommand, runNpm } from '../processes/command';
import { toolEnvironment } from '../processes/environment';
import { checkDiskSpace } from './diskSpace';
import { copyDriver, installDriver } from './driver';
import { hostFolder, hostNode, sandboxFolder } from './paths';
import { installOnce } from './installOnce';
import { stopwatch } from './time';

const PROGRESS_EVERY_MS = 30_000;

export async function ensureHostInstalled(log: Log, signal?: AbortSignal): Promise<void> {
	await installOnce(hostFolder, (lockFile) => installHost(lockFile, log, signal));
}

async function installHost(lock: string, log: Log, signal?: AbortSignal): Promise<void> {
	const modules = join(hostFolder, 'node_modules');
	const { packages } = JSON.parse(lock) as {
		packages: Record<string, { version: string }>;
	};
	const version = packages['node_modules/n8n']?.version ?? '';
	await checkDiskSpace(hostFolder);
	log(`Installing n8n ${version} into sandbox/host: about 2.6 GB and three to seven minutes, only this once`);

	const total = stopwatch();
	const logFile = join(sandboxFolder, 'logs', 'host-install.log');
	const options = { logFile, signal, env: toolEnvironment() };
	await rm(logFile, { force: true });

	await step('1/3 the SQLite driver, compiled if there is no download for this machine', log, () =>
		installDriver({ logFile, signal }),
	);
	await step('2/3 packages from the npm registry', log, async () => {
		const args = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
		await runNpm(args, { ...options, cwd: hostFolder });
		await copyDriver(hostFolder);
	});
	await step('3/3 the Node.js that this n8n needs', log, () =>
		runCommand(process.execPath, ['installArchSpecificPackage.js'], {
			...options,
			cwd: join(modules, 'node'),
		}),
	);
	if (!existsSync(hostNode))
		throw new Error(`The installation of n8n contains no Node.js: ${hostNode} is missing`);
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
