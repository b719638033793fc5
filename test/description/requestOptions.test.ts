import type { INodeProperties, INodePropertyCollection } from 'n8n-workflow';

import { properties } from './editor';

/*
 * n8n adds 'Request Options' to declarative nodes without a webhook. This node has a webhook and declares them itself. Saved workflows
 * hold their values, and test/engine/requestOptions.test.ts applies them.
 */

const { commonDeclarativeNodeOptionParameters: ofN8n } = jest.requireActual<{
	commonDeclarativeNodeOptionParameters: INodeProperties;
}>('n8n-core/dist/nodes-loader/constants');

const declared = properties.filter(({ name }) => name === 'requestOptions');

/** What a workflow stores of a parameter, and how the editor shows it; the texts are the node's own. */
function shapeOf(property: INodeProperties): unknown {
	const { displayName, description: _text, placeholder: _example, options, ...shape } = property;
	const groups = (options ?? []) as Array<INodeProperties & INodePropertyCollection>;
	return {
		...shape,
		displayName: displayName.toLowerCase(),
		options: groups.map((each) =>
			each.values
				? { name: each.name, displayName: each.displayName, values: each.values.map(shapeOf) }
				: shapeOf(each),
		),
	};
}

test("'Request Options' has the names, types and defaults of n8n's own, once", () => {
	expect(declared.map(shapeOf)).toEqual([shapeOf(ofN8n)]);
});

test("they are among the node's settings, for every operation", () => {
	expect(declared[0]).toMatchObject({ isNodeSetting: true });
	expect(declared[0]!.displayOptions).toBeUndefined();
});
