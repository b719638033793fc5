import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { placeholderHint, sameRecipientHint } from '../../nodes/ChatbotService/description/hints';
import { hintsOver } from './editor';

/* What the editor says of a broadcast before it runs, over the items of the previous node. */

const send: INodeParameters = { resource: 'message', operation: 'send', contactId: '={{ $json.id }}' };
const toNumber: INodeParameters = {
	resource: 'message',
	operation: 'sendToWhatsApp',
	phone: '={{ $json.phone }}',
};
const byExternalId: INodeParameters = { ...send, recipient: 'externalId', externalId: '={{ $json.phone }}' };

/** Contacts in these messengers, each so many times. */
const contacts = (...groups: Array<[count: number, messenger: unknown]>) =>
	groups.flatMap(([count, messenger]) =>
		Array.from({ length: count }, (_, index) => ({ id: index + 1, messenger }) as IDataObject),
	);

const durationOver = (items: IDataObject[], parameters: INodeParameters) =>
	hintsOver(items, parameters).flatMap((message) => /will take (?:about )?(.*?),/.exec(message)?.[1] ?? []);

const third = contacts([1000, 'whatsapp'], [2000, 'telegram']);
const fromItem = (expression: string): INodeParameters => ({ ...send, contactMessenger: expression });

test.each<[string, IDataObject[], INodeParameters, string]>([
	['a third of 3,000 contacts in WhatsApp, the messenger left alone', third, send, '1.5 to 5 hours'],
	['the same by a field that was dragged in', third, fromItem('={{ $json.messenger }}'), '1.5 to 5 hours'],
	[
		'the same by an expression whose result is not known before the run',
		third,
		fromItem('={{ $json["messenger"] || "vk" }}'),
		'5 to 24 hours',
	],
	['the same with another messenger chosen for all', third, fromItem('vk'), '10 to 30 minutes'],
	[
		'a field with another name',
		contacts([60, 'vk']).map((contact) => ({ ...contact, way: 'whatsapp' })),
		fromItem('={{ $json.way }}'),
		'10 to 30 minutes',
	],
	['one contact for all', contacts([600, 'whatsapp']), { ...send, contactId: '7' }, '10 to 30 minutes'],
	['messengers that share no limit', contacts([600, 'telegram'], [600, 'viber']), send, '10 to 30 minutes'],
	['contacts in VK, which has no limit', contacts([600, 'vk']), send, '3 to 10 minutes'],
	['contacts without a messenger', contacts([600, undefined]), send, '10 to 30 minutes'],
	['contacts in a messenger without a known limit', contacts([600, 'widget']), send, '10 to 30 minutes'],
	[
		'WhatsApp in other spellings',
		contacts([30, ' WhatsApp '], [30, 'ватсап'], [30, { type: 'whatsapp' }]),
		send,
		'10 to 30 minutes',
	],
	[
		'fields that no messenger has',
		contacts([600, null], [600, 12], [600, {}], [600, ['']]),
		send,
		'30 to 90 minutes',
	],
	['people by the ID in WhatsApp', third, { ...byExternalId, messenger: 'whatsapp' }, '5 to 24 hours'],
	[
		'people by the ID in the messenger of the item',
		third,
		{ ...byExternalId, messenger: '={{ $json.messenger }}' },
		'1.5 to 5 hours',
	],
])(
	'the hint about the duration counts the messengers of the items as the run does: %s',
	(_, items, parameters, expected) => {
		expect(durationOver(items, parameters)).toEqual([expected]);
	},
);

test.each<[string, number, INodeParameters, boolean]>([
	['a contact', 20, { ...send, contactId: '1048576' }, true],
	['a contact, for one item', 1, { ...send, contactId: '1048576' }, false],
	['a contact of the item', 20, send, false],
	['no contact', 20, { ...send, contactId: '' }, false],
	['a contact, in a test run', 20, { ...send, contactId: '7', options: { testRun: { values: {} } } }, false],
	['a person in a messenger', 20, { ...byExternalId, externalId: '+79161234567' }, true],
	['a person of the item, and a contact that is hidden', 20, { ...byExternalId, contactId: '7' }, false],
	['a contact of the item, and a person that is hidden', 20, { ...send, externalId: '284119035' }, false],
	['a number', 20, { ...toNumber, phone: '+79161234567' }, true],
	['a number of the item', 20, toNumber, false],
	['a contact in a tag', 20, { resource: 'tag', operation: 'attach', contactId: '7' }, false],
])('several messages to one recipient have a hint: %s, %i items', (_, count, parameters, isShown) => {
	expect(hintsOver(contacts([count, 'vk']), parameters).includes(sameRecipientHint.message)).toBe(isShown);
});

test.each<[string, boolean]>([
	['Здравствуйте, {{ name }}!', true],
	['Здравствуйте, {{name}}!', true],
	['{{ $json.name }}, здравствуйте!', true],
	['={{ $json.name }}, здравствуйте!', false],
	['=Здравствуйте, {{ name }}!', false],
	['Скидка {10} %', false],
	['', false],
])('a placeholder in a fixed text has a hint: %j', (text, isShown) => {
	for (const parameters of [
		{ ...send, text },
		{ ...toNumber, text },
		{ ...send, operation: 'sendAndWait', message: text },
	])
		expect(hintsOver([{ id: 1 }], parameters).includes(placeholderHint.message)).toBe(isShown);
	expect(hintsOver([{ id: 1 }], { resource: 'tag', operation: 'attach', tagName: text })).toEqual([]);
});
