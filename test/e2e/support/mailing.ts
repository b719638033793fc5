import {
	chained,
	ourNode,
	ownConnection,
	poll,
	type StoredCredential,
	type StoredWorkflow,
	until,
	type WorkflowNode,
} from '../../../sandbox/host';
import { addContacts, type Contact, type Emulator } from '../../../sandbox/emulator';
import { credentialFor } from '../../../sandbox/start/sandbox';
import type { HostApi } from './api';

/* Workflows that send to everybody on a list that they receive by webhook. */

/** The URL of a webhook of an n8n. */
export const webhookUrl = (url: string, path: string) => `${url}/webhook/${path}`;

/** Posts JSON; throws an answer that is an error. */
export async function post(url: string, body: unknown): Promise<Response> {
	const response = await fetch(url, {
		method: 'POST',
		headers: { ...ownConnection, 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	if (!response.ok) throw new Error(`n8n answered ${url} with ${response.status}: ${await response.text()}`);
	return response;
}

/** A workflow is active shortly before its webhook or form exists. The preflight request of a browser starts nothing. */
export async function isRegistered(address: string): Promise<boolean> {
	const response = await fetch(address, {
		method: 'OPTIONS',
		headers: { ...ownConnection, origin: 'http://localhost' },
	});
	return response.headers.get('access-control-allow-methods')?.includes('POST') ?? false;
}

/** People in a messenger without its own limit. */
export const newPeople = ({ data }: Emulator, count: number): Contact[] =>
	addContacts(data, count, { messenger: 'vk' });

/** The node that sends, in each of these workflows. */
export const SEND = 'Send';

/** Sends to each of these people. */
export const sendNode = (credential: StoredCredential, text: string, options = {}): WorkflowNode => {
	const operation = { resource: 'message', operation: 'send', recipient: 'contact' };
	const to = { contactId: '={{ $json.id }}', contactMessenger: 'vk' };
	return ourNode(
		{ name: SEND, parameters: { ...operation, ...to, content: ['text'], text, options } },
		credential,
	);
};

/** Stores a credential for a new account with its own limits. @param settings besides address and token */
export async function newAccount(
	api: HostApi,
	service: Emulator,
	settings: Record<string, number>,
): Promise<StoredCredential> {
	const token = `account-${service.data.accounts.length}`;
	service.data.accounts.push({ token, apiAccess: true });
	return await api.createCredential(credentialFor({ url: service.url, token }, settings));
}

export interface Mailing {
	workflow: StoredWorkflow;
	/** Starts a new execution. @returns the ID of the execution */
	start(people: unknown[]): Promise<string>;
}

export interface MailingOptions {
	/** The name of the workflow and its webhook. */
	name: string;
	/** Settings of its own account. */
	account: Record<string, number>;
	/** The value of 'Send Once Per'; by default the option is not set. */
	once?: string;
	/** The node's On Error setting; by default the node stops. */
	onError?: string;
	/** Nodes before the one that sends. */
	before?: WorkflowNode[];
}

/** Stores such a workflow, and waits until it can be started. @param url of n8n, where the webhooks are */
export async function mailing(
	{ api, service, url }: { api: HostApi; service: Emulator; url: string },
	{ name, account, once, onError, before = [] }: MailingOptions,
): Promise<Mailing> {
	const credential = await newAccount(api, service, account);
	const webhook = {
		...{ webhookId: name, name: 'Webhook', type: 'n8n-nodes-base.webhook', typeVersion: 2 },
		parameters: { httpMethod: 'POST', path: name, responseMode: 'onReceived', options: {} },
	};
	const split = {
		...{ name: 'People', type: 'n8n-nodes-base.splitOut', typeVersion: 1 },
		parameters: { fieldToSplitOut: 'body.people', options: {} },
	};
	const text = '={{ $json.name }}, ждём вас завтра в 18:30.';
	const send = { ...sendNode(credential, text, once ? { sendOncePer: once } : {}), onError };
	const workflow = await api.createWorkflow(chained(name, [webhook, split, ...before, send]));
	await api.activateWorkflow(workflow.id);
	await until(async () => await isRegistered(webhookUrl(url, name)));
	return {
		workflow,
		async start(people) {
			const known = new Set((await api.executions(workflow.id)).map(({ id }) => id));
			await post(webhookUrl(url, name), { people });
			return await poll(async () => (await api.executions(workflow.id)).find(({ id }) => !known.has(id))?.id);
		},
	};
}
