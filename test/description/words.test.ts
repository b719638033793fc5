import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { operations, resources } from '../operations';
import { description, everyParameter, notices, operationsOf } from './editor';

const parameters = everyParameter().map(({ path, property }): [string, INodeProperties] => [path, property]);

/** Parameters that n8n describes itself, or whose label says everything. */
const clear = ['resource', 'operation', 'options', 'fieldOptions'];

/** Proper names, which keep their capitals within a sentence. */
const names = ['WhatsApp'];

const options = resources.flatMap((resource) =>
	operationsOf(resource).map((option): [string, INodePropertyOptions] => [
		`${resource}/${option.value}`,
		option,
	]),
);

test.each(parameters.filter(([path]) => !clear.includes(path)))('%s has a description', (_, property) => {
	expect(property.description).toMatch(/^[A-Z].{8,}/);
	// By n8n's convention, one sentence has no final period, and several sentences have one.
	const sentences = property.description!.split(/[.;] (?=[A-Z])/).length;
	expect(property.description!.endsWith('.')).toBe(sentences > 1);
});

test.each(parameters.filter(([, { hint }]) => hint))('%s has a hint of one sentence', (_, { hint }) => {
	expect(hint).toMatch(/^[A-Z][^.]{8,}[^.]$/);
});

test.each(notices.map(({ name, displayName }) => [name, displayName]))(
	'the notice %s consists of sentences',
	(_, text) => {
		expect(text).toMatch(/^[A-Z].{8,}\.$/);
		// The fields that it names are labels of the editor.
		const labels = [
			...everyParameter().map(({ property }) => property.displayName),
			...options.map(([, { name }]) => name),
		];
		for (const [, quoted] of text.matchAll(/'([A-Z][^']*)'/g)) expect(labels).toContain(quoted);
	},
);

test.each(parameters.filter(([, { type }]) => type === 'boolean'))(
	'%s says what it switches',
	(_, property) => {
		expect(property.description).toMatch(/^Whether /);
	},
);

const freeText = parameters.filter(([, { type }]) => type === 'string' || type === 'json');

test.each(freeText)('%s shows an example', (_, { placeholder, default: standard }) => {
	expect(placeholder).toMatch(/^e\.g\. \S/);
	expect(standard).toBe('');
});

test.each(parameters.filter(([, { modes }]) => modes))(
	'%s shows an example in the field for typing',
	(_, { modes }) => {
		const typed = modes!.filter(({ type }) => type === 'string');
		expect(typed).not.toEqual([]);
		for (const { placeholder } of typed) expect(placeholder).toMatch(/^e\.g\. \S/);
	},
);

test.each(parameters)('%s has a label in title case', (_, { displayName }) => {
	for (const word of displayName.replace(/[()]/g, '').split(' ')) {
		expect(word).toMatch(/^([A-Z]|in$|by$|or$|to$|of$|from$)/);
	}
});

test.each(options)('%s is an action in sentence case without articles', (_, { action }) => {
	expect(action).toMatch(/^[A-Z][a-z]+ /);
	const [, ...others] = action!.split(' ');
	for (const word of others) if (!names.includes(word)) expect(word).toBe(word.toLowerCase());
	expect(action).not.toMatch(/\b(a|an|the)\b/i);
	expect(action).not.toMatch(/[.!]$/);
});

test.each(options)('%s has a description', (_, option) => {
	expect(option.description).toMatch(/^[A-Z].{8,}[^.]$/s);
});

test('every operation has its own action, by which people and AI agents find it', () => {
	const actions = options.map(([, { action }]) => action);
	expect(actions).toHaveLength(operations.length);
	expect(new Set(actions).size).toBe(operations.length);
});

test.each(parameters.filter(([, { type }]) => type === 'options' || type === 'multiOptions'))(
	'%s offers different values, and its default is one of them',
	(_, { options: offered, default: standard }) => {
		const values = (offered as INodePropertyOptions[]).map(({ value }) => value);
		const labels = (offered as INodePropertyOptions[]).map(({ name }) => name);
		expect(new Set(values).size).toBe(values.length);
		expect(new Set(labels).size).toBe(labels.length);
		for (const value of [standard].flat()) expect(values).toContain(value);
	},
);

test('the node has the name of the service', () => {
	expect(description.displayName).toBe('Chatbot Service');
	expect(description.defaults).toEqual({ name: 'Chatbot Service' });
	expect(description.description).toMatch(/^[A-Z].*[^.]$/);
});
