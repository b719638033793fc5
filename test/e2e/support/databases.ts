import { chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import execa from 'execa';

import { freePort } from '../../../sandbox/processes/ports';
import { startServer } from '../../../sandbox/processes/server';

/*
 * Servers on loopback that start empty and leave nothing behind when they stop. They need Redis and PostgreSQL, on Debian: apt-get install
 * redis-server postgresql.
 */

interface Launch {
	name: string;
	command: string[];
	/** A command that succeeds when the server is ready. */
	ready: string[];
	folder: string;
	identity?: { uid: number; gid: number };
}

export async function startRedis() {
	const port = await freePort();
	const folder = await mkdtemp(join(tmpdir(), 'chatbot-sandbox-redis-'));
	const settings = { port, bind: '127.0.0.1', dir: folder, save: '', appendonly: 'no' };
	const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
	const ready = ['redis-cli', '-h', '127.0.0.1', '-p', String(port), 'ping'];
	return { port, stop: await launch({ name: 'Redis', command: ['redis-server', ...args], ready, folder }) };
}

/** Its only user needs no password. */
export async function startPostgres() {
	const identity = await postgresIdentity();
	const port = await freePort();
	const folder = await mkdtemp(join(tmpdir(), 'chatbot-sandbox-postgres-'));
	if (identity) await chown(folder, identity.uid, identity.gid);
	const data = join(folder, 'data');
	const username = 'n8n';
	const access = [`--username=${username}`, '--auth=trust', '--encoding=UTF8', '--no-locale', '--no-sync'];
	await execa('initdb', [`--pgdata=${data}`, ...access], {
		...identity,
		cwd: folder,
		env: await variables(),
	});
	const settings = { listen_addresses: '127.0.0.1', port, unix_socket_directories: '', fsync: 'off' };
	const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
	const command = ['postgres', '-D', data, ...args];
	const ready = ['pg_isready', '--host=127.0.0.1', `--port=${port}`];
	const stop = await launch({ name: 'PostgreSQL', command, ready, folder, identity });
	return { port, username, database: 'postgres', stop };
}

/** @returns a function that stops the server and removes its folder */
async function launch({ name, command, ready, folder, identity }: Launch): Promise<() => Promise<void>> {
	const env = await variables();
	const [program, ...args] = command as [string, ...string[]];
	const [client, ...asked] = ready as [string, ...string[]];
	const server = await startServer({
		...{ name, program, args, identity, env, cwd: folder, logFile: join(folder, 'server.log') },
		isReady: async () => !(await execa(client, asked, { reject: false, env })).failed,
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

/** Debian keeps the programs of PostgreSQL out of the PATH. */
async function variables() {
	const folder = '/usr/lib/postgresql';
	const versions = await readdir(folder).catch(() => []);
	const bins = versions.map((version) => join(folder, version, 'bin'));
	return { ...process.env, PATH: [...bins, process.env.PATH].join(delimiter) };
}
