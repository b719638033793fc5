import { Workflow, type INodeParameters, type INodeTypes } from 'n8n-workflow';

import { chosen, filled, kept, nodeType, nodeWith, operationsOf, valuesFor } from './editor';
import { byTitle } from './states';

/* The subtitle of the node on the canvas, evaluated as in the editor: without any data. */

const nodeTypes = {
	getByName: () => nodeType,
	getByNameAndVersion: () => nodeType,
	getKnownTypes: () => ({}),
} as unknown as INodeTypes;

function subtitleWith(parameters: INodeParameters): unknown {
	const node = nodeWith(kept(parameters));
	const workflow = new Workflow({ id: 'w', active: false, nodes: [node], connections: {}, nodeTypes });
	return workflow.expression.getSimpleParameterValue(
		node,
		nodeType.description.subtitle,
		'internal',
		{},
		undefined,
		'[filled at execution time]',
	);
}

const byName = (value: string) => ({ __rl: true, mode: 'name', value });

test.each(byTitle)('the subtitle of %s begins with the operation', (_, each) => {
	const { name } = operationsOf(each.resource).find(({ value }) => value === each.operation)!;
	expect(subtitleWith(chosen(each))).toMatch(new RegExp(`^${name}: [A-Z]`));
	expect(subtitleWith(valuesFor(each, filled))).toMatch(new RegExp(`^${name}: `));
});

test.each<[INodeParameters, string]>([
	[
		{ resource: 'tag', operation: 'attach', contactId: '5001', tagName: byName('Клиент') },
		'Attach to Contact: Клиент',
	],
	[
		{ resource: 'contactVariable', operation: 'upsert', contactId: '5001', variableName: byName('Город') },
		'Create or Update: Город',
	],
	[
		{
			resource: 'contactVariable',
			operation: 'delete',
			deleteBy: 'id',
			variableId: { __rl: true, mode: 'id', value: '9001' },
		},
		'Delete: 9001',
	],
	[{ resource: 'message', operation: 'send', contactId: '5001' }, 'Send: 5001'],
	[
		{ resource: 'message', operation: 'send', recipient: 'externalId', externalId: '+79161234567' },
		'Send: +79161234567',
	],
	[{ resource: 'listSchema', operation: 'create', listName: 'Заказы' }, 'Create: Заказы'],
	[{ resource: 'listSchema', operation: 'getAll' }, 'Get Many: List Schema'],
])('the subtitle ends with the target: %j', (parameters, subtitle) => {
	expect(subtitleWith(parameters)).toBe(subtitle);
});

test('when the target comes from other nodes, the subtitle shows the resource instead', () => {
	const parameters = { resource: 'message', operation: 'send', contactId: '={{ $json.id }}' };
	expect(subtitleWith(parameters)).toBe('Send: Message');
	expect(subtitleWith({ ...parameters, contactId: "={{ $('Leads').item.json.id }}" })).toBe('Send: Message');
});
