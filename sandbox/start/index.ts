import { join } from 'node:path';

import { ensureHostInstalled, freePort, type Log, packPackage, sandboxFolder, stopwatch } from '../host';
import { DEFAULT_TOKEN } from '../emulator/data';
import { startEmulator } from '../emulator';
import { lockFolder } from './lock';
import { parseOptions, type StartOptions, usage, UsageError } from './options';
import { reportWelcome } from './report';
import { openSandbox, owner } from './sandbox';
import { welcomeNewLeads } from './welcome';

const SERVICE_PORT = 3999;
const EDITOR_PORT = 5678;

const log: Log = (line) => console.log(line);

async function main(): Promise<number> {
	let options: StartOptions;
	try {
		options = parseOptions(process.argv.slice(2));
	} catch (error) {
		if (!(error instanceof UsageError)) throw error;
		console.error(`${error.message}\n\n${usage}`);
		return 2;
	}
	if (options.help) {
		log(usage);
		return 0;
	}
	const interrupted = new AbortController();
	// One Ctrl-C sends more than one signal: from the terminal and from npm.
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
		process.on(signal, () => interrupted.abort());
	interrupted.signal.addEventListener('abort', () => log('\nStopping ...'), { once: true });
	// A signal for npm alone ends the shell in which npm runs this process, and the shell does not forward it.
	const parent = process.ppid;
	setInterval(() => process.ppid !== parent && interrupted.abort(), 1_000).unref();
	try {
		return await run(options, interrupted.signal);
	} catch (error) {
		if (interrupted.signal.aborted) return 130;
		console.error(`\n${(error as Error).message}`);
		return 1;
	}
}

/** Starts everything, shows the example and always stops in reverse order. */
async function run(options: StartOptions, signal: AbortSignal): Promise<number> {
	const stops: Array<() => Promise<unknown>> = [];
	const userFolder = join(sandboxFolder, 'n8n');
	try {
		stops.push(await lockFolder(userFolder));
		await ensureHostInstalled(log, signal);
		const taken = stopwatch();
		log('Building and packing the package ...');
		const packed = await packPackage(join(userFolder, 'packed'), signal);
		log(`Built and packed the package (${taken()})`);

		const emulator = options.service ? undefined : await startAtFreePort();
		if (emulator) stops.push(async () => await emulator.stop());
		const service = options.service ?? { url: emulator?.url ?? '', token: DEFAULT_TOKEN };

		const sandbox = await openSandbox({ userFolder, packed, service, port: EDITOR_PORT, log, signal });
		stops.push(sandbox.stop);

		log('Running "Welcome new leads" ...');
		const result = await welcomeNewLeads(sandbox, emulator, signal);
		const isRight = reportWelcome(result, log);
		if (options.once) {
			const command = options.service ? 'the same command without --once' : 'npm start';
			log(`\nTo look at it in the editor of n8n, run ${command}.`);
			return isRight ? 0 : 1;
		}

		log('');
		log(`The editor: ${sandbox.host.url}   login: ${owner.email}   password: ${owner.password}`);
		log(`${emulator ? 'The emulator' : 'The service'}: ${service.url}`);
		log('Ctrl-C stops everything.');
		const why = await Promise.race([
			new Promise<'asked'>((resolve) =>
				signal.addEventListener('abort', () => resolve('asked'), { once: true }),
			),
			sandbox.host.ended.then(() => 'ended' as const),
		]);
		if (why === 'asked') return 0;
		throw new Error(`n8n ended unexpectedly. Its log: ${sandbox.host.logFile}`);
	} finally {
		for (const stop of stops.reverse()) await stop();
	}
}

async function startAtFreePort() {
	const port = await freePort(SERVICE_PORT);
	if (port !== SERVICE_PORT) log(`Port ${SERVICE_PORT} is in use. The emulator uses port ${port}.`);
	const service = await startEmulator({ port });
	log(`The emulator runs at ${service.url}`);
	return service;
}

void main().then((code) => {
	process.exitCode = code;
});
