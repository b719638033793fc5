import type { INodeProperties } from 'n8n-workflow';

import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { readOperations } from '../../sandbox/emulator/document';
import { byTitle, operations, travelling } from '../operations';
import { description, properties } from './editor';

/* How the description declares its requests. test/engine/operations.test.ts compares the requests themselves. */

test('there is an operation for each endpoint of the contract', () => {
	const ours = operations.map(({ method, endpoint }) => `${method} /api/v1/${endpoint}`);
	expect([...new Set(ours)].sort()).toEqual(
		readOperations()
			.map(({ method, path }) => `${method} ${path}`)
			.sort(),
	);
});

/** A field and those inside it. */
const withInner = (field: Field): Field[] => [
	field,
	...((field.options ?? []) as Array<Field & { values?: Field[] }>)
		.flatMap((each) => each.values ?? each)
		.flatMap(withInner),
];

/** Operations whose sample is one request with the values of its fields. */
const withOwnRequest = operations.filter(({ variants }) => !variants.some(({ requests }) => requests));

test.each(byTitle(withOwnRequest))(
	'the samples of %s contain each parameter that it can send',
	(_, { resource, operation, variants }) => {
		const fields = findOperation(resource, operation)!.fields.flatMap(withInner);
		const sent = fields.flatMap(({ routing }) => routing?.send.property ?? []);
		const inSamples = variants.flatMap((variant) => travelling(variant).map(({ wire }) => wire));
		// The name of a parameter that depends on the values is an expression.
		expect(sent.filter((name) => !name.startsWith('=') && !inSamples.includes(name))).toEqual([]);
	},
);

// With `methods` but without `requestDefaults`, n8n does not run the routing.
test('every request needs the credential, and is declared to go to its address and to follow no redirect', () => {
	expect(description.credentials).toEqual([{ name: 'chatbotServiceApi', required: true }]);
	expect(description.requestDefaults).toMatchObject({
		baseURL: expect.stringMatching(/^=\{\{ \$credentials\.baseUrl\b/) as string,
		disableFollowRedirect: true,
	});
});

/*
 * n8n adds 'Request Options' to declarative nodes without a webhook. This node has a webhook and declares them itself. Saved workflows
 * hold their values, and test/engine/requestOptions.test.ts applies them.
 */

const { commonDeclarativeNodeOptionParameters: ofN8n } = jest.requireActual<{
	commonDeclarativeNodeOptionParameters: INodeProperties;
}>('n8n-core/dist/nodes-loader/constants');

const declared = properties.filter(({ name }) => name === 'requestOptions');

/** What a workflow stores of a parameter; the texts are the node's own. */
const shapeOf = (property: INodeProperties): unknown =>
	JSON.parse(
		JSON.stringify(property, (key, value: unknown) =>
			['displayName', 'description', 'placeholder'].includes(key) ? undefined : value,
		),
	);

/** A node that paces itself has no use for Batching. */
const usedOfN8n = { ...ofN8n, options: ofN8n.options!.filter(({ name }) => name !== 'batching') };

test("'Request Options' has the names, types and defaults of n8n's own, once, among the node's settings for every operation", () => {
	expect(declared.map(shapeOf)).toEqual([shapeOf(usedOfN8n as INodeProperties)]);
	expect(declared[0]).toMatchObject({ isNodeSetting: true });
	expect(declared[0]!.displayOptions).toBeUndefined();
});
