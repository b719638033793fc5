import {
	isExpression,
	NodeHelpers,
	type INodeParameters,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { savedNodes } from '../fixtures/workflows';
import { description, flaggedIn, kept, nodeWith, parameters, properties } from './editor';

/* Nodes that earlier versions of the package saved, opened in an editor with the current node. */

test.each(savedNodes)('the editor flags nothing in $title, and saves the same again', ({ node }) => {
	const { parameters: saved } = node;
	expect(flaggedIn(kept(saved))).toEqual([]);
	const again = NodeHelpers.getNodeParameters(properties, saved, false, false, nodeWith(saved), description);
	expect(again).toEqual(withoutBatching(saved));
});

/** The editor drops Batching, which the node no longer has. */
function withoutBatching({ requestOptions, ...others }: INodeParameters): INodeParameters {
	if (!requestOptions) return others;
	const { batching: _dropped, ...still } = requestOptions as INodeParameters;
	return { ...others, requestOptions: still };
}

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
function choicesOf({ type, options, modes }: INodeProperties): unknown[] {
	if (type === 'resourceLocator') return modes!.map(({ name }) => name);
	if (type !== 'options' && type !== 'multiOptions') return [];
	return (options as INodePropertyOptions[]).map(({ value }) => value);
}
