import { isExpression, NodeHelpers, type INodeParameters, type INodeProperties } from 'n8n-workflow';

import { savedNodes } from '../fixtures/workflows';
import { description, flaggedIn, kept, nodeWith, parameters, properties } from './editor';

/* Nodes that earlier versions of the package saved, opened in an editor with the current node. */

test.each(savedNodes)('nothing is flagged, all is kept of $title', ({ node: { parameters: saved } }) => {
	expect(flaggedIn(kept(saved))).toEqual([]);
	const again = NodeHelpers.getNodeParameters(properties, saved, false, false, nodeWith(saved), description);
	const expected = structuredClone(saved);
	// The editor drops Batching, which the node no longer has.
	delete (expected.requestOptions as INodeParameters | undefined)?.batching;
	expect(again).toEqual(expected);
});

test('every saved choice is still available', () => {
	for (const [name, value] of savedNodes.flatMap(({ node }) => Object.entries(node.parameters))) {
		const choices = parameters.filter((each) => each.name === name).flatMap(choicesOf);
		const isLocator = typeof value === 'object' && value !== null && '__rl' in value;
		const chosen = [isLocator ? value.mode : value].flat();
		if (choices.length === 0 || isExpression(chosen[0])) continue;
		expect([name, choices]).toEqual([name, expect.arrayContaining(chosen)]);
	}
});

/** The values of a parameter that offers some, or the ways to pick one. */
function choicesOf({ type, options = [], modes = [] }: INodeProperties): unknown[] {
	if (type === 'resourceLocator') return modes.map(({ name }) => name);
	return type === 'options' || type === 'multiOptions'
		? options.map((option) => (option as { value: unknown }).value)
		: [];
}
