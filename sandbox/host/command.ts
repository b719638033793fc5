import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import { finished } from 'node:stream/promises';

import { toolEnvironment } from './environment';
import { projectFolder } from './paths';

/** Takes one line of progress meant for the person in front of the terminal. */
export type Log = (line: string) => void;

/** How a command is run. */
export interface CommandOptions {
	cwd: string;
	/** Everything the command says goes there; its end is shown when the command fails. */
	logFile: string;
	env?: NodeJS.ProcessEnv;
	signal?: AbortSignal;
}

const GRACE_MS = 10_000;
const SHOWN_LOG_LINES = 30;

/** Runs a command to its end and returns its standard output; a failure shows the end of its log. */
export async function runCommand(
	command: string,
	args: string[],
	{ cwd, logFile, env = toolEnvironment(), signal }: CommandOptions,
): Promise<string> {
	signal?.throwIfAborted();
	await mkdir(dirname(logFile), { recursive: true });
	const log = createWriteStream(logFile, { flags: 'a' });
	log.write(`\n> ${command} ${args.join(' ')}\n`);

	const child = spawn(command, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
	let output = '';
	child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
	child.stdout.pipe(log, { end: false });
	child.stderr.pipe(log, { end: false });

	const stop = () => void stopGroup(child);
	signal?.addEventListener('abort', stop, { once: true });
	try {
		const code = await new Promise<number | null>((resolve, reject) => {
			child.once('error', reject);
			child.once('close', resolve);
		});
		signal?.throwIfAborted();
		if (code === 0) return output;
	} finally {
		signal?.removeEventListener('abort', stop);
		log.end();
		await finished(log);
	}
	throw new Error(
		`"${[command, ...args].join(' ')}" failed. The end of ${relative(projectFolder, logFile)}:\n\n` +
			(await tail(logFile)),
	);
}

/** Runs npm, by the path of the npm that started us when there is one. */
export async function runNpm(args: string[], options: CommandOptions): Promise<string> {
	const npm = process.env.npm_execpath;
	return npm?.endsWith('.js')
		? await runCommand(process.execPath, [npm, ...args], options)
		: await runCommand('npm', args, options);
}

/** The last lines of a log file. */
export async function tail(file: string, lines = SHOWN_LOG_LINES): Promise<string> {
	const text = await readFile(file, 'utf8').catch(() => '');
	return text.trimEnd().split('\n').slice(-lines).join('\n');
}

/** Ends a process started as the leader of its group, with all its children: politely first, then by force. */
export async function stopGroup(child: ChildProcess, graceMs = GRACE_MS): Promise<void> {
	const { pid } = child;
	if (pid === undefined) return;
	const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
	const ended = hasEnded() ? Promise.resolve() : new Promise<void>((r) => child.once('exit', () => r()));
	if (!hasEnded()) signalGroup(pid, 'SIGTERM');
	let timer: NodeJS.Timeout | undefined;
	await Promise.race([ended, new Promise((r) => (timer = setTimeout(r, graceMs)))]);
	clearTimeout(timer);
	// Children of a leader that left without them would stay behind for good.
	signalGroup(pid, 'SIGKILL');
	await ended;
}

function signalGroup(pid: number, signal: NodeJS.Signals) {
	try {
		process.kill(-pid, signal);
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
	}
}
