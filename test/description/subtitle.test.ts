import type { INodeParameters } from 'n8n-workflow';

import { byTitle, chosen, description, sampleOf, kept, nodeWith, workflowOf } from './editor';

/* The subtitle of the node on the canvas, evaluated as in the editor: without any data. */

function subtitleWith(parameters: INodeParameters): unknown {
	const node = nodeWith(kept(parameters));
	const { expression } = workflowOf(node);
	const later = '[filled at execution time]';
	return expression.getSimpleParameterValue(node, description.subtitle, 'internal', {}, undefined, later);
}

test.each(byTitle)('the subtitle of %s begins with it', (_, each) => {
	expect(subtitleWith(chosen(each))).toMatch(new RegExp(`^${each.variant.of.label}: [A-Z]`));
	expect(subtitleWith(sampleOf(each))).toMatch(new RegExp(`^${each.variant.of.label}: `));
});

const send = { resource: 'message', operation: 'send' };
const toContact = { ...send, contactId: '5001' };
const toNumber = { operation: 'sendToWhatsApp' };
const testRun = { values: {} };
const notKnown = { sendOncePer: "={{ $('Form').item.json.name }}" };

const byName = (value: string) => ({ __rl: true, mode: 'name', value });
const tag = { resource: 'tag', operation: 'attach', contactId: '5001', tagName: byName('Клиент') };
const contact = { resource: 'contact', operation: 'upsert', externalId: '={{ $json.id }}' };
const variable = { resource: 'contactVariable', operation: 'upsert', contactId: '5001' };
const list = { resource: 'listSchema', operation: 'getAll' };
const field = { operation: 'addField', schemaId: byName('5dee'), fieldName: 'Цена' };

test.each<[string, INodeParameters]>([
	['TEST RUN Send: 5001', { ...toContact, options: { testRun } }],
	// Another option that is not known yet does not hide it.
	['TEST RUN Send: 5001', { ...toContact, options: { testRun, ...notKnown } }],
	['Send: 5001', { ...toContact, options: { sendOncePer: 'осень' } }],
	['Send: 5001', { ...toContact, options: { testRun: {} } }],
	['TEST RUN Send to WhatsApp Number: Message', { ...send, ...toNumber, options: { testRun } }],
	['Attach to Contact: Клиент', tag],
	['Create or Update: Город', { ...variable, variableName: byName('Город') }],
	['Add Field: Цена', { ...list, ...field }],
	// Without a target of its own, the resource.
	['Create or Update: Contact', { ...contact, botId: '2048' }],
	['Send: Message', { ...send, contactId: "={{ $('Leads').item.json.id }}" }],
])('the canvas shows %s: %j', (subtitle, parameters) => {
	expect(subtitleWith(parameters)).toBe(subtitle);
});
