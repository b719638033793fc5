import type { INodeParameters } from 'n8n-workflow';

import {
	noConditionsHint,
	oneItemHint,
	sendOncePerHint,
	tagsHint,
	testRunHint,
} from '../../nodes/ChatbotService/description/hints';
import { hintsOver } from './editor';

/* The hints of the editor before a run, evaluated as in the editor. */

const hintsFor = (count: number, parameters: INodeParameters) =>
	hintsOver(
		Array.from({ length: count }, () => ({})),
		parameters,
	);

/** The duration at the rate limit, in the words of the hints. */
const spansFor = (count: number, parameters: INodeParameters) =>
	hintsFor(count, parameters).flatMap((message) => /will take (?:about )?(.*),/.exec(message)?.[1] ?? []);

const send = { resource: 'message', operation: 'send' };
const sendIn = (contactMessenger: string) => ({ ...send, contactMessenger });
const sendById = (messenger: string) => ({ ...send, recipient: 'externalId', messenger });
const toWhatsApp = { resource: 'message', operation: 'sendToWhatsApp' };

const setMany = { resource: 'contactVariable', operation: 'upsertMany' };

const setting = (count: number, variablesInput = 'define'): INodeParameters => {
	const variable = Array.from({ length: count }, (_, index) => ({ name: `Вопрос ${index}`, value: 'да' }));
	const json = JSON.stringify(Object.fromEntries(variable.map(({ name, value }) => [name, value])));
	return variablesInput === 'json'
		? { ...setMany, variablesInput, variablesJson: json }
		: { ...setMany, variables: { variable } };
};

const notKnown = { ...setMany, variablesInput: 'json', variablesJson: '={{ $json.answers }}' };

test.each<[string, number, INodeParameters, string[]]>([
	['a broadcast of 59 messages', 59, send, []],
	['a broadcast of 60, whose messenger is not known,', 60, send, ['1 to 3 minutes']],
	['a broadcast of 300 in WhatsApp', 300, sendIn('whatsapp'), ['30 to 90 minutes']],
	['300 messages to WhatsApp numbers', 300, toWhatsApp, ['3 to 10 minutes']],
	['60 messages by external ID in WhatsApp', 60, sendById('whatsapp'), ['10 to 30 minutes']],
	['a broadcast to 20,000 contacts in WhatsApp', 20_000, sendIn('whatsapp'), ['more than a day']],
	[
		'200 list items to look for and to save',
		200,
		{ resource: 'listItem', operation: 'upsert' },
		['3 to 10 minutes'],
	],
	['200 contacts to save', 200, { resource: 'contact', operation: 'upsert' }, ['1 to 3 minutes']],
	['200 contacts with five variables', 200, setting(5), ['3 to 10 minutes']],
	['200 contacts with five variables in JSON', 200, setting(5, 'json'), ['3 to 10 minutes']],
	['200 contacts with variables that are not known yet', 200, notKnown, ['1 to 3 minutes']],
	['a messenger that is not known before the run', 300, sendIn("={{ 'vk' }}"), ['30 to 90 minutes']],
])('%s has the hint about the duration or none', (_name, count, parameters, expected) => {
	expect(spansFor(count, parameters)).toEqual(expected);
});

test('each number of messages from 60 on has exactly one hint about the duration', () => {
	for (let count = 60; count < 200_000; count = Math.ceil(count * 1.4))
		expect([count, spansFor(count, send).length]).toEqual([count, 1]);
});

const inHours = {
	...sendIn('whatsapp'),
	options: { sendingHours: { values: { from: '09:00', until: '21:00' } } },
};

const protectedBy = (sendOncePer: string) => ({ ...send, options: { sendOncePer } });

test.each<[string, number, INodeParameters, boolean]>([
	['of 299 messages', 299, send, false],
	['of 300 messages', 300, send, true],
	['with an expression', 300, protectedBy("={{ 'осень' }}"), false],
	['with an empty option', 300, protectedBy(''), true],
	['of a few messages, which may take until the next day', 5, inHours, true],
	['of tags, with a message in the parameters that are hidden', 300, { ...send, resource: 'tag' }, false],
])('a run %s has the hint about continuing or none', (_name, count, parameters, expected) => {
	expect(hintsFor(count, parameters).includes(sendOncePerHint.message)).toBe(expected);
});

test.each([send, toWhatsApp])(
	'a test run has its own hint in place of that about the duration: %j',
	(parameters) => {
		const options = { sendOncePer: 'осень', testRun: { values: { messages: 1 } } };
		expect(hintsFor(5000, { ...parameters, options })).toEqual([testRunHint.message]);
		expect(hintsFor(5, parameters)).toEqual([]);
	},
);

const contacts = { resource: 'contact', operation: 'getAll' };

test('contacts that are looked up together have no hint about the duration of each', () => {
	const parameters = {
		resource: 'contact',
		operation: 'get',
		findBy: 'phone',
		findValue: '={{ $json.phone }}',
	};
	expect(hintsFor(5000, parameters)).toEqual([]);
	expect(hintsFor(5000, { ...parameters, include: ['tags'] })).toEqual([tagsHint.message]);
});

test.each<[string, INodeParameters, boolean]>([
	['a tag to leave out', { filters: { hasNoTags: 'Не писать' } }, true],
	['a tag from an expression', { filters: { hasAnyTag: '={{ $json.tag }}' } }, true],
	['tags in the output', { include: ['variables', 'tags'] }, true],
	['an expression for what the output contains', { include: "={{ 'tags' }}" }, true],
	['variables', { include: ['variables'], filters: { variables: { conditions: [{ name: 'x' }] } } }, false],
	['a phone number', { filters: { phone: '={{ $json.phone }}' } }, false],
	['no filter', {}, false],
])('a search of contacts by %s has the hint about tags or none, and no other', (_name, more, expected) => {
	for (const count of [1, 5000])
		expect(hintsFor(count, { ...contacts, ...more })).toEqual(expected ? [tagsHint.message] : []);
});

test.each<[string, INodeParameters, boolean]>([
	['without conditions', { variables: {} }, true],
	['whose last condition was removed', { variables: { conditions: [] } }, true],
	['with a condition', { variables: { conditions: [{ name: 'Город' }] } }, false],
])('a filter by variables %s has the hint that n8n leaves it out or none', (_name, filters, expected) => {
	expect(hintsFor(1, { ...contacts, filters })).toEqual(expected ? [noConditionsHint.message] : []);
});

const ask = { resource: 'message', operation: 'sendAndWait' };

test.each<[string, number, INodeParameters, boolean]>([
	['one item', 1, ask, false],
	['two items', 2, ask, true],
	['several messages without a question', 2, send, false],
])('for a question, %s have the hint about Loop Over Items or none, and no other hint', (...row) => {
	const [, count, parameters, expected] = row;
	expect(hintsFor(count, parameters)).toEqual(expected ? [oneItemHint.message] : []);
});
