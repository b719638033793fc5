import { Workflow, type INodeTypes, type IWorkflowDataProxyAdditionalKeys } from 'n8n-workflow';

const node = {
	id: 'node',
	name: 'Node',
	type: 'node',
	typeVersion: 1,
	position: [0, 0] as [number, number],
	parameters: {},
};
const nodeTypes = {
	getByName: () => undefined,
	getByNameAndVersion: () => undefined,
	getKnownTypes: () => ({}),
} as unknown as INodeTypes;
const { expression } = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });

/** The value of an expression in n8n's own engine; `keys` are names that it may use, such as `$credentials`. */
export const evaluate = (source: string, keys: IWorkflowDataProxyAdditionalKeys = {}): unknown =>
	expression.getParameterValue(source, null, 0, 0, node.name, [], 'manual', keys);
