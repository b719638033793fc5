import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';
import { parse } from 'yaml';

import { freePort, type Host, projectFolder, startHost, startWorker } from '../../../sandbox/host';
import { startEmulator } from '../../../sandbox/emulator';
import { owner } from '../../../sandbox/start/sandbox';
import { HostApi } from './api';
import { startPostgres, startRedis } from './databases';
import { packedPackage } from './environment';
import { mailing, type MailingOptions } from './mailing';

/*
 * The three n8n of docs/queue-mode/compose.yaml, with its variables and the package of a clone as docs/queue-mode.md says, as processes
 * without containers. Only addresses, users and the intervals below are the tests' own. Images, health checks and volumes: .ci/compose.
 */

export const composeFile = readFileSync(join(projectFolder, 'docs/queue-mode/compose.yaml'), 'utf8');

const secret = randomBytes(24).toString('hex');
const dotEnv: Record<string, string> = {
	N8N_ENCRYPTION_KEY: secret,
	POSTGRES_PASSWORD: secret,
	REDIS_PASSWORD: secret,
};

/** The variables of each service, as Docker Compose reads them. */
export function variablesIn(file: string): Record<string, Record<string, string>> {
	const text = file.replace(
		/\$\{(\w+)(?::-([^}]*))?[^}]*\}/g,
		(_, name: string, otherwise = '') => dotEnv[name] ?? String(otherwise),
	);
	const { services } = parse(text, { merge: true }) as {
		services: Record<string, { environment: Record<string, string> }>;
	};
	return Object.fromEntries(Object.entries(services).map(([name, { environment }]) => [name, environment]));
}

/** @param lockMs how long n8n waits for a worker to renew its lock on a job; 60 seconds by default */
export async function openQueueBench(lockMs: number) {
	// In the order in which they started; they stop in reverse order.
	const running: Array<() => Promise<unknown>> = [];
	const started = <Opened extends { stop(): Promise<unknown> }>(opened: Opened): Opened => {
		running.push(opened.stop);
		return opened;
	};
	const stop = async () => {
		for (const stopOne of running.splice(0).reverse()) await stopOne();
	};
	try {
		// Outside of the project, where only n8n's own folders lie above the package.
		const root = await mkdtemp(join(tmpdir(), 'n8n-queue-'));
		running.push(async () => await rm(root, { recursive: true, force: true }));
		/** Without limits. */
		const service = started(await startEmulator({ limits: false }));
		const redis = started(await startRedis());
		const postgres = started(await startPostgres());
		const port = await freePort();
		const own = {
			N8N_WEBHOOK_URL: `http://127.0.0.1:${port}/`,
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(redis.port),
			DB_POSTGRESDB_HOST: '127.0.0.1',
			DB_POSTGRESDB_PORT: String(postgres.port),
			DB_POSTGRESDB_DATABASE: postgres.database,
			DB_POSTGRESDB_USER: postgres.username,
			QUEUE_WORKER_LOCK_DURATION: String(lockMs),
			QUEUE_WORKER_LOCK_RENEW_TIME: String(lockMs * 0.3),
			QUEUE_WORKER_STALLED_INTERVAL: String(lockMs / 2),
		};
		const launch = async (name: string, start: (options: Options) => Promise<Host>) => {
			await installAsDocumented(name, root);
			// The sandbox gives each worker a port.
			const { QUEUE_HEALTH_CHECK_PORT: _, ...variables } = variablesIn(composeFile)[name]!;
			const options = { userFolder: join(root, name), env: { ...variables, ...own } };
			return started(await startMember(async () => await start(options)));
		};

		// The main process migrates the database, which the workers need.
		const main = await launch('n8n', async (options) => await startHost({ ...options, port }));
		const api = new HostApi(main.host.url);
		await api.signIn(owner);
		const startOne = async (options: Options) => await startWorker({ ...options, concurrency: 5 });
		const workers = [await launch('worker-1', startOne), await launch('worker-2', startOne)];
		return {
			...{ main, api, workers, service, stop },
			/** Stores a workflow that sends to everybody on a list, with its own account. */
			newMailing: async (its: MailingOptions) => await mailing({ api, service, url: main.host.url }, its),
			/** Waits for the end of an execution. */
			ended: async (executionId: string) => await api.waitForExecution(executionId, { timeoutMs: 150_000 }),
		};
	} catch (error) {
		await stop();
		throw error;
	}
}

type Options = Parameters<typeof startHost>[0];

/** Runs the command that docs/queue-mode.md has for each process. */
async function installAsDocumented(name: string, root: string): Promise<void> {
	const page = readFileSync(join(projectFolder, 'docs/queue-mode.md'), 'utf8');
	const command = /^ *docker compose exec -T \$name (npm install .*)$/m.exec(page)![1]!;
	const ours = command
		.replace('/home/node/.n8n', join(root, name, '.n8n'))
		.replace('/tmp/package.tgz', packedPackage().tarball);
	await execa('sh', ['-ec', ours], { cwd: root });
}

async function startMember(start: () => Promise<Host>) {
	let host = await start();
	return {
		/** The current or last running process. */
		get host() {
			return host;
		},
		/** Kills it with all its children, as when a machine fails or a container runs out of memory. */
		async kill() {
			process.kill(-host.pid, 'SIGKILL');
			await host.ended;
		},
		async restart() {
			host = await start();
		},
		stop: async () => await host.stop(),
	};
}
