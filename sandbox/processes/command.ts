import { setTimeout as sleep } from 'node:timers/promises';

import execa, { type ExecaChildProcess, type ExecaError } from 'execa';

/* Commands that run to their end, and the environment of programs. */

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

/** Settings of the caller's shell or test runner that would change the behavior of a child process. */
const foreign = [
	/^npm_(package|lifecycle|command|node_execpath)/i,
	/^npm_config_(engine_strict|ignore_scripts|local_prefix|omit|provenance|workspace)/i,
	/^(NODE_OPTIONS|NODE_PATH|NODE_ENV|JEST_WORKER_ID|TS_NODE_.*|TSX_.*)$/,
];

/** Settings of an n8n: the variables of a user's own instance must not affect the sandbox. */
const foreignToHost = [/^(N8N|DB|EXECUTIONS|QUEUE|NODES|CREDENTIALS|GENERIC)_/, /^WEBHOOK_URL$/];

/** The environment for npm: the user's own, without the variables of an enclosing `npm run` or test runner. */
export const toolEnvironment = () => without(foreign);

/** The environment for n8n: like that for npm, and without the settings of another n8n. */
export const hostEnvironment = (extra: Record<string, string>) => ({
	...without([...foreign, ...foreignToHost]),
	NODE_ENV: 'production',
	...extra,
});

const without = (patterns: RegExp[]): NodeJS.ProcessEnv =>
	Object.fromEntries(
		Object.entries(process.env).filter(([name]) => !patterns.some((pattern) => pattern.test(name))),
	);
