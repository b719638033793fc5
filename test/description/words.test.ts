import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { resources } from '../operations';
import { everyParameter, notices, operationsOf } from './editor';

/* What the words of the node say. Their form, such as title case and final periods, is a matter of n8n's rules for eslint. */

const parameters = everyParameter().map(({ path, property }): [string, INodeProperties] => [path, property]);

/** Parameters that n8n describes itself, or whose label says everything. */
const clear = ['resource', 'operation', 'options', 'fieldOptions'];

/** Defaults of the buttons on the page of a question. */
const labelsOfPage: Record<string, string> = {
	'approvalOptions.approveLabel': 'Approve',
	'approvalOptions.disapproveLabel': 'Decline',
	'options.responseFormButtonLabel': 'Submit',
};

const options = resources.flatMap((resource) => operationsOf(resource));

test.each(parameters)('%s has a description, and a text field shows an example', (path, property) => {
	const { type, hint, modes = [] } = property;
	if (!clear.includes(path)) expect(property.description).toMatch(/^[A-Z].{8,}/);
	if (hint) expect(hint).toMatch(/^[A-Z][^.]{8,}[^.]$/);
	const typed = modes.filter((mode) => mode.type === 'string');
	expect(typed).toHaveLength(modes.length ? 1 : 0);
	const isText = type === 'string' || type === 'json';
	for (const { placeholder } of isText ? [property] : typed) expect(placeholder).toMatch(/^e\.g\. \S/);
	if (isText) expect(property.default).toBe(labelsOfPage[path] ?? '');
});

test.each(notices.map(({ name, displayName }) => [name, displayName]))(
	'the notice %s consists of sentences, and names labels of the editor',
	(_, text) => {
		expect(text).toMatch(/^[A-Z].{8,}\.$/);
		const labels = [
			...parameters.map(([, { displayName }]) => displayName),
			...options.map(({ name }) => name),
		];
		for (const [, quoted] of text.matchAll(/'([A-Z][^']*)'/g)) expect(labels).toContain(quoted);
	},
);

test('every operation has its own action in sentence case, by which people and AI agents find it, and a description', () => {
	expect(new Set(options.map(({ action }) => action)).size).toBe(options.length);
	for (const { action, description: words } of options) {
		expect(action!.replace('WhatsApp', 'whatsapp')).toMatch(/^[A-Z][a-z]+( (?!(an?|the)\b)[a-z]+)+$/);
		expect(words).toMatch(/^[A-Z].{8,}[^.]$/s);
	}
});

test.each(parameters.filter(([, { type }]) => type === 'options' || type === 'multiOptions'))(
	'%s offers different values, and its default is one of them',
	(_, { options: offered, default: standard }) => {
		const values = (offered as INodePropertyOptions[]).map(({ value }) => value);
		expect(new Set(values).size).toBe(values.length);
		expect(values).toEqual(expect.arrayContaining([standard].flat()));
	},
);
