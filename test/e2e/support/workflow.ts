import { packageName, type StoredCredential, type WorkflowData } from '../../../sandbox/host';

/** A node of ours in a chain. */
export interface ChainedNode {
	name: string;
	parameters: Record<string, unknown>;
}

/** What a person starts by hand. */
export const manualTrigger = {
	id: 'start',
	name: 'Start',
	type: 'n8n-nodes-base.manualTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** Names and values as the HTTP Request node keeps them. */
export const pairs = (values: Record<string, string>) => ({
	parameters: Object.entries(values).map(([name, value]) => ({ name, value })),
});

const nodeOf = (step: ChainedNode, index: number, { id, name, type }: StoredCredential) => ({
	id: `step-${index}`,
	name: step.name,
	type: `${packageName}.chatbotService`,
	typeVersion: 1,
	parameters: step.parameters,
	credentials: { [type]: { id, name } },
});

/** A workflow whose nodes run one after the other, each once. */
export function chain(name: string, steps: ChainedNode[], credential: StoredCredential): WorkflowData {
	const nodes = steps.map((step, index) => ({
		...nodeOf(step, index, credential),
		position: [200 * (index + 1), 0],
		// However many items the one before put out.
		executeOnce: true,
	}));
	const names = [manualTrigger.name, ...steps.map((step) => step.name)];
	const connections = Object.fromEntries(
		names
			.slice(0, -1)
			.map((from, index) => [from, { main: [[{ node: names[index + 1], type: 'main', index: 0 }]] }]),
	);
	return { name, nodes: [manualTrigger, ...nodes], connections, settings: { executionOrder: 'v1' } };
}

/** A workflow whose nodes have nothing to do with each other: each can be run on its own. */
export function fan(
	name: string,
	steps: Array<ChainedNode & { credential?: StoredCredential }>,
	credential: StoredCredential,
): WorkflowData {
	const nodes = steps.map((step, index) => ({
		...nodeOf(step, index, step.credential ?? credential),
		position: [200, 160 * index],
	}));
	const connections = {
		[manualTrigger.name]: { main: [nodes.map((node) => ({ node: node.name, type: 'main', index: 0 }))] },
	};
	return { name, nodes: [manualTrigger, ...nodes], connections, settings: { executionOrder: 'v1' } };
}
