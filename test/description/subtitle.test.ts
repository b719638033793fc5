import type { INodeParameters } from 'n8n-workflow';

import { byTitle, chosen, description, sampleOf, kept, nodeWith, workflowOf } from './editor';

/* The subtitle of the node on the canvas, evaluated as in the editor: without any data. */

function subtitleWith(parameters: INodeParameters): unknown {
	const node = nodeWith(kept(parameters));
	const { expression } = workflowOf(node);
	const later = '[filled at execution time]';
	return expression.getSimpleParameterValue(node, description.subtitle, 'internal', {}, undefined, later);
}

test.each(byTitle)('the subtitle of %s ends with it', (_, each) => {
	expect(subtitleWith(chosen(each))).toMatch(new RegExp(`^[A-Z][A-Za-z ]+: ${each.variant.of.label}$`));
	expect(subtitleWith(sampleOf(each))).toMatch(new RegExp(`^[A-Z][A-Za-z ]+: ${each.variant.of.label}$`));
});

const send = { resource: 'message', operation: 'send', contactId: '5001' };
const toNumber = { operation: 'sendToWhatsApp' };
const testRun = { values: {} };
const notKnown = { sendOncePer: "={{ $('Form').item.json.name }}" };

test.each<[string, INodeParameters]>([
	['TEST RUN Message: Send', { ...send, options: { testRun } }],
	// Another option that is not known yet does not hide it.
	['TEST RUN Message: Send', { ...send, options: { testRun, ...notKnown } }],
	['Message: Send', { ...send, options: { sendOncePer: 'осень' } }],
	['Message: Send', { ...send, options: { testRun: {} } }],
	['TEST RUN Message: Send to WhatsApp Number', { ...send, ...toNumber, options: { testRun } }],
	['Tag: Attach to Contact', { resource: 'tag', operation: 'attach', contactId: '={{ $json.id }}' }],
])('the canvas shows %s: %j', (subtitle, parameters) => {
	expect(subtitleWith(parameters)).toBe(subtitle);
});
