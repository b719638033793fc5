import type { INodeExecutionData } from 'n8n-workflow';

import { inDoubt } from '../../nodes/ChatbotService/client/failure/failure';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import type { Emulator } from '../../sandbox/emulator';
import { newWorkflowId, type RunResult } from './harness';
import { MemoryDeduplicator } from './n8n/deduplication';

/* Who has received a message, and how items ended. */

/** How many messages each contact has received. */
export function howOften(service: Emulator, people: Array<{ id: number }>): number[] {
	const counts = new Map<number, number>();
	for (const { contactId } of service.deliveries()) counts.set(contactId, (counts.get(contactId) ?? 0) + 1);
	return people.map(({ id }) => counts.get(id) ?? 0);
}

/** The outcome of an item in a run that continues on errors. */
type Came = 'sent' | 'skipped' | 'in doubt' | 'not sent' | 'failed';

function cameOf({ json }: INodeExecutionData): Came {
	const { error, message } = json;
	if (error === undefined) return json.alreadySent === true ? 'skipped' : 'sent';
	if (typeof error !== 'string') return 'not sent';
	if (!error.startsWith(inDoubt('', '').message)) return 'failed';
	return String(message).includes(`'${sendOncePer.displayName}'`) ? 'in doubt' : 'failed';
}

/** The outcomes of a run's items, in order. */
export function came({ outputs }: RunResult): Came[] {
	const placeOf = ({ pairedItem }: INodeExecutionData) => (pairedItem as { item: number }).item;
	return outputs
		.flat()
		.sort((one, other) => placeOf(one) - placeOf(other))
		.map(cameOf);
}

export const all = (count: number, what: Came): Came[] => Array<Came>(count).fill(what);

export const withOnce = (value: string) => ({ options: { sendOncePer: value } });

/** Options of runs of one workflow, which share what n8n stores. */
export const newStore = () => ({ deduplication: new MemoryDeduplicator(), workflowId: newWorkflowId() });
