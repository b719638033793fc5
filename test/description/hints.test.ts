import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { services } from '../../nodes/ChatbotService/client/baseUrl';
import { sendOncePerHint, oneItemHint } from '../../nodes/ChatbotService/description/hints';
import { description, kept, nodeWith, workflowOf } from './editor';

/* The hints of the editor before a run, evaluated as in the editor: with the current items, or with none. */

function hintsFor(given: number | IDataObject[], parameters: INodeParameters): string[] {
	const node = nodeWith(kept(parameters));
	const { expression } = workflowOf(node);
	const data = typeof given === 'number' ? Array.from({ length: given }, () => ({})) : given;
	const items = data.map((json) => ({ json }));
	return description
		.hints!.filter(({ displayCondition }) =>
			expression.getParameterValue(displayCondition!, null, 0, 0, node.name, items, 'manual', {}),
		)
		.map(({ message }) => message);
}

/** The duration at the rate limit, in the words of the hints. */
const spansFor = (given: number | IDataObject[], parameters: INodeParameters) =>
	hintsFor(given, parameters).flatMap((message) => /will take (.*):/.exec(message)?.[1] ?? []);

const send = { resource: 'message', operation: 'send' };

const sendIn = (contactMessenger: string) => ({ ...send, contactMessenger });
const sendById = (messenger: string) => ({ ...send, recipient: 'externalId', messenger });
const toWhatsApp = { resource: 'message', operation: 'sendToWhatsApp' };
const tags = { resource: 'tag', operation: 'attach' };

test.each<[string, number, INodeParameters, string[]]>([
	['a broadcast of 59 messages', 59, send, []],
	['a broadcast of 60, whose messenger is not known,', 60, send, ['1 to 3 minutes']],
	['a broadcast of 300', 300, send, ['3 to 10 minutes']],
	['a broadcast of 300 in WhatsApp', 300, sendIn('whatsapp'), ['30 to 90 minutes']],
	['a broadcast of 300 in VK, which has no limit of its own,', 300, sendIn('vk'), ['1 to 3 minutes']],
	['60 messages by external ID in WhatsApp', 60, sendById('whatsapp'), ['10 to 30 minutes']],
	['300 messages to an unknown expression', 300, sendIn('={{ $json.m }}'), ['3 to 10 minutes']],
	['a broadcast to 3600 WhatsApp numbers', 3600, toWhatsApp, ['30 to 90 minutes']],
	['a run of 10,000 tags', 10_000, tags, ['30 to 90 minutes']],
	['a broadcast to 20,000 contacts in WhatsApp', 20_000, sendIn('whatsapp'), ['more than a day']],
	['a node without items yet', 0, send, []],
])('%s has the hint about the duration or none', (_name, count, parameters, expected) => {
	expect(spansFor(count, parameters)).toEqual(expected);
});

/** Items whose contacts use several messengers. */
const mixed = (counts: Record<string, number>): IDataObject[] =>
	Object.entries(counts).flatMap(([messenger, count]) =>
		Array.from({ length: count }, () => ({ messenger, contact: { мессенджер: messenger } })),
	);

describe('a run to several messengers takes as long as the slowest messenger, or as all together', () => {
	const byContact = sendIn('={{ $json.messenger }}');
	const mostlyVk = mixed({ vk: 570, whatsapp: 30 });
	const spelled = mixed({ 'ВК ': 570, WhatsApp: 20, 'Whats App': 10 });
	const unknown = mixed({ telegram: 60, '': 60, Одноклассники: 60 });
	const nowhere = sendIn('={{ $json.nowhere.at.all }}');
	const trimmed = sendIn('={{ $json.messenger.trim() }}');

	test.each<[string, IDataObject[], INodeParameters, string]>([
		['570 to VK and 30 to WhatsApp', mostlyVk, byContact, '3 to 10 minutes'],
		['the same by ID', mostlyVk, sendById('={{ $json.messenger }}'), '3 to 10 minutes'],
		['deep within the items', mostlyVk, sendIn('={{ $json.contact.мессенджер }}'), '3 to 10 minutes'],
		['by a name in brackets', mostlyVk, sendIn("={{$json['messenger']}}"), '3 to 10 minutes'],
		['the same with other names', spelled, byContact, '3 to 10 minutes'],
		['60 to VK and 120 to WhatsApp', mixed({ vk: 60, whatsapp: 120 }), byContact, '10 to 30 minutes'],
		['60 to Telegram and 120 whose messenger is not known', unknown, byContact, '3 to 10 minutes'],
		['100 to Telegram and Viber each', mixed({ telegram: 100, viber: 100 }), byContact, '1 to 3 minutes'],
		['items without the field', mixed({ whatsapp: 60 }), nowhere, '1 to 3 minutes'],
		['more than a field, known for the first item', mostlyVk, trimmed, '3 to 10 minutes'],
	])('%s', (_name, items, parameters, expected) => {
		expect(spansFor(items, parameters)).toEqual([expected]);
	});
});

