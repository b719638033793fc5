import { chained, type WorkflowData, type WorkflowNode } from '../../../sandbox/host';
import { workflowForPeople } from './webhook';

/** n8n's node Remove Duplicates, which passes on each person once. @param scope to which its history belongs */
const removeDuplicates = (scope: 'node' | 'workflow'): WorkflowNode => ({
	name: 'Remove Duplicates',
	type: 'n8n-nodes-base.removeDuplicates',
	typeVersion: 2,
	parameters: {
		operation: 'removeItemsSeenInPreviousExecutions',
		dedupeValue: '={{ $json.id }}',
		options: { scope },
	},
});

/** The same node when it forgets its history. */
const clearHistory: WorkflowNode = {
	...removeDuplicates('workflow'),
	parameters: {
		operation: 'clearDeduplicationHistory',
		mode: 'cleanDatabase',
		options: { scope: 'workflow' },
	},
};

/** A workflow for people whose last node follows Remove Duplicates. @param does what Remove Duplicates does */
export function workflowWithoutDuplicates(
	name: string,
	does: 'node' | 'workflow' | 'clear',
	last: WorkflowNode,
): WorkflowData {
	const { nodes } = workflowForPeople(name, name, last);
	const [webhook, people, send] = nodes as [WorkflowNode, WorkflowNode, WorkflowNode];
	return chained(name, [webhook, people, does === 'clear' ? clearHistory : removeDuplicates(does), send]);
}
