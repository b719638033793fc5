import { NodeHelpers, type INode, type INodeParameters, type INodeTypeDescription } from 'n8n-workflow';

import { DEFAULT_TOKEN } from '../../../sandbox/emulator';
import { packageName, type WorkflowNode } from '../../../sandbox/host';
import { duringTests } from '../../duringTests';
import { openBench } from '../support/bench';
import { exampleFiles } from '../support/examples';

/* The files of the examples, and what n8n makes of them. */

const bench = duringTests(openBench);

/** Whether a node belongs to this package, as a node or as a tool of an AI agent. */
const isOurs = ({ type }: WorkflowNode) => type.startsWith(`${packageName}.`);

let known: INodeTypeDescription[];
beforeAll(async () => {
	known = (await bench.api.nodeTypes()) as unknown as INodeTypeDescription[];
});

test.each(exampleFiles())('n8n knows $file, which has no account data', ({ text, workflow }) => {
	expect(text).not.toContain(DEFAULT_TOKEN);
	expect(text).not.toMatch(/localhost|127\.0\.0\.1|instanceId/);
	expect(Object.keys(workflow).sort()).toEqual(['connections', 'name', 'nodes', 'pinData', 'settings']);
	expect(workflow.pinData).toEqual({});
	for (const node of workflow.nodes) {
		const { credentials = {}, name, onError, type, typeVersion } = node;
		for (const { id } of Object.values(credentials)) expect(id).toBeNull();
		const description = known.find(
			(each) => each.name === type && [each.version].flat().includes(typeVersion as number),
		);
		expect([name, description?.name]).toEqual([name, type]);
		const { properties } = description!;
		const asNode = node as unknown as INode;
		// What n8n flags in red on the canvas.
		const issues = NodeHelpers.getNodeParametersIssues(properties, asNode, description!);
		expect([name, issues?.parameters]).toEqual([name, undefined]);
		if (!isOurs(node)) continue;
		expect(credentials.chatbotServiceApi!.name).toBe(bench.credential.name);
		// What the editor does not show is lost when it saves the workflow.
		const given = node.parameters as INodeParameters;
		const kept = NodeHelpers.getNodeParameters(properties, given, true, false, asNode, description!);
		expect([name, kept]).toEqual([name, expect.objectContaining(given)]);
		// No refused item is lost. Without its list, a broadcast cannot begin.
		const isList = given.resource === 'contact' && given.operation === 'getAll';
		if (!type.endsWith('Tool') && !isList)
			expect([name, onError]).toEqual([name, expect.stringMatching(/^continue/)]);
	}
});
