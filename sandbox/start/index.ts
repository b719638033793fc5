/** What a newcomer runs first: `npm start`. n8n with the package, the emulator and the examples, one of which has run. */

import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { watch as watchFiles } from 'gulp';

import { ensureHostInstalled, freePort, packPackage, projectFolder, sandboxFolder } from '../host';
import { startEmulator } from '../emulator';
import { dialectOf } from '../emulator/services';
import { runNpm } from '../processes/command';
import { openSandbox, owner } from './sandbox';

const usage = `npm start                                       n8n with the node, the emulator and the examples
npm start -- --service watbot                   the same, as WatBot; or cleverapp, onebot, jetbot, leadtex
npm start -- --watch                            the same, with each change of a source: npm run dev
npm start -- --once                             the same, ending after the example's result
npm start -- --url <address> --token <token>    with your own account instead of the emulator`;

const EXAMPLE = 'welcome-new-leads.json';
const RUN_TIMEOUT_MS = 600_000;

const userFolder = join(sandboxFolder, 'n8n');
const lock = join(userFolder, 'running');

/** With this setting, n8n loads a package again when its files change, and tells the editor. */
const reloading = { N8N_DEV_RELOAD: 'true' };

/** What to do at the end, in reverse order. */
const stops: Array<() => Promise<unknown>> = [];

async function start(args: string[], signal: AbortSignal): Promise<void> {
	const [flag, text] = [{ type: 'boolean' }, { type: 'string' }] as const;
	const known = { once: flag, watch: flag, url: text, token: text, service: text };
	const options = { ...known, help: { ...flag, short: 'h' } };
	const { once, watch, url, token, service: speaksAs, help } = parseArgs({ args, options }).values;
	if (help) return console.log(usage);
	if (!url !== !token) throw new Error(`Give both --url and --token, or none of them.\n\n${usage}`);
	if (url && speaksAs !== undefined)
		throw new Error(`--service is for the emulator: do not give it with --url.\n\n${usage}`);
	// An unknown name ends this before n8n is installed.
	dialectOf(speaksAs);

	// Two instances of n8n with one database would corrupt it.
	await mkdir(userFolder, { recursive: true });
	await writeFile(lock, '', { flag: 'wx' }).catch(() => {
		throw new Error(`Another npm start is already running in this folder. If there is none, delete ${lock}`);
	});
	stops.push(async () => await rm(lock));

	await ensureHostInstalled(signal);
	console.log('Building and packing the package ...');
	const packed = await packPackage(join(userFolder, 'packed'), { signal });

	const emulator = url ? undefined : await startEmulator({ port: await freePort(3999), service: speaksAs });
	if (emulator) stops.push(async () => await emulator.stop());
	const service = emulator ?? { url: url!, token: token! };
	console.log('Starting n8n ...');
	const env = watch ? reloading : undefined;
	const sandbox = await openSandbox({ userFolder, packed, service, env, signal, port: 5678 });
	const { host, api, examples } = sandbox;
	stops.push(host.stop);

	console.log('Running the example "Welcome new leads" ...');
	const execution = await api.runWorkflow(examples.get(EXAMPLE)!, { timeoutMs: RUN_TIMEOUT_MS, signal });
	const delivered = emulator?.deliveries();
	if (delivered) {
		console.log('\nThe messages that the emulator delivered:');
		console.table(delivered, ['recipient', 'text']);
	}
	console.log('\nThe leads on the error branch of the workflow:');
	const failed = execution.output('Failed leads').map(({ json }) => json);
	console.table(failed, ['name', 'reason']);
	// One lead of the file is wrong on purpose.
	const missing = delivered && execution.output('Leads').length - 1 - delivered.length;
	if (execution.status !== 'success' || missing) {
		const problem = `The example ended with "${execution.status}", ${missing ?? 0} messages are missing. ${execution.error?.message ?? ''}`;
		if (once) throw new Error(problem);
		console.log(problem);
	}
	if (once) return;
	if (watch) stops.push(rebuildOnChange(sandbox.installed, signal));

	console.log(`
The editor: ${host.url}   login: ${owner.email}   password: ${owner.password}
${emulator ? 'The emulator' : 'The service'}: ${service.url}
${watch ? 'The editor gets each change of a source. ' : ''}Ctrl-C stops everything.`);
	await Promise.race([host.ended, new Promise((resolve) => signal.addEventListener('abort', resolve))]);
	if (!signal.aborted) throw new Error(`n8n ended unexpectedly. Its log: ${host.logFile}`);
}

/**
 * Rebuilds the package after each change of a source, and puts it where n8n has installed it. What is wrong with a source is printed.
 * Types come last, because they take longer than all the rest.
 *
 * @returns how to end that
 */
function rebuildOnChange(installed: string, signal: AbortSignal) {
	const options = { cwd: projectFolder, signal };
	const rebuild = async () => {
		try {
			await runNpm(['run', 'bundle'], options);
			// Over the old files: n8n no longer watches a folder that was removed.
			await cp(join(projectFolder, 'dist'), join(installed, 'dist'), { recursive: true });
			console.log('\nRebuilt. Checking the types ...');
			await runNpm(['run', 'typecheck'], options);
			console.log('The types are right.');
		} catch (error) {
			if (!signal.aborted) console.error(`\n${(error as Error).message}`);
		}
	};
	const watcher = watchFiles(['nodes/**', 'credentials/**', 'icons/**'], { cwd: projectFolder }, rebuild);
	return async () => await watcher.close();
}

async function main(): Promise<void> {
	const interrupted = new AbortController();
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => interrupted.abort());
	interrupted.signal.addEventListener('abort', () => console.log('\nStopping ...'));
	try {
		await start(process.argv.slice(2), interrupted.signal);
	} catch (error) {
		if (!interrupted.signal.aborted) console.error(`\n${(error as Error).message}`);
		process.exitCode = interrupted.signal.aborted ? 130 : 1;
	} finally {
		for (const stop of stops.reverse()) await stop();
	}
}

void main();
