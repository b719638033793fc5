import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import { freePort } from '../../../sandbox/processes/ports';
import { findProgram } from './program';
import { type ServerOptions, startServer } from '../../../sandbox/processes/server';

/** A server on loopback that starts empty and leaves nothing behind when it stops. */
interface LocalServer {
	port: number;
	stop(): Promise<void>;
}

export async function startRedis(): Promise<LocalServer> {
	const [program, client] = await find(['redis-server', 'redis-cli']);
	const port = await freePort();
	const folder = await mkdtemp(join(tmpdir(), 'chatbot-sandbox-redis-'));
	const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
	const ready = [client!, '-h', '127.0.0.1', '-p', String(port), 'ping'];
	return { port, stop: await startIn(folder, ready, { name: 'Redis', program: program!, args }) };
}

/** Its only user needs no password. */
export async function startPostgres(): Promise<LocalServer & { username: string; database: string }> {
	const programs = ['postgres', 'initdb', 'pg_isready'];
	const [program, initdb, client] = await find(programs, await postgresFolders());
	const identity = await postgresIdentity();
	const port = await freePort();
	const folder = await mkdtemp(join(tmpdir(), 'chatbot-sandbox-postgres-'));
	if (identity) await chown(folder, identity.uid, identity.gid);
	const data = join(folder, 'data');
	const username = 'n8n';
	const access = [`--username=${username}`, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
	await execa(initdb!, [`--pgdata=${data}`, ...access], { ...identity, cwd: folder });
	// The data need not survive a crash, and the socket must not conflict with that of another PostgreSQL.
	const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off' };
	const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	const ready = [client!, '--host=127.0.0.1', `--port=${port}`];
	const server = { name: 'PostgreSQL', program: program!, args: ['-D', data, ...args], identity };
	return { port, username, database: 'postgres', stop: await startIn(folder, ready, server) };
}

/** Starts a server, which is ready when a command succeeds. @returns a function that stops it and removes its folder */
async function startIn(
	folder: string,
	[client, ...args]: string[],
	options: Pick<ServerOptions, 'name' | 'program' | 'args' | 'identity'>,
): Promise<() => Promise<void>> {
	const server = await startServer({
		...options,
		cwd: folder,
		logFile: join(folder, 'server.log'),
		isReady: async () => !(await execa(client!, args, { reject: false })).failed,
		timeoutMs: 30_000,
	});
	return async () => {
		await server.stop();
		await rm(folder, { recursive: true, force: true });
	};
}

/** PostgreSQL refuses to run as root, so the process changes to the user that the PostgreSQL package has created. */
async function postgresIdentity() {
	if (process.getuid?.() !== 0) return undefined;
	const id = async (flag: string) => Number((await execa('id', [flag, 'postgres'])).stdout);
	return { uid: await id('-u'), gid: await id('-g') };
}

/** Debian keeps the programs of one PostgreSQL version out of the PATH. The newest version is first. */
async function postgresFolders(): Promise<string[]> {
	const debianPostgres = '/usr/lib/postgresql';
	const versions = await readdir(debianPostgres).catch(() => []);
	return versions
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => join(debianPostgres, version, 'bin'));
}

const missing = 'Queue mode needs Redis and PostgreSQL. On Debian: apt-get install redis-server postgresql';

const find = async (names: string[], folders?: string[]) =>
	await Promise.all(names.map(async (name) => await findProgram([name], missing, folders)));
