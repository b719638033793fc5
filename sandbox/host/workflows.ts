import type { StoredCredential, WorkflowData, WorkflowNode } from './api';
import { packageName } from './packaging';

/* Workflows in n8n's format, built from nodes. */

export interface OurNode {
	name: string;
	parameters: Record<string, unknown>;
	/** Settings of the node, such as `onError`. */
	[setting: string]: unknown;
}

export const manualTrigger = {
	id: 'start',
	name: 'Start',
	type: 'n8n-nodes-base.manualTrigger',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

export const itemsNode = (name: string, items: object[]): WorkflowNode => ({
	name,
	type: 'n8n-nodes-base.code',
	typeVersion: 2,
	parameters: { jsCode: `return ${JSON.stringify(items)}.map((json) => ({ json }));` },
});

export const ourNode = (node: OurNode, credential: StoredCredential): WorkflowNode => ({
	id: node.name,
	type: `${packageName}.chatbotService`,
	typeVersion: 1,
	credentials: credentialsOf(credential),
	...node,
});

export const credentialsOf = ({ id, name, type }: StoredCredential) => ({ [type]: { id, name } });

/** A workflow whose nodes run one after the other. */
export const chained = (name: string, nodes: WorkflowNode[]): WorkflowData => ({
	name,
	nodes: nodes.map((node, index) => ({ id: node.name, position: [200 * index, 0], ...node })),
	connections: Object.fromEntries(nodes.slice(1).map((node, index) => [nodes[index]!.name, linkTo([node])])),
	settings: { executionOrder: 'v1' },
});

/** The same with nodes of this package, each of which runs once for any number of input items. */
export const chain = (name: string, steps: OurNode[], credential: StoredCredential): WorkflowData =>
	chained(name, [manualTrigger, ...steps.map((step) => ourNode({ executeOnce: true, ...step }, credential))]);

/** A workflow that passes items to nodes, or ends before them. */
export const workflowOver = (name: string, items: object[], ...nodes: WorkflowNode[]): WorkflowData =>
	chained(name, [manualTrigger, itemsNode('People', items), ...nodes]);

/** A workflow of unconnected nodes: each can run on its own. */
export function fan(name: string, steps: OurNode[], credential: StoredCredential): WorkflowData {
	const nodes = steps.map((step, index) => ({ ...ourNode(step, credential), position: [200, 160 * index] }));
	return {
		...chained(name, [manualTrigger, ...nodes]),
		connections: { [manualTrigger.name]: linkTo(nodes) },
	};
}

const linkTo = (nodes: WorkflowNode[]) => ({
	main: [nodes.map(({ name }) => ({ node: name, type: 'main', index: 0 }))],
});
