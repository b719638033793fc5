import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { type Host, HostApi, type StoredCredential } from '../../../sandbox/host';
import { type Emulator, type EmulatorOptions, startEmulator } from '../../../sandbox/emulator';
import { importExamples } from '../../../sandbox/start/examples';
import { credentialFor, openSandbox } from '../../../sandbox/start/sandbox';
import { foldersOfTests, packedPackage } from './environment';

/*
 * An n8n takes ten seconds to start. So there is one for all test files but those that kill it, stop it or want a new one. It
 * starts when the first file asks for it, and is as empty for each file as it was for the first.
 */

/** An emulator of a test file's own, and an n8n with the package, a credential for that service and the examples. */
export interface Bench {
	host: Pick<Host, 'url' | 'logFile'>;
	/** Where this n8n keeps everything of its own. */
	userFolder: string;
	api: HostApi;
	service: Emulator;
	credential: StoredCredential;
	/** The IDs of the example workflows by file name. */
	examples: Map<string, string>;
	stop(): Promise<void>;
}

/** Opens the n8n that all files share, with nothing left in it of the file before. */
export async function openBench(serviceOptions?: EmulatorOptions): Promise<Bench> {
	const { cookie, ...host } = await sharedHost();
	const api = new HostApi(host.url, cookie);
	for (const { id } of await api.workflows()) await api.deleteWorkflow(id);
	for (const { id } of await api.credentials()) await api.deleteCredential(id);
	const service = await startEmulator(serviceOptions);
	// The pace is the account's, and no file of these is about it.
	const credential = await api.createCredential(credentialFor(service, { requestsPerSecond: 0 }));
	const examples = await importExamples(api, credential, () => {});
	return {
		host,
		userFolder: sharedFolder,
		api,
		service,
		credential,
		examples,
		stop: async () => await service.stop(),
	};
}

/** Starts an n8n of a file's own. The name is that of its user folder: a new one is that of a first start. */
export async function openOwnBench(name: string): Promise<Bench & { host: Host }> {
	const userFolder = userFolderOf(name);
	const service = await startEmulator();
	try {
		const sandbox = await openSandbox({ userFolder, packed: packedPackage(), service, log: () => {} });
		const stop = async () => {
			await sandbox.stop();
			await service.stop();
		};
		return { ...sandbox, userFolder, service, stop };
	} catch (error) {
		await service.stop();
		throw error;
	}
}

/** The user folder of the n8n of that name. */
export const userFolderOf = (name: string) => join(foldersOfTests, name);

const sharedFolder = userFolderOf('shared');

/** Test files share nothing in memory. */
const sharedFile = join(foldersOfTests, 'shared.json');

interface SharedHost {
	url: string;
	logFile: string;
	pid: number;
	/** Of the only login: n8n allows no more than five in a minute. */
	cookie: string;
}

async function sharedHost(): Promise<SharedHost> {
	const running = await readSharedHost();
	if (running) return running;
	const { host, api } = await openSandbox({
		userFolder: sharedFolder,
		packed: packedPackage(),
		// Each file puts its own in its place.
		service: { url: 'http://127.0.0.1', token: 'none' },
		log: () => {},
	});
	const { url, logFile, pid } = host;
	const shared = { url, logFile, pid, cookie: api.login };
	await writeFile(sharedFile, JSON.stringify(shared));
	return shared;
}

const readSharedHost = async () =>
	JSON.parse(await readFile(sharedFile, 'utf8').catch(() => 'null')) as SharedHost | null;

/** Ends the n8n that the files have shared, if any of them has asked for it. */
export async function stopSharedHost(): Promise<void> {
	const running = await readSharedHost();
	if (running) process.kill(-running.pid, 'SIGKILL');
}
