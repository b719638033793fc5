import { packageName, type StoredCredential, type WorkflowData } from '../host';

/** A node of ours that gets items. */
export interface Step {
	name: string;
	parameters: Record<string, unknown>;
	/** What becomes of items that fail; the run stops by default. */
	onError?: 'continueErrorOutput' | 'continueRegularOutput';
}

/** The names of the nodes before ours, in order. */
export const sources = ['Start', 'Data', 'People'] as const;

/** A workflow that hands items over to a node of ours, or ends before it. */
export function workflowOver(
	name: string,
	items: object[],
	step: Step | undefined,
	{ id, name: credentialName, type }: StoredCredential,
): WorkflowData {
	const [start, data, people] = sources;
	const nodes = [
		{ name: start, type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, parameters: {} },
		{
			name: data,
			type: 'n8n-nodes-base.set',
			typeVersion: 3.4,
			parameters: { mode: 'raw', jsonOutput: JSON.stringify({ people: items }), options: {} },
		},
		{
			name: people,
			type: 'n8n-nodes-base.splitOut',
			typeVersion: 1,
			parameters: { fieldToSplitOut: 'people', options: {} },
		},
		...(step
			? [
					{
						...step,
						type: `${packageName}.chatbotService`,
						typeVersion: 1,
						credentials: { [type]: { id, name: credentialName } },
					},
				]
			: []),
	].map((node, index) => ({ ...node, id: `node-${index}`, position: [220 * index, 0] }));
	const connections = Object.fromEntries(
		nodes
			.slice(0, -1)
			.map((node, index) => [
				node.name,
				{ main: [[{ node: nodes[index + 1]!.name, type: 'main', index: 0 }]] },
			]),
	);
	return { name, nodes, connections, settings: { executionOrder: 'v1' } };
}
