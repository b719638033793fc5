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

/* The pages that n8n shows to people who have no account: questions with their links, and forms. They are used as a browser does. */

/** The node that asks, in each of these workflows. */
export const ASK = 'Ask';

/** With two buttons. */
export const approval = { values: { approvalType: 'double', approveLabel: 'Да', disapproveLabel: 'Нет' } };

export const questionNode = (parameters: Record<string, unknown>): OurNode => ({
	name: ASK,
	parameters: {
		resource: 'message',
		operation: 'sendAndWait',
		message: 'Анна просит скидку 10 %. Согласны?',
		...parameters,
	},
});

/** A workflow that asks. */
export const questionWorkflow = (parameters: Record<string, unknown>, credential: StoredCredential) =>
	chained(ASK, [manualTrigger, ourNode(questionNode(parameters), credential)]);

/** An execution that waits for an answer. */
export interface Waiting {
	executionId: string;
	link: string;
}

/** The n8n that asks, and the service that delivers its questions. */
interface Asking {
	api: HostApi;
	service: Emulator;
}

/** Starts a stored workflow, and returns when its execution waits for an answer. */
export async function untilWaiting(asking: Asking, workflowId: string): Promise<Waiting> {
	const before = asking.service.deliveries().length;
	const executionId = await asking.api.startWorkflow(workflowId);
	return { executionId, link: await nextLink(asking, executionId, before) };
}

/** The link of the next question, when the execution waits. @param before how many messages were delivered before it */
export async function nextLink({ api, service }: Asking, executionId: string, before: number) {
	const { text } = await poll(() => service.deliveries()[before]);
	await until(async () => (await api.statusOf(executionId)) === 'waiting', {
		failure: `Execution ${executionId} does not wait`,
	});
	return linkIn(text);
}

/** Requests the page behind a link. */
export async function openPage(link: string, init: RequestInit = {}) {
	const response = await fetch(link, {
		redirect: 'manual',
		...init,
		headers: { ...ownConnection, ...(init.headers as Record<string, string>) },
	});
	return { status: response.status, headers: response.headers, text: await response.text() };
}

/** Sends the form of the page. */
export const answer = async (link: string, fields: Record<string, string>) =>
	await openPage(link, { method: 'POST', body: new URLSearchParams(fields) });

/** A page of a form after the first, and its execution. */
export interface FormPage {
	executionId: string;
	url: string;
	title: string;
	message: string;
}

/** The value of a field; an array for checkboxes. */
type FieldValue = string | string[] | File;

/** A form may refuse clients that are not browsers. */
const userAgent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const headers = { ...ownConnection, 'user-agent': userAgent };

/** Submits a form. @param values of the fields, in their order. @returns the next page */
export async function submitForm(url: string, values: FieldValue[]): Promise<FormPage> {
	const response = await submit(url, values);
	const { formWaitingUrl } = (await response.json()) as { formWaitingUrl: string };
	return await waitingPage(formWaitingUrl);
}

/** Submits another page of a form. @returns the next page */
export async function submitPage({ url, title }: FormPage, values: FieldValue[]): Promise<FormPage> {
	await submit(url, values);
	return await waitingPage(url, title);
}

/** The last page lets the execution continue as soon as it is shown. */
export const leave = async ({ url }: FormPage) => void (await submit(url, []));

async function submit(url: string, values: FieldValue[]): Promise<Response> {
	const body = new FormData();
	for (const [index, value] of values.entries())
		body.append(`field-${index}`, Array.isArray(value) ? JSON.stringify(value) : value);
	return await fetch(url, { method: 'POST', headers, body });
}

/** Waits for a page with another title than the previous page. */
async function waitingPage(url: string, previousTitle = ''): Promise<FormPage> {
	const status = new URL(url);
	status.pathname += '/n8n-execution-status';
	return await poll(async () => {
		const text = await (await fetch(status, { headers })).text();
		if (text.trim() !== 'form-waiting') return undefined;
		const page = await (await fetch(url, { headers })).text();
		const textOf = (tag: string) =>
			new RegExp(`<${tag}\\b[^>]*>([^]*?)</${tag}>`).exec(page)?.[1]?.trim() ?? '';
		const title = textOf('h1');
		if (title === previousTitle) return undefined;
		const executionId = /form-waiting\/(\d+)/.exec(url)?.[1] ?? '';
		return { executionId, url, title, message: textOf('p') };
	});
}
