import { packageName, type StoredCredential, type WorkflowData } from '../../../sandbox/host';

/** A node of ours in a chain. */
export interface ChainedNode {
	name: string;
	parameters: Record<string, unknown>;
}

/** A workflow whose nodes run one after the other, each once. */
export function chain(
	name: string,
	steps: ChainedNode[],
	{ id, name: credentialName, type }: StoredCredential,
): WorkflowData {
	const trigger = {
		id: 'start',
		name: 'Start',
		type: 'n8n-nodes-base.manualTrigger',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const nodes = steps.map((step, index) => ({
		id: `step-${index}`,
		name: step.name,
		type: `${packageName}.chatbotService`,
		typeVersion: 1,
		position: [200 * (index + 1), 0],
		parameters: step.parameters,
		credentials: { [type]: { id, name: credentialName } },
		// However many items the one before put out.
		executeOnce: true,
	}));
	const names = [trigger.name, ...steps.map((step) => step.name)];
	const connections = Object.fromEntries(
		names
			.slice(0, -1)
			.map((from, index) => [from, { main: [[{ node: names[index + 1], type: 'main', index: 0 }]] }]),
	);
	return { name, nodes: [trigger, ...nodes], connections, settings: { executionOrder: 'v1' } };
}
