import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import execa from 'execa';
import { type JestWorkerFarm, Worker } from 'jest-worker';
import { build } from 'rolldown';

import { hostFolder, projectFolder, sandboxFolder } from '../sandbox/host';
import { hostNode } from '../sandbox/host/paths';
import { startPostgres } from '../test/e2e/support/databases';
import type * as engineProcess from './engine';
import type { Job } from './nodes';

/* The processes of the measurements: they are compiled beforehand, and each run has an engine of its own. */

const folder = join(sandboxFolder, 'bench');

/** Only the variables that a process needs: a proxy, settings of another n8n or Node.js options would change the figures. */
const environment = {
	PATH: process.env.PATH,
	NODE_ENV: 'production',
	N8N_LOG_LEVEL: 'silent',
	N8N_USER_FOLDER: join(folder, 'user'),
};

/** Of the compiled programs, which load all modules from the pinned n8n. */
const outdir = join(folder, 'build');

/** Compiles the node, as it is published, and the programs: a loader that compiles at run time would change the figures. */
export async function buildPrograms(): Promise<void> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(outdir, { recursive: true });
	await symlink(join(hostFolder, 'node_modules'), join(outdir, 'node_modules'), 'junction');
	await build({
		cwd: projectFolder,
		input: ['bench/engine.ts', 'bench/store.ts'],
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

/** The milliseconds of each call of n8n's own store, in both of its databases. */
export async function timesOfStore(): Promise<Record<'sqlite' | 'postgres', Record<string, number[]>>> {
	const postgres = await startPostgres();
	const inPostgres = {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgres.port),
		DB_POSTGRESDB_USER: postgres.username,
		DB_POSTGRESDB_DATABASE: postgres.database,
	};
	const timesIn = async (database: Record<string, string>) => {
		const env = { ...environment, ...database };
		const { stdout } = await execa(hostNode, [join(outdir, 'store.js')], { env, extendEnv: false });
		return JSON.parse(stdout.split('\n').at(-1)!) as Record<string, number[]>;
	};
	try {
		return { sqlite: await timesIn({}), postgres: await timesIn(inPostgres) };
	} finally {
		await postgres.stop();
	}
}
