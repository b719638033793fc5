import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { readOperations } from '../../sandbox/emulator/document';
import { byTitle, operations, travelling } from '../operations';
import { description } from './editor';

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
