import { NodeHelpers, type INodeProperties, type INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { services } from '../../nodes/ChatbotService/client/credential/baseUrl';
import { withAdvice } from '../../nodes/ChatbotService/client/failure/advice';
import { serviceFailed, tooManyRequests } from '../../nodes/ChatbotService/client/failure/failure';
import { sendOncePer } from '../../nodes/ChatbotService/resources/message/options';
import { resources as all } from '../../nodes/ChatbotService/resources';
import { isReading } from '../../nodes/ChatbotService/resources/operation';
import { operations, resources, variants } from '../operations';
import { faultsOf } from '../unit/sentences';
import { description, everyParameter, notices, operationsOf, properties } from './editor';

/* The words by which people, and n8n's AI that builds workflows, find something in the editor, and the advice of an operation. */

const offered = resources.flatMap((resource) =>
	operationsOf(resource).map((option) => ({ resource, option })),
);

test('notices name labels of the editor', () => {
	const quoted = notices.flatMap(({ displayName }) => displayName.match(/(?<=')[A-Z][^']*(?=')/g) ?? []);
	const labels = everyParameter().map(({ property }) => property.displayName);
	expect(quoted).not.toEqual([]);
	expect([...labels, ...offered.map(({ option }) => option.name)]).toEqual(expect.arrayContaining(quoted));
});

test('what must exist is named if it does not', () => {
	const sought = variants.flatMap(({ title, fields }) =>
		fields.filter(({ isSought }) => isSought).map(({ name, whatItIs }) => [title, name, typeof whatItIs]),
	);
	expect(sought).toEqual(sought.map(([title, name]) => [title, name, 'string']));
});

const ofCredential = new ChatbotServiceApi().properties.map((property) => ({
	path: property.name,
	property,
}));

const choices = [...everyParameter(), ...ofCredential].filter(({ property }) =>
	/options$/i.test(property.type),
);

test.each(choices)('$path offers different values in their order', ({ path, property }) => {
	const options = property.options as INodePropertyOptions[];
	const values = options.map(({ value }) => value);
	expect(new Set(values).size).toBe(values.length);
	expect(values).toEqual(expect.arrayContaining([property.default].flat()));
	const names = options.map(({ name }) => name);
	// This one has the order of n8n's own nodes.
	if (!path.endsWith('approvalType'))
		expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
});

const { searchHint, extraTypeDefContent } = description.builderHint;

test('the AI finds the node by services and broadcasts', () => {
	for (const { name } of [...services, { name: sendOncePer.displayName }]) expect(searchHint).toContain(name);
});

test.each(offered)('the AI reads of $resource its own: $option.name', ({ resource, option }) => {
	const added = extraTypeDefContent.filter((each) =>
		NodeHelpers.displayParameter({ resource, operation: option.value }, { ...each, name: '' }, null, null),
	);
	const { propertyHint = '' } = (option as { builderHint?: { propertyHint: string } }).builderHint ?? {};
	expect(added.map(({ content }) => content)).toEqual([expect.stringContaining(option.description!)]);
	expect(added[0]!.content).toContain(propertyHint);
	// n8n puts the first description that it finds above a type: that of the resource, if it has one.
	const { options } = properties.find(({ name }) => name === 'resource') as INodeProperties;
	const described = { value: resource, description: expect.stringMatching(/./) as string };
	expect(options).toContainEqual(expect.objectContaining(described));
});

/* Which advice an error has is proven by test/engine/matrix.test.ts. */

const described = all.flatMap((resource) =>
	resource.operations.map((operation) => {
		const title = `${resource.option.value}/${operation.option.value}`;
		return { title, operation, fixture: operations.find((each) => each.title === title)! };
	}),
);

test.each(described.filter(({ operation }) => !isReading(operation)))(
	'an unknown outcome of $title has advice',
	({ title, operation: { advice }, fixture: { idempotent, answer } }) => {
		expect(faultsOf(withAdvice(serviceFailed(500), advice!))).toEqual([]);
		// 'Send Request' repeats what only reads, like the sample.
		expect(/does no harm/.test(advice!.unknown!)).toBe(idempotent && answer !== 'many');
		// Workflows recognize a message that may have arrived by these words, as docs/errors.md says.
		expect(advice!.unknown!.startsWith('The message may have been sent')).toBe(title.startsWith('message/'));
	},
);

test.each(described.filter(({ operation }) => operation.advice?.assumedLimits))(
	'a limit of $title names a field and a value of it',
	({ operation: { advice, fields } }) => {
		const [, name, label] = /choose (\w+) as '(.+)'\.$/.exec(advice!.assumedLimits!)!;
		const field = fields.find(({ displayName }) => displayName === label);
		expect(field?.options).toContainEqual(expect.objectContaining({ name }));
		expect(faultsOf(withAdvice(tooManyRequests(), advice!, true))).toEqual([]);
	},
);
