import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { resources } from '../operations';
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

test('every operation has an action of its own, by which people and AI agents find it', () => {
	expect(new Set(operations.map(({ action }) => action)).size).toBe(operations.length);
});

test.each(parameters.filter(([, { type }]) => type === 'options' || type === 'multiOptions'))(
	'%s offers different values, and its default is one of them',
	(_, { options: offered, default: standard }) => {
		const values = (offered as INodePropertyOptions[]).map(({ value }) => value);
		expect(new Set(values).size).toBe(values.length);
		expect(values).toEqual(expect.arrayContaining([standard].flat()));
	},
);
