import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { ChatbotServiceApi } from '../../credentials/ChatbotServiceApi.credentials';
import { resources, variants } from '../operations';
import { everyParameter, notices, operationsOf } from './editor';

/* The labels of the editor. */

const parameters = everyParameter().map(({ path, property }): [string, INodeProperties] => [path, property]);

const operations = resources.flatMap(operationsOf);

test('the labels that notices name are those of the editor', () => {
	const labels = [
		...parameters.map(([, { displayName }]) => displayName),
		...operations.map(({ name }) => name),
	];
	const quoted = notices.flatMap(({ displayName }) =>
		[...displayName.matchAll(/'([A-Z][^']*)'/g)].map(([, label]) => label),
	);
	expect(quoted).not.toEqual([]);
	expect(labels).toEqual(expect.arrayContaining(quoted));
});

test('what must exist is named if it does not', () => {
	const sought = variants.flatMap(({ title, fields }) =>
		fields.filter(({ isSought }) => isSought).map(({ name, whatItIs }) => [title, name, typeof whatItIs]),
	);
	expect(sought).toEqual(sought.map(([title, name]) => [title, name, 'string']));
});

test('every operation has an action of its own, by which people and AI agents find it', () => {
	expect(new Set(operations.map(({ action }) => action)).size).toBe(operations.length);
});

const choices = [
	...parameters,
	...new ChatbotServiceApi().properties.map((each) => [each.name, each] as const),
]
	.filter(([, { type }]) => type === 'options' || type === 'multiOptions')
	.map(([path, { options, default: standard }]) => ({
		path,
		offered: options as INodePropertyOptions[],
		standard: [standard].flat(),
	}));

test.each(choices)(
	'$path offers different values, and its default is one of them',
	({ offered, standard }) => {
		const values = offered.map(({ value }) => value);
		expect(new Set(values).size).toBe(values.length);
		expect(values).toEqual(expect.arrayContaining(standard));
	},
);

// The other one has the order of n8n's own nodes.
test.each(choices.filter(({ path }) => !path.endsWith('approvalType')))(
	'$path offers its values in alphabetical order',
	({ offered }) => {
		const names = offered.map(({ name }) => name);
		expect(names).toEqual(names.toSorted((a, b) => a.localeCompare(b, 'en')));
	},
);
