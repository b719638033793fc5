import { chained, type StoredCredential, type WorkflowData, type WorkflowNode } from '../../../sandbox/host';
import { sendNode, workflowForPeople } from './webhook';

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

/**
 * A workflow that sends to people with 'Send Once Per', after Remove Duplicates.
 *
 * @param does what Remove Duplicates does
 */
export function workflowWithoutDuplicates(
	name: string,
	does: 'node' | 'workflow' | 'clear',
	credential: StoredCredential,
): WorkflowData {
	const send = { ...sendNode(credential, 'Добрый день!'), onError: 'continueRegularOutput' };
	send.parameters.options = { sendOncePer: 'осень' };
	const [webhook, people] = workflowForPeople(name, name, send).nodes as [WorkflowNode, WorkflowNode];
	return chained(name, [webhook, people, does === 'clear' ? clearHistory : removeDuplicates(does), send]);
}
