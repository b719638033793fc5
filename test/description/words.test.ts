import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { resources } from '../operations';
import { everyParameter, notices, operationsOf } from './editor';

/* What the editor offers. The form of its words, such as title case and final periods, is a matter of n8n's rules for eslint. */

const parameters = everyParameter().map(({ path, property }): [string, INodeProperties] => [path, property]);

const options = resources.flatMap((resource) => operationsOf(resource));

test.each(notices.map(({ name, displayName }) => [name, displayName]))(
	'the notice %s names labels of the editor',
	(_, text) => {
		const labels = [
			...parameters.map(([, { displayName }]) => displayName),
			...options.map(({ name }) => name),
		];
		for (const [, quoted] of text.matchAll(/'([A-Z][^']*)'/g)) expect(labels).toContain(quoted);
	},
);

test('every operation has an action of its own, by which people and AI agents find it', () => {
	expect(new Set(options.map(({ action }) => action)).size).toBe(options.length);
	for (const { action } of options) expect(action).toBeTruthy();
});

test.each(parameters.filter(([, { type }]) => type === 'options' || type === 'multiOptions'))(
	'%s offers different values, and its default is one of them',
	(_, { options: offered, default: standard }) => {
		const values = (offered as INodePropertyOptions[]).map(({ value }) => value);
		expect(new Set(values).size).toBe(values.length);
		expect(values).toEqual(expect.arrayContaining([standard].flat()));
	},
);
