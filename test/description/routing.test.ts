import type { INodeProperties } from 'n8n-workflow';

import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { readOperations } from '../../sandbox/emulator/document';
import { byTitle, operations, travelling } from '../operations';
import { description, properties } from './editor';

/* How the description declares its requests. test/engine/operations.test.ts compares the requests themselves. */

test('there is an operation for each documented endpoint', () => {
	const ours = operations.map(({ method, endpoint }) => `${method} /api/v1/${endpoint}`);
	const documented = readOperations().map(({ method, path }) => `${method} ${path}`);
	expect([...new Set(ours)].sort()).toEqual(documented.sort());
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
	'the samples of %s have all its parameters',
	(_, { resource, operation, variants }) => {
		const fields = findOperation(resource, operation)!.fields.flatMap(withInner);
		const sent = fields.flatMap(({ routing }) => routing?.send.property ?? []);
		const inSamples = variants.flatMap((variant) => travelling(variant).map(({ wire }) => wire));
		// The name of a parameter that depends on the values is an expression.
		expect(sent.filter((name) => !name.startsWith('=') && !inSamples.includes(name))).toEqual([]);
	},
);

// With `methods` but without `requestDefaults`, n8n does not run the routing.
test('requests go to the address of the credential', () => {
	expect(description.credentials).toEqual([{ name: 'chatbotServiceApi', required: true }]);
	const baseURL = expect.stringMatching(/^=\{\{ \$credentials\.baseUrl\b/) as string;
	expect(description.requestDefaults).toMatchObject({ baseURL, disableFollowRedirect: true });
});

/*
 * n8n adds 'Request Options' to declarative nodes without a webhook. This node has a webhook and declares them itself, for every
 * operation. Saved workflows hold their values, and test/engine/requestOptions.test.ts applies them.
 */

const { commonDeclarativeNodeOptionParameters: ofN8n } = jest.requireActual<{
	commonDeclarativeNodeOptionParameters: INodeProperties;
}>('n8n-core/dist/nodes-loader/constants');

const ownTexts = ['displayName', 'description', 'placeholder'];

/** What a workflow stores of a parameter. */
const shapeOf = (property: object): unknown =>
	JSON.parse(JSON.stringify(property, (key, value: unknown) => (ownTexts.includes(key) ? undefined : value)));

test("'Request Options' has the shape of n8n's own", () => {
	// A node that paces itself has no use for Batching.
	const options = ofN8n.options!.filter(({ name }) => name !== 'batching');
	const declared = properties.filter(({ name }) => name === 'requestOptions');
	expect(declared.map(shapeOf)).toEqual([shapeOf({ ...ofN8n, options })]);
	expect(declared).toEqual([expect.objectContaining({ isNodeSetting: true })]);
	expect(declared[0]).not.toHaveProperty('displayOptions');
});
