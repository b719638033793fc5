import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import {
	type Execution,
	freePort,
	type Host,
	installPackage,
	startHost,
	startWorker,
} from '../../../sandbox/host';
import { type Emulator, startEmulator } from '../../../sandbox/emulator';
import { owner } from '../../../sandbox/start/sandbox';
import { HostApi } from './api';
import { userFolderOf } from './bench';
import { startPostgres, startRedis } from './databases';
import { type Mailing, mailing, type MailingOptions } from './interrupted';
import { packedPackage } from './environment';

/** A process of n8n. */
export interface Member {
	/** The current or last running process. */
	readonly host: Host;
	/** Kills it with all its children, as when a machine fails or a container runs out of memory. */
	kill(): Promise<void>;
	restart(): Promise<void>;
}

/** An emulator without limits, and an n8n in queue mode with the package: a main process, two workers, Redis and PostgreSQL. */
interface QueueBench {
	main: Member;
	api: HostApi;
	workers: Member[];
	service: Emulator;
	/** Stores a workflow that sends to everybody on a list, with its own account. */
	newMailing(options: MailingOptions): Promise<Mailing>;
	/** Waits for the end of an execution. */
	ended(executionId: string): Promise<Execution>;
	stop(): Promise<void>;
}

/**
 * Starts everything, in user folders below the folder with that name.
 *
 * @param settings of all processes in addition to the sandbox's own
 */
export async function openQueueBench(
	name: string,
	settings: Record<string, string> = {},
): Promise<QueueBench> {
	// In the order in which they started; they stop in reverse order.
	const running: Array<() => Promise<unknown>> = [];
	const stop = async () => {
		for (const stopOne of running.splice(0).reverse()) await stopOne();
	};
	const launch = async (folder: string, start: (userFolder: string) => Promise<Host>): Promise<Member> => {
		const userFolder = join(userFolderOf(name), folder);
		await installPackage(userFolder, packedPackage());
		const member = await startMember(async () => await start(userFolder));
		running.push(async () => await member.host.stop());
		return member;
	};
	try {
		const service = await startEmulator({ limits: false });
		running.push(async () => await service.stop());
		const redis = await startRedis();
		running.push(redis.stop);
		const postgres = await startPostgres();
		running.push(postgres.stop);
		const port = await freePort();
		const env = {
			// Workers put it into the links of questions, which the main process answers.
			WEBHOOK_URL: `http://127.0.0.1:${port}`,
			EXECUTIONS_MODE: 'queue',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redis.port),
			DB_TYPE: 'postgresdb',
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(postgres.port),
			DB_POSTGRESDB_USER: postgres.username,
			DB_POSTGRESDB_DATABASE: postgres.database,
			// The workers read the credentials that the main process has stored.
			N8N_ENCRYPTION_KEY: randomBytes(24).toString('hex'),
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true',
			...settings,
		};

		// The main process migrates the database, which the workers need.
		const main = await launch('main', async (userFolder) => await startHost({ userFolder, port, env }));
		const api = new HostApi(main.host.url);
		await api.signIn(owner);
		const workers = await Promise.all(
			['worker-1', 'worker-2'].map(
				async (folder) =>
					await launch(folder, async (userFolder) => startWorker({ userFolder, concurrency: 10, env })),
			),
		);
		return {
			...{ main, api, workers, service, stop },
			newMailing: async (its) => await mailing({ api, service, url: main.host.url }, its),
			ended: async (executionId) => await api.waitForExecution(executionId, { timeoutMs: 150_000 }),
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

async function startMember(start: () => Promise<Host>): Promise<Member> {
	let host = await start();
	return {
		get host() {
			return host;
		},
		async kill() {
			process.kill(-host.pid, 'SIGKILL');
			await host.ended;
		},
		async restart() {
			host = await start();
		},
	};
}
