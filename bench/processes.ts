import type { ForkOptions } from 'node:child_process';
import { join } from 'node:path';

import { type JestWorkerFarm, Worker } from 'jest-worker';

import { hostNode } from '../sandbox/host/paths';
import { benchFolder } from './build';
import type * as engineProcess from './engine/main';
import type { Job } from './job';
import type * as emulatorProcess from './emulator';

/** Only the variables that a process needs: a proxy, settings of another n8n or Node.js options would change the figures. */
const environment = {
	PATH: process.env.PATH,
	NODE_ENV: 'production',
	N8N_LOG_LEVEL: 'silent',
	N8N_USER_FOLDER: join(benchFolder, 'user'),
};

/** A process that runs functions of a module one after the other, on request. */
function start<Module extends Record<string, unknown>>(
	path: string,
	exposedMethods: Array<keyof Module & string>,
	forkOptions: ForkOptions = {},
) {
	return new Worker(path, {
		numWorkers: 1,
		exposedMethods,
		// A process that has ended can no longer be measured: the call fails.
		maxRetries: 1,
		// The two processes may run different versions of Node.js.
		forkOptions: { silent: false, serialization: 'json', ...forkOptions },
	}) as JestWorkerFarm<Module>;
}

export async function startEmulator() {
	const path = join(__dirname, 'emulator.ts');
	const emulator = start<typeof emulatorProcess>(path, ['listen', 'open', 'read']);
	return Object.assign(emulator, await emulator.listen());
}

export type Emulator = Awaited<ReturnType<typeof startEmulator>>;

/**
 * The engine of the pinned n8n with one node, in a separate process. It has already run some items, so that one-time work
 * is not measured.
 */
export async function startEngine(
	program: string,
	job: Omit<Job, 'url' | 'token'>,
	emulator: Emulator,
	items: number,
) {
	const options = { execPath: hostNode, execArgv: [], env: environment };
	const engine = start<typeof engineProcess>(program, ['prepare', 'run'], options);
	const { url, token } = emulator;
	await engine.prepare({ ...job, url, token });
	await engine.run({ contactIds: await emulator.open({ contacts: items }), label: 'warm-up' });
	return engine;
}

export type Engine = Awaited<ReturnType<typeof startEngine>>;
