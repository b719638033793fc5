import {
	isExpression,
	NodeHelpers,
	type INode,
	type INodeParameterResourceLocator,
	type INodeProperties,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { fixtures } from '../fixtures/workflows';
import { description, everyParameter, flaggedIn, kept, parameters, properties } from './editor';
import { operations } from './table';

/* Workflows that earlier versions of the package have saved, opened in an editor that knows today's node. */

const nodes = fixtures.flatMap(({ version, name, workflow }) =>
	workflow.nodes
		.filter(({ type }) => type.endsWith(`.${description.name}`))
		.map((node) => ({
			title: `${version}, ${name}: ${node.name}`,
			node,
			saved: withoutRequestOptions(node),
		})),
);

/** n8n adds this one to every declarative node, and takes care of it. */
function withoutRequestOptions({ parameters: { requestOptions: _added, ...own } }: INode) {
	return own;
}

describe.each(nodes)('$title', ({ node, saved }) => {
	test('the editor flags nothing, and saves the same again', () => {
		expect(flaggedIn(kept(saved))).toEqual([]);
		const again = NodeHelpers.getNodeParameters(properties, saved, false, false, node, description);
		expect(again).toEqual(saved);
	});

	test('whatever was chosen can still be chosen', () => {
		for (const [name, value] of Object.entries(saved)) {
			const choices = parameters.filter((each) => each.name === name).flatMap(choicesOf);
			const chosen = [isLocator(value) ? value.mode : value].flat();
			if (choices.length === 0 || isExpression(chosen[0])) continue;
			expect([name, choices]).toEqual([name, expect.arrayContaining(chosen)]);
		}
	});
});

/* What no workflow here has saved may change without a test that turns red. */

test('every operation is in some saved workflow', () => {
	const used = nodes.map(({ saved }) => kept(saved)).map((each) => `${each.resource}/${each.operation}`);
	expect([...new Set(used)].sort()).toEqual(
		operations.map(({ resource, operation }) => `${resource}/${operation}`).sort(),
	);
});

/** New since the latest version that has saved workflows here. */
const unreleased = ['options', 'options.sendOncePer'];

test('every parameter is in some saved workflow, but for those of the next version', () => {
	const text = JSON.stringify(nodes.map(({ saved }) => saved));
	const missing = everyParameter().filter(({ property: { name } }) => !text.includes(`"${name}":`));
	expect(missing.map(({ path }) => path)).toEqual(unreleased);
});

/** The values of a parameter that offers some, or the ways to pick one. */
function choicesOf({ type, options, modes }: INodeProperties): unknown[] {
	if (type === 'resourceLocator') return modes!.map(({ name }) => name);
	if (type !== 'options' && type !== 'multiOptions') return [];
	return (options as INodePropertyOptions[]).map(({ value }) => value);
}

function isLocator(value: unknown): value is INodeParameterResourceLocator {
	return typeof value === 'object' && value !== null && '__rl' in value;
}
