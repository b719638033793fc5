import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { hints } from '../../nodes/ChatbotService/description/hints';
import { hintsOver } from './editor';

/* What the editor says before a run, evaluated as in the editor over the items of the previous node. */

/** How long a run takes, or the name of any other hint. */
const nameOf = (message: string) =>
	/will take (?:about )?(.*?) at /.exec(message)?.[1] ??
	/'(.*)' has no values/.exec(message)?.[1] ??
	Object.entries(hints).find(([, hint]) => 'message' in hint && hint.message === message)![0];

/** Contacts in these messengers, each so many times. */
const contacts = (...groups: Array<[count: number, messenger?: unknown]>) =>
	groups.flatMap(([count, messenger]) =>
		Array.from({ length: count }, (_, index) => ({ id: index + 1, messenger }) as IDataObject),
	);

const send: INodeParameters = { resource: 'message', operation: 'send' };
const toContact = { ...send, contactId: '={{ $json.id }}' };
const toPerson = { ...send, recipient: 'externalId', externalId: '={{ $json.id }}' };
const byId = (messenger: string) => ({ ...toPerson, messenger });
const toNumber = { ...send, operation: 'sendToWhatsApp' };
const ask = { ...send, operation: 'sendAndWait' };
const inMessenger = (contactMessenger: string) => ({ ...toContact, contactMessenger });
const withOptions = (options: INodeParameters, of = send) => ({ ...of, options });
const hours = { sendingHours: { values: { from: '09:00', until: '21:00' } } };
const inZones = { sendingHours: { values: { ...hours.sendingHours.values, timeZone: '={{ $json.zone }}' } } };
const testRun = { testRun: { values: { messages: 1 } } };
const onceTested = { sendOncePer: 'осень', ...testRun };
const once = 'sendOncePer';

const setMany = { resource: 'contactVariable', operation: 'upsertMany' };
const variable = ['Город', 'Уровень', 'Время', 'Курс', 'Возраст'].map((name) => ({ name, value: 'да' }));
const inJson = (variablesJson: string) => ({ ...setMany, variablesInput: 'json', variablesJson });

const search = (filters: INodeParameters, include: unknown = []) =>
	({ resource: 'contact', operation: 'getAll', include, filters }) as INodeParameters;
const conditions = (...all: INodeParameters[]) => ({ variables: { conditions: all } });
const find = { resource: 'contact', operation: 'get', findBy: 'phone', findValue: '={{ $json.phone }}' };

const third = contacts([1000, 'whatsapp'], [2000, 'telegram']);
const spellings = contacts([30, ' WhatsApp '], [30, 'ватсап'], [30, { type: 'whatsapp' }]);
const odd = contacts([600, null], [600, 12], [600, {}], [600, ['']]);
const elsewhere = contacts([60, 'vk']).map((contact) => ({ ...contact, way: 'whatsapp' }));

test.each<[what: string, items: number | IDataObject[], parameters: INodeParameters, ...said: string[]]>([
	['60 messages', 60, send, '1 to 3 minutes'],
	['300 messages', 300, send, '3 to 10 minutes', once],
	['300 messages in WhatsApp', 300, inMessenger('whatsapp'), '30 to 90 minutes', once],
	['299 to WhatsApp numbers', 299, toNumber, '3 to 10 minutes'],
	['a messenger known only in the run', 300, inMessenger("={{ 'vk' }}"), '30 to 90 minutes', once],
	['200 list items to save', 200, { resource: 'listItem', operation: 'upsert' }, '3 to 10 minutes'],
	['200 contacts to save', 200, { resource: 'contact', operation: 'upsert' }, '1 to 3 minutes'],
	['five variables', 200, { ...setMany, variables: { variable } }, '3 to 10 minutes'],
	['five variables in JSON', 200, inJson('{"a":1,"b":2,"c":3,"d":4,"e":5}'), '3 to 10 minutes'],
	['variables of the item', 200, inJson('={{ $json.answers }}'), '1 to 3 minutes'],

	['a third in WhatsApp', third, toContact, '1.5 to 5 hours', once],
	['a third, by an expression', third, inMessenger('={{ $json.m || "vk" }}'), '5 to 24 hours', once],
	['a field with another name', elsewhere, inMessenger('={{ $json.way }}'), '10 to 30 minutes'],
	['VK, which has no limit', contacts([600, 'vk']), toContact, '3 to 10 minutes', once],
	['no messenger', contacts([600]), toContact, '10 to 30 minutes', once],
	['WhatsApp in other spellings', spellings, toContact, '10 to 30 minutes'],
	['what is no messenger', odd, toContact, '30 to 90 minutes', once],

	['an expression for Send Once Per', 300, withOptions({ sendOncePer: '={{ 7 }}' }), '3 to 10 minutes'],
	['an empty Send Once Per', 300, withOptions({ sendOncePer: '' }), '3 to 10 minutes', once],
	['hours, with few messages', 5, withOptions(hours), once],
	['hours without values', 5, withOptions({ sendingHours: {} }), 'Sending Hours'],
	['a test without values', 5, withOptions({ testRun: {} }), 'Test Run'],
	['hours in time zones', 5, withOptions(inZones), once],
	['tags, with hidden parameters of messages', 300, { ...send, resource: 'tag' }, '1 to 3 minutes'],

	['a test run', 5000, withOptions(onceTested), 'testRun'],
	['one contact for all', 20, { ...send, contactId: '7' }, 'sameRecipient'],
	['one contact for one item', 1, { ...send, contactId: '7' }],
	['one person for all', 20, { ...byId('vk'), externalId: '+79161234567' }, 'sameRecipient'],
	['the contact is hidden', 20, { ...byId('vk'), contactId: '7' }],
	['the number of the item', 20, { ...toNumber, phone: '={{ $json.phone }}' }],

	['a placeholder', 1, { ...send, text: 'Здравствуйте, {{ name }}!' }, 'placeholder'],
	['a placeholder without spaces', 1, { ...toNumber, text: '{{name}}!' }, 'placeholder'],
	['an expression in a fixed question', 1, { ...ask, message: '{{ $json.name }}!' }, 'placeholder'],
	['an expression', 1, { ...send, text: '={{ $json.name }}!' }],
	['a placeholder in an expression', 1, { ...send, text: '=Здравствуйте, {{ name }}!' }],
	['braces', 1, { ...send, text: 'Скидка {10} %' }],

	['one question', 1, ask],
	['two questions', 2, ask, 'oneItem'],

	['contacts looked up together', 5000, find],
	['the same with tags', 5000, { ...find, include: ['tags'] }, 'tags'],
	['contacts without a tag', 5000, search({ hasNoTags: 'Не писать' }), 'tags'],
	['contacts with a tag of the item', 1, search({ hasAnyTag: '={{ $json.tag }}' }), 'tags'],
	['an expression for the output', 1, search({}, "={{ 'tags' }}"), 'tags'],
	['contacts with their variables', 5000, search(conditions({ name: 'x' }), ['variables'])],
	['variables without conditions', 1, search({ variables: {} }), 'noConditions'],
])('before a run of %s', (_, items, parameters, ...said) => {
	const given = typeof items === 'number' ? contacts([items]) : items;
	expect(hintsOver(given, parameters).map(nameOf)).toEqual(said);
});

const ends = [180, 600, 1800, 5400, 18_000, 86_400];

// A message takes a second.
test.each([60, ...ends.flatMap((end) => [end - 1, end])])('%i messages have one duration', (count) => {
	const durations = hintsOver(contacts([count]), send).filter((each) => each.includes('will take'));
	expect(durations).toHaveLength(1);
});
