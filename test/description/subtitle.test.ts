import type { INodeParameters, INodePropertyOptions } from 'n8n-workflow';

import {
	chosen,
	description,
	filled,
	kept,
	nodeWith,
	operationsOf,
	properties,
	valuesFor,
	workflowOf,
} from './editor';
import { byTitle } from './states';

/* The subtitle of the node on the canvas, evaluated as in the editor: without any data. */

function subtitleWith(parameters: INodeParameters): unknown {
	const node = nodeWith(kept(parameters));
	return workflowOf(node).expression.getSimpleParameterValue(
		node,
		description.subtitle,
		'internal',
		{},
		undefined,
		'[filled at execution time]',
	);
}

const labelOf = ({ resource, operation }: INodeParameters) =>
	operationsOf(String(resource)).find(({ value }) => value === operation)!.name;

const resourceOf = ({ resource }: INodeParameters) =>
	(properties.find(({ name }) => name === 'resource')!.options as INodePropertyOptions[]).find(
		({ value }) => value === resource,
	)!.name;

const byName = (value: string) => ({ __rl: true, mode: 'name', value });

test.each(byTitle)('the subtitle of %s begins with the operation', (_, each) => {
	const { name } = operationsOf(each.resource).find(({ value }) => value === each.operation)!;
	expect(subtitleWith(chosen(each))).toMatch(new RegExp(`^${name}: [A-Z]`));
	expect(subtitleWith(valuesFor(each, filled))).toMatch(new RegExp(`^${name}: `));
});

const tag = { resource: 'tag', operation: 'attach', contactId: '5001', tagName: byName('Клиент') };
const variable = { resource: 'contactVariable', contactId: '5001' };
const message = { resource: 'message', operation: 'send' };
const list = { resource: 'listSchema', operation: 'create', listName: 'Заказы' };

test.each<[INodeParameters, string]>([
	[tag, 'Клиент'],
	[{ ...variable, operation: 'upsert', variableName: byName('Город') }, 'Город'],
	[{ ...variable, operation: 'delete', deleteBy: 'id', variableId: byName('9001') }, '9001'],
	[{ ...message, contactId: '5001' }, '5001'],
	[{ ...message, recipient: 'externalId', externalId: '+79161234567' }, '+79161234567'],
	[list, 'Заказы'],
])('the subtitle ends with the target: %j', (parameters, target) => {
	expect(subtitleWith(parameters)).toBe(`${labelOf(parameters)}: ${target}`);
});

test('without a target of its own, the subtitle shows the resource', () => {
	const all = { ...list, operation: 'getAll' };
	expect(subtitleWith(all)).toBe(`${labelOf(all)}: ${resourceOf(all)}`);
	for (const contactId of ['={{ $json.id }}', "={{ $('Leads').item.json.id }}"])
		expect(subtitleWith({ ...message, contactId })).toBe(`${labelOf(message)}: ${resourceOf(message)}`);
});
