import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { type JestWorkerFarm, Worker } from 'jest-worker';
import { build } from 'rolldown';

import { hostFolder, projectFolder, sandboxFolder } from '../sandbox/host';
import { hostNode } from '../sandbox/host/paths';
import type * as engineProcess from './engine';
import type { Job } from './nodes';

/* The processes of the measurements: their program is compiled beforehand, and each run has an engine of its own. */

const folder = join(sandboxFolder, 'bench');

/** Only the variables that a process needs: a proxy, settings of another n8n or Node.js options would change the figures. */
const environment = {
	PATH: process.env.PATH,
	NODE_ENV: 'production',
	N8N_LOG_LEVEL: 'silent',
	N8N_USER_FOLDER: join(folder, 'user'),
};

/** Of the compiled program, which loads all modules from the pinned n8n. */
const outdir = join(folder, 'build');

/** Compiles the node and the program of its process: a loader that compiles at run time would change the figures. */
export async function buildProgram(): Promise<void> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	await symlink(join(hostFolder, 'node_modules'), join(outdir, 'node_modules'), 'junction');
	await build({
		cwd: projectFolder,
		input: 'bench/engine.ts',
		external: /^[^./]/,
		platform: 'node',
		transform: { target: 'node20' },
		output: { dir: outdir, format: 'cjs' },
	});
}

/** A process with the engine of the pinned n8n, and one node. */
export async function startEngine(job: Job) {
	const engine = new Worker(join(outdir, 'engine.js'), {
		numWorkers: 1,
		exposedMethods: ['prepare', 'run'],
		// A process that has ended can no longer be measured: the call fails.
		maxRetries: 1,
		// The two processes may run different versions of Node.js, which serialize differently.
		forkOptions: { silent: false, serialization: 'json', execPath: hostNode, execArgv: [], env: environment },
	}) as JestWorkerFarm<typeof engineProcess>;
	await engine.prepare(job);
	return engine;
}
