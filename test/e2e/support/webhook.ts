import {
	chained,
	ourNode,
	ownConnection,
	type StoredCredential,
	type StoredWorkflow,
	until,
	type WorkflowData,
	type WorkflowNode,
} from '../../../sandbox/host';
import type { HostApi } from './api';

/* Workflows that start by a webhook. */

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

export const webhook = (path: string, responseMode: string): WorkflowNode => ({
	webhookId: path,
	name: 'Webhook',
	type: 'n8n-nodes-base.webhook',
	typeVersion: 2,
	parameters: { httpMethod: 'POST', path, responseMode, options: {} },
});

/** Receives people by webhook, answers immediately, and passes an item for each of them to its last node. */
export function workflowForPeople(path: string, last: WorkflowNode): WorkflowData {
	const split = {
		name: 'People',
		type: 'n8n-nodes-base.splitOut',
		typeVersion: 1,
		parameters: { fieldToSplitOut: 'body.people', options: {} },
	};
	return chained(path, [webhook(path, 'onReceived'), split, last]);
}

/** Sends to each contact. */
export const sendNode = (credential: StoredCredential, text: string): WorkflowNode =>
	ourNode(
		{
			name: 'Send',
			parameters: {
				resource: 'message',
				operation: 'send',
				recipient: 'contact',
				contactId: '={{ $json.id }}',
				// This messenger has no limit besides that of the account.
				contactMessenger: 'vk',
				content: ['text'],
				text,
			},
		},
		credential,
	);

/** Stores a workflow that starts by a webhook, and waits until it can be called. */
export async function activate(api: HostApi, url: string, workflow: WorkflowData): Promise<StoredWorkflow> {
	const stored = await api.createWorkflow(workflow);
	await api.activateWorkflow(stored.id);
	const [start] = workflow.nodes;
	await until(async () => await isRegistered(webhookUrl(url, String(start!.parameters.path))));
	return stored;
}

/** A workflow is active shortly before its webhook or form exists. The preflight request of a browser starts nothing. */
export async function isRegistered(address: string): Promise<boolean> {
	const response = await fetch(address, {
		method: 'OPTIONS',
		headers: { ...ownConnection, origin: 'http://localhost' },
	});
	return response.headers.get('access-control-allow-methods')?.includes('POST') ?? false;
}
