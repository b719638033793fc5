import type { INodeType } from 'n8n-workflow';
import { createHash } from 'node:crypto';

import type * as Node from '../../nodes/ChatbotService/ChatbotService.node';
import type { Service } from '../../sandbox/service';
import { loadAsN8n, usualIds } from '../../sandbox/workflow';
import type { MemoryDeduplicator } from '../../sandbox/workflow/deduplication';
import type { RunResult } from './harness';

/* What the tests of 'Send Once Per' and of retries look at: what the service has delivered, n8n's store, processes that die. */

const n8nWorkflow: object = jest.requireActual('n8n-workflow');

/**
 * The node as a process that has just been started has it. Claims and paces are kept for as long as a process lives, so that
 * whoever lets one die needs the node anew; of n8n itself nothing is loaded twice.
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

/** How often each of the contacts has got a message. */
export function howOften(service: Service, people: Array<{ id: number }>): number[] {
	const counts = new Map<number, number>();
	for (const { contactId } of service.deliveries()) counts.set(contactId, (counts.get(contactId) ?? 0) + 1);
	return people.map(({ id }) => counts.get(id) ?? 0);
}

/** What is stored for a node: recipients by how they stand, as the calls of a deduplicator have named them. */
export function standing(deduplicator: MemoryDeduplicator, { workflowId, nodeId } = usualIds) {
	const row = deduplicator.snapshot().get(JSON.stringify([workflowId, `n:${nodeId}`]));
	const { data } = JSON.parse(row ?? '{"data":[]}') as { data: string[] };
	const stored = new Set(data);
	const named = new Set(deduplicator.calls.flatMap(({ values }) => values.map(String)));
	const entries = [...named].filter((value) => stored.has(createHash('md5').update(value).digest('base64')));
	const keysOf = (kind: string) =>
		entries.filter((entry) => entry.startsWith(`${kind} `)).map((entry) => entry.slice(kind.length + 1));
	return { sent: keysOf('sent').length, inDoubt: keysOf('doubt').length };
}

/** How an item came out of a run that goes on at failures. */
export type Came = 'sent' | 'skipped' | 'in doubt' | 'not sent' | 'failed';

function cameOf({ json }: RunResult['outputs'][number][number]): Came {
	const { error, message } = json;
	if (error === undefined) return json.alreadySent === true ? 'skipped' : 'sent';
	if (typeof error !== 'string') return 'not sent';
	if (!error.startsWith('This message may have been sent already')) return 'failed';
	return String(message).includes("'Send Once Per'") ? 'in doubt' : 'failed';
}

/** How the items of a run came out, in their order. */
export function came({ outputs }: RunResult): Came[] {
	const items = outputs.flat().map((item) => {
		const { pairedItem } = item;
		return { place: (pairedItem as { item: number }).item, came: cameOf(item) };
	});
	return items.sort((a, b) => a.place - b.place).map((item) => item.came);
}
