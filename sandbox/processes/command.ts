import { setTimeout as sleep } from 'node:timers/promises';

import execa, { type ExecaChildProcess, type ExecaError } from 'execa';

import { toolEnvironment } from './environment';

/* Commands that run to their end. */

interface CommandOptions {
	cwd: string;
	signal?: AbortSignal;
}

const GRACE_MS = 10_000;
const SHOWN_LINES = 30;

/** Runs a command to its end. @returns what it printed */
export async function runCommand(command: string, args: string[], options: CommandOptions): Promise<string> {
	const { cwd, signal } = options;
	signal?.throwIfAborted();
	const environment = { env: toolEnvironment(), extendEnv: false };
	const child = execa(command, args, { cwd, ...environment, detached: true, stdin: 'ignore', all: true });
	const stop = () => void stopGroup(child);
	signal?.addEventListener('abort', stop, { once: true });
	try {
		return (await child).stdout;
	} catch (error) {
		signal?.throwIfAborted();
		const { shortMessage, all = '' } = error as ExecaError;
		throw new Error(`${shortMessage}. The end of its output:\n\n${endOf(all)}`);
	} finally {
		signal?.removeEventListener('abort', stop);
	}
}

/** Runs npm, with the path of the npm that started this process if there is one. */
export async function runNpm(args: string[], options: CommandOptions): Promise<string> {
	const npm = process.env.npm_execpath;
	return npm?.endsWith('.js')
		? await runCommand(process.execPath, [npm, ...args], options)
		: await runCommand('npm', args, options);
}

export const endOf = (text: string) => text.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');

/** Ends a process group by its leader, with all children: first with a termination signal, then by force. */
export async function stopGroup(child: ExecaChildProcess): Promise<void> {
	const ended = child.catch(() => undefined);
	signalGroup(child, 'SIGTERM');
	await Promise.race([ended, sleep(GRACE_MS, undefined, { ref: false })]);
	// If the leader has ended without its children, they would continue to run.
	signalGroup(child, 'SIGKILL');
	await ended;
}

function signalGroup({ pid }: ExecaChildProcess, signal: NodeJS.Signals) {
	try {
		if (pid !== undefined) process.kill(-pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}
