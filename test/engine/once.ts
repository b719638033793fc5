import type { INodeParameters, INodeType } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import type * as Node from '../../nodes/ChatbotService/ChatbotService.node';
import { addContacts, type Emulator } from '../../sandbox/emulator';
import { loadAsN8n, usualIds } from '../../sandbox/workflow';
import { MemoryDeduplicator, type EntriesOf } from '../../sandbox/workflow/deduplication';
import { credentialFor, newWorkflowId, runNode, stoppable, type RunOptions, type RunResult } from './harness';
import { lettersFor, send as sendTo } from './messages';
import { sideBySide } from './sideBySide';

/* Helpers for the tests of 'Send Once Per' and of retries: delivered messages, n8n's store, processes that die. */

const n8nWorkflow: object = jest.requireActual('n8n-workflow');

/**
 * The node as a new process loads it. Claims and rate limits live as long as a process, so a test whose process dies needs a new
 * copy of the node. n8n itself is not loaded a second time.
 */
export function nodeOfNewProcess(): INodeType {
	let loaded: INodeType | undefined;
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	jest.isolateModules(() => {
		const { ChatbotService } = jest.requireActual<typeof Node>(
			'../../nodes/ChatbotService/ChatbotService.node',
		);
		loaded = loadAsN8n(new ChatbotService());
	});
	jest.dontMock('n8n-workflow');
	return loaded!;
}

/**
 * Waits until the process of a run dies, or the run ends. A dead process sends nothing more; the service may still process requests
 * in transit.
 *
 * @returns whether it has died
 */
export async function death(
	deduplication: MemoryDeduplicator,
	{ ended, stop }: ReturnType<typeof stoppable>,
): Promise<boolean> {
	const hasDied = await Promise.race([deduplication.died.then(() => true), ended.then(() => false)]);
	stop();
	if (hasDied) deduplication.bury();
	return hasDied;
}

/** How many messages each contact has received. */
export function howOften(service: Emulator, people: Array<{ id: number }>): number[] {
	const counts = new Map<number, number>();
	for (const { contactId } of service.deliveries()) counts.set(contactId, (counts.get(contactId) ?? 0) + 1);
	return people.map(({ id }) => counts.get(id) ?? 0);
}

/** The stored entries of a node, as the calls of the deduplicators name them; other entries are called unnamed. */
export function storedFor(
	{ workflowId, nodeId }: EntriesOf,
	...deduplicators: MemoryDeduplicator[]
): string[] {
	const row = deduplicators[0]!.snapshot().get(JSON.stringify([workflowId, `n:${nodeId}`]));
	const { data } = JSON.parse(row ?? '{"data":[]}') as { data: string[] };
	const named = new Map<string, string>();
	for (const { values } of deduplicators.flatMap(({ calls }) => calls))
		for (const value of values.map(String))
			named.set(createHash('md5').update(value).digest('base64'), value);
	return data.map((hash) => named.get(hash) ?? 'unnamed');
}

/** The number of entries of each kind that a node has for its recipients. */
export function standing(deduplicator: MemoryDeduplicator, ids: EntriesOf = usualIds) {
	const entries = storedFor(ids, deduplicator);
	const countOfKind = (kind: string) => entries.filter((entry) => entry.startsWith(`${kind} `)).length;
	return { sent: countOfKind('sent'), inDoubt: countOfKind('doubt') };
}

/** The outcome of an item in a run that continues on errors. */
export type Came = 'sent' | 'skipped' | 'in doubt' | 'not sent' | 'failed';

function cameOf({ json }: RunResult['outputs'][number][number]): Came {
	const { error, message } = json;
	if (error === undefined) return json.alreadySent === true ? 'skipped' : 'sent';
	if (typeof error !== 'string') return 'not sent';
	if (!error.startsWith('This message may have been sent already')) return 'failed';
	return String(message).includes("'Send Once Per'") ? 'in doubt' : 'failed';
}

/** The outcomes of a run's items, in order. */
export function came({ outputs }: RunResult): Came[] {
	const items = outputs.flat().map((item) => {
		const { pairedItem } = item;
		return { place: (pairedItem as { item: number }).item, came: cameOf(item) };
	});
	return items.sort((a, b) => a.place - b.place).map((item) => item.came);
}

export const all = (count: number, what: Came): Came[] => Array<Came>(count).fill(what);

export const countOf = <T>(list: T[], what: T) => list.filter((each) => each === what).length;

export const withOnce = (value: string) => ({ options: { sendOncePer: value } });

/** VK has no limit of its own. */
export const send: INodeParameters = { ...sendTo, contactMessenger: 'vk', ...withOnce('осень') };

export const sendToWhatsApp: INodeParameters = {
	resource: 'message',
	operation: 'sendToWhatsApp',
	botId: '={{ $json.botId }}',
	phone: '={{ $json.phone }}',
	text: '={{ $json.text }}',
	...withOnce('осень'),
};

/** Continues on errors, so that every item shows its outcome. */
export const goingOn = { onError: 'continueRegularOutput' } as const;

let tokens = 0;

/** A node with 'Send Once Per', with its own service, store and workflow. */
export class OnceScene {
	/** The store of n8n. */
	deduplication = new MemoryDeduplicator();

	readonly workflowId = newWorkflowId();

	readonly ids = { workflowId: this.workflowId, nodeId: usualIds.nodeId };

	private nodeType: INodeType | undefined;

	constructor(readonly service: Emulator) {}

	readonly credential = (changes = {}) => credentialFor(this.service, changes);

	/** A token with its own rate limit. */
	readonly anotherToken = () => {
		const token = `another-token-${tokens++}`;
		this.service.data.accounts.push({ token, apiAccess: true });
		return token;
	};

	readonly letters = (count: number) => lettersFor(this.service, count);

	readonly numbers = (count: number) =>
		addContacts(this.service.data, count, { messenger: 'whatsapp' }).map(({ id, botId, phone }, index) => ({
			id,
			botId,
			phone: phone!,
			text: `Письмо ${index}`,
		}));

	readonly run = async (options: Partial<RunOptions>): Promise<RunResult> =>
		await runNode({
			parameters: send,
			credential: this.credential(),
			deduplication: this.deduplication,
			workflowId: this.workflowId,
			node: goingOn,
			...(this.nodeType && { nodeType: this.nodeType }),
			...options,
		});

	readonly inStopMode = async (options: Partial<RunOptions>) => await this.run({ node: {}, ...options });

	readonly stoppableRun = (options: Partial<RunOptions>) =>
		stoppable(async (onStart) => await this.run({ ...options, onStart }));

	/** A run in a separate process. */
	readonly inNewProcess = (options: Partial<RunOptions>) =>
		this.stoppableRun({ nodeType: nodeOfNewProcess(), ...options });

	/** Continues with the same store in a new process, in which no failure is planned any more. */
	readonly restart = () => {
		this.deduplication = new MemoryDeduplicator({ stored: this.deduplication.snapshot() });
		this.nodeType = nodeOfNewProcess();
	};

	readonly standing = () => standing(this.deduplication, this.ids);

	readonly howOften = (people: Array<{ id: number }>) => howOften(this.service, people);

	readonly expectEachOnce = (people: Array<{ id: number }>) =>
		expect(this.howOften(people)).toEqual(people.map(() => 1));

	/** The requests for one contact. */
	readonly requestsTo = ({ id }: { id: number }) =>
		this.service.requests.filter(({ input }) => Number(input.contact_id) === id);
}

/** Tests of 'Send Once Per' that start at the same time. */
export const onceSideBySide = (betweenMs?: number) =>
	sideBySide((service) => new OnceScene(service), betweenMs);
