import type { INodeParameters } from 'n8n-workflow';

import { operationOf } from '../operations';
import { chosen, description, sampleOf, kept, nodeWith, workflowOf } from './editor';
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

const byName = (value: string) => ({ __rl: true, mode: 'name', value });

test.each(byTitle)('the subtitle of %s begins with the operation', (_, each) => {
	expect(subtitleWith(chosen(each))).toMatch(new RegExp(`^${each.variant.of.label}: [A-Z]`));
	expect(subtitleWith(sampleOf(each))).toMatch(new RegExp(`^${each.variant.of.label}: `));
});

const ofContact = { operation: 'upsert', contactId: '5001' };
const message = { resource: 'message', operation: 'send' };

test.each<[string, INodeParameters]>([
	['TEST RUN Send: 5001', { ...message, contactId: '5001', options: { testRun: { values: {} } } }],
	// Another option that is not known yet does not hide it.
	[
		'TEST RUN Send: 5001',
		{
			...message,
			contactId: '5001',
			options: { sendOncePer: "={{ $('Form').item.json.name }}", testRun: { values: { contactId: '5002' } } },
		},
	],
	['Send: 5001', { ...message, contactId: '5001', options: { sendOncePer: 'осень' } }],
	['Send: 5001', { ...message, contactId: '5001', options: { testRun: {} } }],
	[
		'TEST RUN Send to WhatsApp Number: Message',
		{ resource: 'message', operation: 'sendToWhatsApp', options: { testRun: { values: { phone: '' } } } },
	],
])('the subtitle says whether a run would be a test: %s', (subtitle, parameters) => {
	expect(subtitleWith(parameters)).toBe(subtitle);
});

test.each<[target: string, INodeParameters]>([
	['Клиент', { resource: 'tag', operation: 'attach', contactId: '5001', tagName: byName('Клиент') }],
	['5001', { ...message, contactId: '5001' }],
	['+79161234567', { ...message, recipient: 'externalId', externalId: '+79161234567' }],
	['Заказы', { resource: 'listSchema', operation: 'create', listName: 'Заказы' }],
	['Город', { ...ofContact, resource: 'contactVariable', variableName: byName('Город') }],
	['Цена', { resource: 'listSchema', operation: 'addField', schemaId: byName('5dee'), fieldName: 'Цена' }],
	// Without a target of its own, the resource.
	['Contact', { resource: 'contact', operation: 'upsert', botId: '2048', externalId: '={{ $json.id }}' }],
	['Contact', { resource: 'contact', operation: 'getAll', botId: '2048' }],
	['List', { resource: 'listSchema', operation: 'getAll' }],
	['Message', { ...message, contactId: "={{ $('Leads').item.json.id }}" }],
])('the subtitle ends with the target, %s: %j', (target, parameters) => {
	const { label } = operationOf(`${String(parameters.resource)}/${String(parameters.operation)}`);
	expect(subtitleWith(parameters)).toBe(`${label}: ${target}`);
});
