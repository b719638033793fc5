import { Workflow, type INode, type INodeTypes, type IWorkflowDataProxyAdditionalKeys } from 'n8n-workflow';

const node: INode = { id: '1', name: 'Node', type: 'node', typeVersion: 1, position: [0, 0], parameters: {} };
const nodeTypes = { getByNameAndVersion: () => undefined } as unknown as INodeTypes;
const { expression } = new Workflow({ nodes: [node], connections: {}, active: false, nodeTypes });

/** The value of an expression in n8n's own engine; `keys` are names that it may use, such as `$credentials`. */
export const evaluate = (source: string, keys: IWorkflowDataProxyAdditionalKeys = {}): unknown =>
	expression.getParameterValue(source, null, 0, 0, node.name, [], 'manual', keys);
