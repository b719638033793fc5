import { inDoubt, leftUnknown } from '../../../nodes/ChatbotService/client/failure/failure';
import { type Execution, poll, type StoredCredential, type StoredWorkflow } from '../../../sandbox/host';
import { addContacts, type Contact, type Emulator } from '../../../sandbox/emulator';
import { credentialFor } from '../../../sandbox/start/sandbox';
import type { HostApi } from './api';
import { activate, post, sendNode, webhookUrl, workflowForPeople } from './webhook';

/*
 * Broadcasts that are interrupted and continued, and their results by the records of the service and by what n8n shows.
 */

/** The node that sends, in each of these workflows. */
const SEND = 'Send';

/** The node's texts for a message that may have been sent before, and for one without an answer before a Retry. */
export const IN_DOUBT = inDoubt('', '').message;
const LEFT_UNKNOWN = leftUnknown('').message;

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

/** A workflow that sends to everybody on a list that it receives by webhook. */
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
}

/** Stores such a workflow, and waits until it can be started. @param url of n8n, where the webhooks are */
export async function mailing(
	{ api, service, url }: { api: HostApi; service: Emulator; url: string },
	{ name, account, once, onError }: MailingOptions,
): Promise<Mailing> {
	const credential = await newAccount(api, service, account);
	const node = { ...sendNode(credential, '={{ $json.name }}, ждём вас завтра в 18:30.'), onError };
	if (once !== undefined) node.parameters.options = { sendOncePer: once };
	const workflow = await activate(api, url, workflowForPeople(name, node));
	return {
		workflow,
		async start(people) {
			const known = new Set((await api.executions(workflow.id)).map(({ id }) => id));
			await post(webhookUrl(url, name), { people });
			return await poll(async () => (await api.executions(workflow.id)).find(({ id }) => !known.has(id))?.id);
		},
	};
}

/** People in a messenger without its own limit. */
export const newPeople = ({ data }: Emulator, count: number): Contact[] =>
	addContacts(data, count, { messenger: 'vk' });

type Person = Pick<Contact, 'id'>;

/** By the records of the service: the contact IDs of the people of a list with a message, with several, and without one. */
export function deliveredTo(service: Emulator, people: Person[]) {
	const counts = new Map<number, number>();
	for (const { contactId } of service.deliveries()) counts.set(contactId, (counts.get(contactId) ?? 0) + 1);
	const where = (isMeant: (count: number) => boolean) =>
		people.map(({ id }) => id).filter((id) => isMeant(counts.get(id) ?? 0));
	return {
		reached: where((count) => count > 0),
		several: where((count) => count > 1),
		missed: where((count) => count === 0),
	};
}

/** Checks that a run has succeeded. */
export function expectSuccess({ status, error }: Execution): void {
	expect({ status, error }).toEqual({ status: 'success', error: undefined });
}

/** Checks that everybody on a list has received exactly one message. */
export function expectEverybodyOnce(service: Emulator, people: Person[]): void {
	const { several, missed } = deliveredTo(service, people);
	expect({ several, missed }).toEqual({ several: [], missed: [] });
}

/**
 * The outcomes of a run that continues on errors, from both outputs of the node: the indexes of the items whose message was sent in
 * this run, was sent before, or may have been sent before, and the other failures.
 */
export function itemsEnded(execution: Execution) {
	const ended = { sent: [] as number[], skipped: [] as number[], inDoubt: [] as number[] };
	const failed: Array<Record<string, unknown>> = [];
	for (const { json, pairedItem } of [...execution.output(SEND, 0), ...execution.output(SEND, 1)]) {
		const { item } = pairedItem as { item: number };
		const error = typeof json.error === 'string' ? json.error : '';
		if (error.startsWith(IN_DOUBT) || error.startsWith(LEFT_UNKNOWN)) ended.inDoubt.push(item);
		else if (json.alreadySent === true) ended.skipped.push(item);
		else if (json.success === true) ended.sent.push(item);
		else failed.push(json);
	}
	ended.inDoubt.sort((a, b) => a - b);
	return { ...ended, failed };
}

/**
 * Checks that nobody has received a message twice, and that everybody without a message is named as in doubt: the people of a
 * list, after a run that continues on errors and was not interrupted.
 *
 * @returns how many are in doubt
 */
export function expectOnceOrInDoubt(service: Emulator, people: Person[], execution: Execution) {
	const { several, missed } = deliveredTo(service, people);
	const { sent, skipped, inDoubt, failed } = itemsEnded(execution);
	expect(several).toEqual([]);
	expect(failed).toEqual([]);
	expect([...sent, ...skipped, ...inDoubt].sort((a, b) => a - b)).toEqual(people.map((_, index) => index));
	const named = new Set(inDoubt.map((item) => people[item]!.id));
	// Everybody else has received it.
	expect(missed.filter((id) => !named.has(id))).toEqual([]);
	return named.size;
}
