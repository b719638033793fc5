import { NodeHelpers, type INodePropertyOptions } from 'n8n-workflow';

import { services } from '../../nodes/ChatbotService/client/credential/baseUrl';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { byTitle, operations, resources } from '../operations';
import { description, operationsOf, properties } from './editor';

/* What n8n's AI that builds workflows finds in its types of the node. */

const { searchHint, extraTypeDefContent } = description.builderHint;

test('the AI finds the node by the name of each service, and the option for broadcasts', () => {
	for (const { name } of services) expect(searchHint).toContain(name);
	expect(searchHint).toContain(sendOncePer.displayName);
});

test.each(byTitle(operations))(
	'the type of %s has the description and the hint of this operation, and of no other',
	(_, { resource, operation }) => {
		const added = extraTypeDefContent.filter((each) =>
			NodeHelpers.displayParameter({ resource, operation }, { ...each, name: '' }, null, null),
		);
		const own = operationsOf(resource).find(({ value }) => value === operation)!;
		const { propertyHint = '' } = (own as { builderHint?: { propertyHint: string } }).builderHint ?? {};
		expect(added.map(({ content }) => content)).toEqual([expect.stringContaining(own.description!)]);
		expect(added[0]!.content).toContain(propertyHint);
	},
);

// n8n puts the first description that it finds above a type.
test.each(resources)(
	'above the types of %s is its own description, not that of an operation of another resource',
	(resource) => {
		const [parameter] = properties.filter(({ name }) => name === 'resource');
		const options = parameter!.options as INodePropertyOptions[];
		expect(options.find(({ value }) => value === resource)!.description).toBeTruthy();
	},
);
