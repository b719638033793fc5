import {
	type CredentialData,
	freePort,
	type Host,
	HostApi,
	installPackage,
	type Log,
	type Owner,
	type PackedPackage,
	startHost,
	stopwatch,
	type StoredCredential,
} from '../host';
import { examplesFolder, importExamples } from './examples';

/** The login of every sandbox. It listens on the loopback interface only. */
export const owner: Owner = {
	email: 'owner@example.com',
	password: 'Sandbox-2026',
	firstName: 'Анна',
	lastName: 'Владельцева',
};

export interface SandboxOptions {
	userFolder: string;
	packed: PackedPackage;
	service: { url: string; token: string };
	/** The port of the editor if it is free. */
	port?: number;
	/** Variables for n8n. */
	env?: Record<string, string>;
	log: Log;
	signal?: AbortSignal;
}

export interface Sandbox {
	host: Host;
	api: HostApi;
	credential: StoredCredential;
	/** The IDs of the example workflows by file name. */
	examples: Map<string, string>;
	stop(): Promise<void>;
}

/** Starts n8n with the package installed and with everything that a user would have to set up. */
export async function openSandbox(options: SandboxOptions): Promise<Sandbox> {
	const { userFolder, packed, service, port, env, log, signal } = options;
	await installPackage(userFolder, packed, signal);
	log('Installed the package into n8n');

	const taken = stopwatch();
	const chosenPort = await freePort(port);
	if (port !== undefined && chosenPort !== port)
		log(`Port ${port} is in use. The editor uses port ${chosenPort}.`);
	log('Starting n8n ...');
	const host = await startHost({ userFolder, port: chosenPort, filesFolder: examplesFolder, env, signal });
	log(`n8n runs at ${host.url} (${taken()})`);
	try {
		const api = new HostApi(host.url);
		await api.signIn(owner);
		const credential = await storeCredential(api, service);
		const examples = await importExamples(api, credential, log);
		return { host, api, credential, examples, stop: host.stop };
	} catch (error) {
		await host.stop();
		throw error;
	}
}

export const credentialFor = (
	{ url, token }: { url: string; token: string },
	data: Record<string, unknown> = {},
): CredentialData => ({
	name: 'Chatbot Service',
	type: 'chatbotServiceApi',
	data: { baseUrl: url, token, ...data },
});

/** The address and the token may have changed since the last start. */
async function storeCredential(api: HostApi, service: { url: string; token: string }) {
	const credential = credentialFor(service);
	const stored = (await api.credentials()).find(
		({ name, type }) => name === credential.name && type === credential.type,
	);
	return stored ? await api.updateCredential(stored.id, credential) : await api.createCredential(credential);
}
