import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, chown, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

import { stopGroup, tail } from './command';
import { freePort } from './ports';

/** A server on loopback, with nothing in it when it starts and nothing left of it when it stops. */
export interface LocalServer {
	port: number;
	stop(): Promise<void>;
}

/** A PostgreSQL whose only user needs no password. */
export interface Postgres extends LocalServer {
	user: string;
	database: string;
}

/** Whose process it becomes; our own when left out. */
interface Identity {
	uid?: number;
	gid?: number;
}

const START_TIMEOUT_MS = 30_000;
const POLL_MS = 100;

/** Debian keeps what belongs to one version of PostgreSQL out of the PATH. */
const debianPostgres = '/usr/lib/postgresql';

const run = promisify(execFile);

/** Starts a Redis in memory. */
export async function startRedis(signal?: AbortSignal): Promise<LocalServer> {
	const server = await findProgram('redis-server');
	const client = await findProgram('redis-cli');
	const port = await freePort();
	const folder = await temporaryFolder('redis', {});
	const args = [
		'--port',
		String(port),
		'--bind',
		'127.0.0.1',
		'--dir',
		folder,
		'--save',
		'',
		'--appendonly',
		'no',
	];
	const stop = await startServer([server, ...args], folder, {}, signal, async () => {
		await run(client, ['-h', '127.0.0.1', '-p', String(port), 'ping'], { signal });
	});
	return { port, stop };
}

/** Starts a PostgreSQL with an empty database. */
export async function startPostgres(signal?: AbortSignal): Promise<Postgres> {
	const [initdb, server, isReady] = await Promise.all(
		['initdb', 'postgres', 'pg_isready'].map(
			async (name) => await findProgram(name, await postgresFolders()),
		),
	);
	const identity = await postgresIdentity();
	const port = await freePort();
	const folder = await temporaryFolder('postgres', identity);
	const data = join(folder, 'data');
	const user = 'n8n';
	try {
		const access = [`--username=${user}`, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
		await run(initdb!, [`--pgdata=${data}`, ...access], { ...identity, cwd: folder, signal });
	} catch (error) {
		await rm(folder, { recursive: true, force: true });
		throw error;
	}
	// Its data need not outlive the machine, and its socket must not meet that of another PostgreSQL.
	const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off' };
	const args = [
		'-D',
		data,
		...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
	];
	const stop = await startServer([server!, ...args], folder, identity, signal, async () => {
		await run(isReady!, ['--host=127.0.0.1', `--port=${port}`], { signal });
	});
	return { port, user, database: 'postgres', stop };
}

/**
 * Starts a server and waits until it is ready.
 *
 * @param folder of its own; removed when it stops
 * @param probe throws as long as it is not ready
 * @returns what stops it
 */
async function startServer(
	command: string[],
	folder: string,
	identity: Identity,
	signal: AbortSignal | undefined,
	probe: () => Promise<void>,
): Promise<() => Promise<void>> {
	const logFile = join(folder, 'server.log');
	const log = await open(logFile, 'a');
	// The pipe closes when this process ends, however it ends, and the server then stops too.
	const guarded = ['-c', '(read -r _ <&3; kill -INT $$) & exec "$@"', 'sh', ...command];
	const child = spawn('sh', guarded, {
		...identity,
		cwd: folder,
		detached: true,
		stdio: ['ignore', log.fd, log.fd, 'pipe'],
	});
	await log.close();
	const stop = async () => {
		await stopGroup(child);
		child.stdio[3]?.destroy();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		await untilReady(child, probe, signal);
	} catch (error) {
		const said = await tail(logFile);
		await stop();
		signal?.throwIfAborted();
		throw new Error(`${command[0]} ${(error as Error).message} The end of what it said:\n\n${said}`);
	}
	return stop;
}

async function untilReady(
	child: ChildProcess,
	probe: () => Promise<void>,
	signal?: AbortSignal,
): Promise<void> {
	let ended: string | undefined;
	child.once('error', (error) => (ended = `could not be started: ${error.message}.`));
	child.once('exit', () => (ended ??= 'ended while it was starting.'));
	const deadline = Date.now() + START_TIMEOUT_MS;
	while (Date.now() < deadline) {
		signal?.throwIfAborted();
		if (ended) throw new Error(ended);
		const isReady = await probe().then(
			() => true,
			() => false,
		);
		if (isReady) return;
		await new Promise((resolve) => setTimeout(resolve, POLL_MS));
	}
	throw new Error(`was not ready within ${START_TIMEOUT_MS / 1000} seconds.`);
}

async function temporaryFolder(name: string, { uid, gid }: Identity): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `chatbot-sandbox-${name}-`));
	if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
	return folder;
}

/** PostgreSQL refuses to run as root, so it becomes the user that its package has made. */
async function postgresIdentity(): Promise<Identity> {
	if (process.getuid?.() !== 0) return {};
	try {
		const id = async (flag: string) => Number((await run('id', [flag, 'postgres'])).stdout);
		return { uid: await id('-u'), gid: await id('-g') };
	} catch {
		throw new Error('PostgreSQL does not run as root, and there is no user "postgres" it could run as.');
	}
}

/** The newest version first. */
async function postgresFolders(): Promise<string[]> {
	const versions = await readdir(debianPostgres).catch(() => []);
	return versions
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => join(debianPostgres, version, 'bin'));
}

async function findProgram(name: string, folders: string[] = []): Promise<string> {
	for (const folder of [...folders, ...(process.env.PATH ?? '').split(delimiter)]) {
		const file = join(folder, name);
		const isThere = await access(file, constants.X_OK).then(
			() => true,
			() => false,
		);
		if (isThere) return file;
	}
	throw new Error(
		`Queue mode needs Redis and PostgreSQL, and "${name}" is not there. ` +
			'On Debian: apt-get install redis-server postgresql',
	);
}
