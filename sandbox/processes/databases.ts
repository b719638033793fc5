import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import { freePort } from './ports';
import { findProgram } from './program';
import { type Identity, type ServerOptions, startServer } from './server';

/** A server on loopback that starts empty and leaves nothing behind when it stops. */
export interface LocalServer {
	port: number;
	stop(): Promise<void>;
}

/** A PostgreSQL whose only user needs no password. */
export interface Postgres extends LocalServer {
	username: string;
	database: string;
}

const START_TIMEOUT_MS = 30_000;

/** Debian keeps the programs of one PostgreSQL version out of the PATH. */
const debianPostgres = '/usr/lib/postgresql';

export async function startRedis(signal?: AbortSignal): Promise<LocalServer> {
	const program = await find('redis-server');
	const client = await find('redis-cli');
	const port = await freePort();
	const folder = await temporaryFolder('redis', {});
	const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
	const ready = [client, '-h', '127.0.0.1', '-p', String(port), 'ping'];
	return { port, stop: await startIn(folder, { name: 'Redis', program, args, ready, signal }) };
}

export async function startPostgres(signal?: AbortSignal): Promise<Postgres> {
	const folders = await postgresFolders();
	const program = await find('postgres', folders);
	const initdb = await find('initdb', folders);
	const client = await find('pg_isready', folders);
	const identity = await postgresIdentity();
	const port = await freePort();
	const folder = await temporaryFolder('postgres', identity);
	const data = join(folder, 'data');
	const username = 'n8n';
	const access = [`--username=${username}`, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
	await execa(initdb, [`--pgdata=${data}`, ...access], { ...identity, cwd: folder });
	// The data need not survive a crash, and the socket must not conflict with that of another PostgreSQL.
	const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off' };
	const args = [
		'-D',
		data,
		...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
	];
	const ready = [client, '--host=127.0.0.1', `--port=${port}`];
	const stop = await startIn(folder, { name: 'PostgreSQL', program, args, identity, ready, signal });
	return { port, username, database: 'postgres', stop };
}

/** Starts a server, which is ready when a command succeeds. @returns a function that stops it and removes its folder */
async function startIn(
	folder: string,
	{ ready: [client, ...args], ...options }: StartOptions & { ready: string[] },
): Promise<() => Promise<void>> {
	const server = await startServer({
		...options,
		cwd: folder,
		logFile: join(folder, 'server.log'),
		isReady: async () => !(await execa(client!, args, { reject: false })).failed,
		timeoutMs: START_TIMEOUT_MS,
	});
	return async () => {
		await server.stop();
		await rm(folder, { recursive: true, force: true });
	};
}

type StartOptions = Pick<ServerOptions, 'name' | 'program' | 'args' | 'identity' | 'signal'>;

async function temporaryFolder(name: string, { uid, gid }: Identity): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `chatbot-sandbox-${name}-`));
	if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
	return folder;
}

/** PostgreSQL refuses to run as root, so the process changes to the user that the PostgreSQL package has created. */
async function postgresIdentity(): Promise<Identity> {
	if (process.getuid?.() !== 0) return {};
	try {
		const id = async (flag: string) => Number((await execa('id', [flag, 'postgres'])).stdout);
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

async function find(name: string, folders?: string[]): Promise<string> {
	const missing =
		`Queue mode needs Redis and PostgreSQL, and "${name}" is not installed. ` +
		'On Debian: apt-get install redis-server postgresql';
	return await findProgram([name], { folders, missing });
}