test.each([1, 2, 10, 20])(
	'the estimate uses a sample of many items, also when the messenger changes after every %i items',
	(length) => {
		const items = Array.from({ length: 20_000 }, (_, index) => ({
			messenger: Math.floor(index / length) % 2 ? 'whatsapp' : 'vk',
		}));
		const parameters = sendIn('={{ $json.messenger }}');
		// 10,000 to WhatsApp take 27.8 hours, 9,000 would take 25.
		expect(spansFor(items, parameters)).toEqual(['more than a day']);
		expect(spansFor(items.slice(0, 16_000), parameters)).toEqual(['5 to 24 hours']);
	},
);

test('each number of messages from 60 on has exactly one hint about the duration', () => {
	for (let count = 60; count < 200_000; count = Math.ceil(count * 1.4)) {
		expect([count, spansFor(count, send).length]).toEqual([count, 1]);
	}
});

const protectedBy = (sendOncePer: string) => ({ ...send, options: { sendOncePer } });

test.each<[string, number, INodeParameters, boolean]>([
	['of 299 messages', 299, send, false],
	['of 300 messages', 300, send, true],
	['of 300 messages to WhatsApp numbers', 300, toWhatsApp, true],
	['with an empty value', 300, protectedBy(''), true],
	['with a value', 300, protectedBy('осенняя распродажа'), false],
	['with an expression', 300, protectedBy("={{ 'осень' }}"), false],
	['of tags', 10_000, tags, false],
	['of tags, with a message in the parameters that are hidden', 300, { ...send, resource: 'tag' }, false],
])('a run %s has the hint about continuing or none', (_name, count, parameters, expected) => {
	expect(hintsFor(count, parameters).includes(sendOncePerHint.message)).toBe(expected);
});

const ask = { resource: 'message', operation: 'sendAndWait' };

test.each<[string, number, INodeParameters, boolean]>([
	['no items', 0, ask, false],
	['one item', 1, ask, false],
	['two items', 2, ask, true],
	['10,000 items', 10_000, ask, true],
	['several messages without a question', 2, send, false],
	['tags, with a question in the parameters that are hidden,', 2, { ...ask, resource: 'tag' }, false],
])('for a question, %s have the hint about Loop Over Items or none, and no other hint', (...row) => {
	const [, count, parameters, expected] = row;
	expect(hintsFor(count, parameters)).toEqual(expected ? [oneItemHint.message] : []);
});

/* What n8n's AI that builds workflows reads: where a wrong choice sends messages twice, or faster than the service allows. */

interface Entry {
	displayName?: string;
	name?: string;
	value?: unknown;
	builderHint?: { propertyHint: string };
	options?: Entry[];
	values?: Entry[];
}

const entriesIn = (entries: Entry[] = []): Entry[] =>
	entries.flatMap((entry) => [entry, ...entriesIn(entry.options), ...entriesIn(entry.values)]);

const entries = entriesIn(description.properties as Entry[]);
const hinted = entries.filter(({ builderHint }) => builderHint);

test('it is told how to send once, how to keep the limit of WhatsApp, and which operation writes to a number', () => {
	expect(hinted.map(({ name, value }) => value ?? name)).toEqual([
		'sendToWhatsApp',
		'contactMessenger',
		'sendOncePer',
	]);
});

test('the choices that it is told exist', () => {
	const choices = entries.map(({ value }) => value);
	const told = hinted
		.filter(({ name }) => name !== 'sendOncePer')
		.flatMap(({ builderHint }) =>
			[...builderHint!.propertyHint.matchAll(/'(\w+)'/g)].map(([, word]) => word),
		);
	expect(told).toEqual(expect.arrayContaining(['whatsapp', 'send']));
	expect(told.filter((word) => !choices.includes(word))).toEqual([]);
});

test('it finds the node by the name of each service, and the option that it needs for broadcasts', () => {
	const { searchHint } = description.builderHint;
	for (const { name } of services) expect(searchHint).toContain(name);
	const [option] = entries.filter(({ name }) => name === 'sendOncePer');
	expect(searchHint).toContain(option!.displayName);
});
