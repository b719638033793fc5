import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import { freePort } from '../../../sandbox/processes/ports';
import { findProgram } from '../../../sandbox/processes/program';
import { type Identity, type ServerOptions, startServer } from '../../../sandbox/processes/server';

/** A server on loopback that starts empty and leaves nothing behind when it stops. */
interface LocalServer {
	port: number;
	stop(): Promise<void>;
}

const START_TIMEOUT_MS = 30_000;

/** Debian keeps the programs of one PostgreSQL version out of the PATH. */
const debianPostgres = '/usr/lib/postgresql';

export async function startRedis(): Promise<LocalServer> {
	const program = await find('redis-server');
	const client = await find('redis-cli');
	const port = await freePort();
	const folder = await temporaryFolder('redis', {});
	const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
	const ready = [client, '-h', '127.0.0.1', '-p', String(port), 'ping'];
	return { port, stop: await startIn(folder, ready, { name: 'Redis', program, args }) };
}

/** Its only user needs no password. */
export async function startPostgres(): Promise<LocalServer & { username: string; database: string }> {
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
	const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	const ready = [client, '--host=127.0.0.1', `--port=${port}`];
	const server = { name: 'PostgreSQL', program, args: ['-D', data, ...args], identity };
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
		timeoutMs: START_TIMEOUT_MS,
	});
	return async () => {
		await server.stop();
		await rm(folder, { recursive: true, force: true });
	};
}

async function temporaryFolder(name: string, { uid, gid }: Identity): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), `chatbot-sandbox-${name}-`));
	if (uid !== undefined && gid !== undefined) await chown(folder, uid, gid);
	return folder;
}

/** PostgreSQL refuses to run as root, so the process changes to the user that the PostgreSQL package has created. */
async function postgresIdentity(): Promise<Identity> {
	if (process.getuid?.() !== 0) return {};
	const id = async (flag: string) => Number((await execa('id', [flag, 'postgres'])).stdout);
	return { uid: await id('-u'), gid: await id('-g') };
}

/** The newest version first. */
async function postgresFolders(): Promise<string[]> {
	const versions = await readdir(debianPostgres).catch(() => []);
	return versions
		.sort((a, b) => Number(b) - Number(a))
		.map((version) => join(debianPostgres, version, 'bin'));
}

const find = async (name: string, folders?: string[]) =>
	await findProgram(
		[name],
		`Queue mode needs Redis and PostgreSQL, and "${name}" is not installed. ` +
			'On Debian: apt-get install redis-server postgresql',
		folders,
	);
