import type { INodeParameters } from 'n8n-workflow';

import { inDoubt } from '../../nodes/ChatbotService/client/failure';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { addContacts, type Emulator } from '../../sandbox/emulator';
import { usualIds } from './n8n';
import { hashOf, MemoryDeduplicator, type EntriesOf } from './n8n/deduplication';
import {
	credentialFor,
	newWorkflowId,
	runNode,
	stoppable,
	withEmulator,
	type RunOptions,
	type RunResult,
} from './harness';
import { lettersFor, send as sendTo } from './messages';

/* Helpers for the tests of 'Send Once Per' and of retries: delivered messages, and n8n's store. */

/** How many messages each contact has received. */
export function howOften(service: Emulator, people: Array<{ id: number }>): number[] {
	const counts = new Map<number, number>();
	for (const { contactId } of service.deliveries()) counts.set(contactId, (counts.get(contactId) ?? 0) + 1);
	return people.map(({ id }) => counts.get(id) ?? 0);
}

/** The number of entries of each kind that a node has for its recipients. */
export function standing(deduplicator: MemoryDeduplicator, ids: EntriesOf = usualIds) {
	const stored = new Set(deduplicator.entries(ids));
	const added = new Set(deduplicator.calls.flatMap(({ values }) => values.map(String)));
	const left = [...added].filter((entry) => stored.has(hashOf(entry)));
	const countOfKind = (kind: string) => left.filter((entry) => entry.startsWith(`${kind} `)).length;
	return { sent: countOfKind('sent'), inDoubt: countOfKind('doubt') };
}

/** The outcome of an item in a run that continues on errors. */
type Came = 'sent' | 'skipped' | 'in doubt' | 'not sent' | 'failed';

function cameOf({ json }: RunResult['outputs'][number][number]): Came {
	const { error, message } = json;
	if (error === undefined) return json.alreadySent === true ? 'skipped' : 'sent';
	if (typeof error !== 'string') return 'not sent';
	if (!error.startsWith(inDoubt('', '').message)) return 'failed';
	return String(message).includes(`'${sendOncePer.displayName}'`) ? 'in doubt' : 'failed';
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
			...options,
		});

	readonly inStopMode = async (options: Partial<RunOptions>) => await this.run({ node: {}, ...options });

	readonly stoppableRun = (options: Partial<RunOptions>) =>
		stoppable(async (onStart) => await this.run({ ...options, onStart }));

	readonly standing = () => standing(this.deduplication, this.ids);

	readonly howOften = (people: Array<{ id: number }>) => howOften(this.service, people);

	readonly expectEachOnce = (people: Array<{ id: number }>) =>
		expect(this.howOften(people)).toEqual(people.map(() => 1));

	/** The requests for one contact. */
	readonly requestsTo = ({ id }: { id: number }) =>
		this.service.requests.filter(({ input }) => Number(input.contact_id) === id);
}

/** The body of a concurrent test, with a scene of its own. */
export const withOnceScene = <Row extends unknown[]>(
	body: (scene: OnceScene, ...row: Row) => Promise<void>,
) => withEmulator<Row>(async (service, ...row) => await body(new OnceScene(service), ...row));
