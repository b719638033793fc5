import { freePort, HostApi, installPackage, startHost } from '../host';
import type { CredentialData, Owner, PackedPackage } from '../host';
import { examplesFolder, importExamples } from './examples';

/** The login of every sandbox. It listens on the loopback interface only. */
export const owner: Owner = {
	email: 'owner@example.com',
	password: 'Sandbox-2026',
	firstName: 'Анна',
	lastName: 'Владельцева',
};

interface SandboxOptions {
	userFolder: string;
	packed: PackedPackage;
	service: { url: string; token: string };
	/** The port of the editor if it is free. */
	port?: number;
	/** Variables for n8n. */
	env?: Record<string, string>;
	signal?: AbortSignal;
}

/** Starts n8n with the package installed and with everything that a user would have to set up. */
export async function openSandbox(options: SandboxOptions) {
	const { userFolder, packed, service, env, signal } = options;
	const installed = await installPackage(userFolder, packed);
	const port = await freePort(options.port);
	const host = await startHost({ userFolder, port, filesFolder: examplesFolder, env, signal });
	try {
		const api = new HostApi(host.url);
		await api.signIn(owner);
		const credential = await storeCredential(api, service);
		const examples = await importExamples(api, credential);
		return { host, api, credential, examples, installed };
	} catch (error) {
		await host.stop();
		throw error;
	}
}

export const credentialFor = (
	{ url, token }: { url: string; token: string },
	data: Record<string, unknown> = {},
): CredentialData => ({
	// The examples have the name that n8n gives by itself.
	name: 'Chatbot Service account',
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
