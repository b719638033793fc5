import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

import execa from 'execa';

import { endOf, stopGroup } from './command';
import { until } from './poll';

/* Servers: how they are started, waited for and ended. */

export interface ServerOptions {
	name: string;
	program: string;
	args: string[];
	cwd: string;
	/** The file for its output; overwritten at the start. */
	logFile: string;
	env?: NodeJS.ProcessEnv;
	/** The user whose process it becomes; by default the current user. */
	identity?: { uid?: number; gid?: number };
	isReady: () => Promise<boolean>;
	timeoutMs: number;
	signal?: AbortSignal;
}

export interface Server {
	pid: number;
	/** Fulfilled when the process has ended, for any reason. */
	ended: Promise<void>;
	/** Ends it with all its children. */
	stop(): Promise<void>;
}

/**
 * A shell that becomes the given program. The pipe closes when the process that started it ends, for any reason. The server
 * then stops too, with its children, and does not keep its port and its data.
 */
const endsWithItsParent = `(trap '' TERM; read -r _ <&3; kill -TERM 0; sleep 10; kill -KILL 0) & exec "$@" 3<&-`;

export async function startServer(options: ServerOptions): Promise<Server> {
	const { name, program, args, cwd, logFile, env, identity, isReady, timeoutMs, signal } = options;
	signal?.throwIfAborted();
	await mkdir(dirname(logFile), { recursive: true });
	await rm(logFile, { force: true });
	const log = await open(logFile, 'a');
	const child = execa('sh', ['-c', endsWithItsParent, 'sh', program, ...args], {
		...{ ...identity, cwd, env, extendEnv: !env, detached: true, reject: false },
		stdio: ['ignore', log.fd, log.fd, 'pipe'],
	});
	await log.close();
	let hasEnded = false;
	const ended = child.then(() => void (hasEnded = true));
	const stop = async () => {
		await stopGroup(child);
		child.stdio[3]?.destroy();
	};
	const started = async () => {
		if (hasEnded) throw new Error(`${name} ended while it was starting`);
		return await isReady();
	};
	try {
		await until(started, { failure: `${name} did not answer`, timeoutMs, signal });
	} catch (error) {
		await stop();
		signal?.throwIfAborted();
		const said = endOf(await readFile(logFile, 'utf8'));
		throw new Error(`${(error as Error).message}. The end of ${logFile}:\n\n${said}`);
	}
	return { pid: child.pid ?? 0, ended, stop };
}
