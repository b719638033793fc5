import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { startPostgres, startRedis } from '../processes/databases';
import { freePort } from '../processes/ports';
import { HostApi, type Owner } from './api';
import { installPackage, type PackedPackage } from './packaging';
import { type Host, startHost, startWorker } from './process';

export interface QueueModeOptions {
	/** The folder for the user folders of all processes. */
	folder: string;
	packed: PackedPackage;
	owner: Owner;
	workers: number;
	/** How many executions each worker runs at a time. */
	concurrency: number;
	/** Settings of all processes in addition to the sandbox's own. */
	env?: Record<string, string>;
	signal?: AbortSignal;
}

export interface Member {
	/** The current or last running process. */
	readonly host: Host;
	/** Kills it with all its children, as when a machine fails or a container runs out of memory. */
	kill(): Promise<void>;
	restart(): Promise<void>;
}

/** An n8n in queue mode: a main process, workers, Redis and PostgreSQL. */
export interface QueueMode {
	main: Member;
	api: HostApi;
	workers: Member[];
	stop(): Promise<void>;
}

/** Starts n8n in queue mode with the package installed everywhere, on loopback only. */
export async function startQueueMode(options: QueueModeOptions): Promise<QueueMode> {
	const { folder, packed, owner, concurrency, signal } = options;
	// In the order in which they started; they stop in reverse order.
	const running: Array<() => Promise<void>> = [];
	const stop = async () => {
		for (let last = running.pop(); last; last = running.pop()) await last();
	};
	try {
		const redis = await startRedis(signal);
		running.push(redis.stop);
		const postgres = await startPostgres(signal);
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
			...options.env,
		};
		const launch = async (userFolder: string, start: () => Promise<Host>): Promise<Member> => {
			await installPackage(userFolder, packed, signal);
			const member = await startMember(start);
			running.push(() => member.host.stop());
			return member;
		};

		// The main process migrates the database, which the workers need.
		const mainFolder = join(folder, 'main');
		const main = await launch(mainFolder, () => startHost({ userFolder: mainFolder, port, env, signal }));
		const api = new HostApi(main.host.url);
		await api.signIn(owner);

		const launched = await Promise.allSettled(
			Array.from({ length: options.workers }, async (_, index) => {
				const userFolder = join(folder, `worker-${index + 1}`);
				return await launch(userFolder, () => startWorker({ userFolder, concurrency, env, signal }));
			}),
		);
		const workers = launched.map((result) => {
			if (result.status === 'rejected') throw result.reason;
			return result.value;
		});
		return { main, api, workers, stop };
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
