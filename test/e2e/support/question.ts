import {
	chained,
	type HostApi,
	manualTrigger,
	type OurNode,
	ourNode,
	ownConnection,
	poll,
	type StoredCredential,
	until,
} from '../../../sandbox/host';
import type { Emulator } from '../../../sandbox/emulator';
import { linkIn } from '../../operations/link';

/* Questions to a person: asked by a workflow, and answered as a browser does. */

/** The node that asks, in each of these workflows. */
export const ASK = 'Ask';

/** With two buttons. */
export const approval = { values: { approvalType: 'double', approveLabel: 'Да', disapproveLabel: 'Нет' } };

export const asking = (parameters: Record<string, unknown>, settings: object = {}): OurNode => ({
	name: ASK,
	parameters: {
		resource: 'message',
		operation: 'sendAndWait',
		message: 'Анна просит скидку 10 %. Согласны?',
		...parameters,
	},
	...settings,
});

/** Stores a workflow that asks. */
export const askingWorkflow = (node: OurNode, credential: StoredCredential) =>
	chained(ASK, [manualTrigger, ourNode(node, credential)]);

/** An execution that waits for an answer. */
export interface Waiting {
	executionId: string;
	link: string;
}

/** Starts a stored workflow, and returns when its execution waits for an answer. */
export async function untilWaiting(
	{ api, service }: { api: HostApi; service: Emulator },
	workflowId: string,
): Promise<Waiting> {
	const before = service.deliveries().length;
	const executionId = await api.startWorkflow(workflowId);
	await untilWaits(api, executionId);
	return { executionId, link: linkIn(service.deliveries()[before]?.text) };
}

export const untilWaits = async (api: HostApi, executionId: string): Promise<void> =>
	await until(async () => (await api.statusOf(executionId)) === 'waiting', {
		failure: `Execution ${executionId} does not wait`,
	});

/** Waits for the next link. @param before the number of messages that the service had delivered before it */
export const nextLink = async (service: Emulator, before: number): Promise<string> =>
	await poll(() => {
		const text = service.deliveries()[before]?.text;
		return text === undefined ? undefined : linkIn(text);
	});

export interface Shown {
	status: number;
	headers: Headers;
	text: string;
}

/** Requests the page behind a link. */
export async function openPage(link: string, init: RequestInit = {}): Promise<Shown> {
	const response = await fetch(link, {
		redirect: 'manual',
		...init,
		headers: { ...ownConnection, ...(init.headers as Record<string, string>) },
	});
	return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends the form of the page. */
export const answer = async (link: string, fields: Record<string, string>): Promise<Shown> =>
	await openPage(link, { method: 'POST', body: new URLSearchParams(fields) });
