import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { image, type Host, startHost, type StoredCredential } from '../../../sandbox/host';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../sandbox/emulator';
import { importExamples } from '../../../sandbox/start/examples';
import { credentialFor, openSandbox } from '../../../sandbox/start/sandbox';
import { HostApi } from './api';
import { foldersOfTests, packedPackage, serviceOfTests } from './environment';

/*
 * An n8n takes ten seconds to start. So all test files share one, except for files that kill it, stop it or need a new one. It
 * starts when the first file needs it, and is emptied for each file.
 */

/** An emulator for one test file, and an n8n with the package, a credential for that emulator and the examples. */
export interface Bench {
	host: Pick<Host, 'url' | 'logFile'>;
	/** The folder in which this n8n keeps its data. */
	userFolder: string;
	api: HostApi;
	service: Emulator;
	credential: StoredCredential;
	/** The IDs of the example workflows by file name. */
	examples: Map<string, string>;
	stop(): Promise<void>;
}

/** Opens the n8n that all files share, without the data of the previous file. */
export async function openBench(serviceOptions?: EmulatorOptions): Promise<Bench> {
	const { login, ...host } = (await readSharedHost()) ?? (await startSharedHost());
	const api = new HostApi(host.url, login);
	for (const { id } of await api.workflows()) await api.deleteWorkflow(id);
	for (const { id } of await api.credentials()) await api.deleteCredential(id);
	const service = await startEmulator({ service: serviceOfTests, ...serviceOptions });
	// The account has the rate limit, and none of these files tests it.
	const credential = await api.createCredential(credentialFor(service, { requestsPerSecond: 0 }));
	const examples = await importExamples(api, credential);
	const stop = async () => await service.stop();
	return { host, userFolder: sharedFolder, api, service, credential, examples, stop };
}

interface OwnBench extends Bench {
	/** Kills n8n with all its children. */
	kill(): Promise<void>;
	/** Starts n8n again, with the same data. */
	restart(): Promise<void>;
}

/**
 * Starts an n8n for one file.
 *
 * @param name of its user folder: a new name makes it a first start
 * @param options variables for n8n, and the limits of the service
 */
export async function openOwnBench(
	name: string,
	{ env, limits }: { env?: Record<string, string>; limits?: EmulatorOptions['limits'] } = {},
): Promise<OwnBench> {
	const userFolder = userFolderOf(name);
	const service = await startEmulator({ service: serviceOfTests, limits });
	try {
		const sandbox = await openSandbox({ userFolder, packed: packedPackage(), service, env });
		let running = sandbox.host;
		const api = new HostApi(running.url, sandbox.api.login);
		return {
			...{ ...sandbox, api, userFolder, service },
			async kill() {
				process.kill(-running.pid, 'SIGKILL');
				await running.ended;
			},
			async restart() {
				await running.stop();
				running = await startHost({ userFolder, env, port: Number(new URL(running.url).port) });
			},
			async stop() {
				await running.stop();
				await service.stop();
			},
		};
	} catch (error) {
		await service.stop();
		throw error;
	}
}

/** The user folder of the n8n with that name. */
export const userFolderOf = (name: string) => join(foldersOfTests, name);

const sharedFolder = userFolderOf('shared');

/** Test files share no memory, so the state is in a file. */
const sharedFile = join(foldersOfTests, 'shared.json');

interface SharedHost extends Pick<Host, 'url' | 'logFile' | 'pid'> {
	/** The only login: n8n allows no more than five logins per minute. */
	login: HostApi['login'];
}

async function startSharedHost(): Promise<SharedHost> {
	const { host, api } = await openSandbox({
		userFolder: sharedFolder,
		packed: packedPackage(),
		// Each file sets its own credential.
		service: { url: 'http://127.0.0.1', token: 'none' },
	});
	const { url, logFile, pid } = host;
	const shared = { url, logFile, pid, login: api.login };
	await writeFile(sharedFile, JSON.stringify(shared));
	return shared;
}

const readSharedHost = async () =>
	JSON.parse(await readFile(sharedFile, 'utf8').catch(() => 'null')) as SharedHost | null;

/** Stops the shared n8n if any file has started it. */
export async function stopSharedHost(): Promise<void> {
	const running = await readSharedHost();
	// A container goes on if its client is killed.
	if (running) process.kill(-running.pid, image ? 'SIGTERM' : 'SIGKILL');
}
