import { emptyField, lostPart } from '../../nodes/ChatbotService/run/values/valueProblems';
import { SEEDED } from '../../sandbox/emulator';
import { VALUE, type Refused } from './refused';

/* Messages: their options, the person who tries a run, and the hours. */

const [send, toWhatsApp] = ['message/send', 'message/sendToWhatsApp'] as const;
const { telegram } = SEEDED.contacts;

const options = (name: string) => (value: unknown) => ({ options: { [name]: value } });

/** @param values the others of the option */
const tester =
	(name: string, values: object = {}) =>
	(value: unknown) =>
		options('testRun')({ values: { ...values, [name]: value } });

/** @param value of the other end */
const hours = (name: string, value: object) => (time: unknown) =>
	options('sendingHours')({ values: { ...value, [name]: time } });

const newInEachRun = [
	...['={{ $now }}', '=осень {{ $now.toISO() }}', "=осень {{ $now.toFormat('yyyy-MM-dd HH:mm') }}"],
	...['=осень {{ new Date() }}', '={{ new Date( ).toISOString() }}', '=осень {{ Date() }}'],
	...['={{ $workflow.id }} {{ $now.toFormat("ss") }}', '=осень {{ $execution.resumeUrl }}'],
	...['=осень {{ $execution.id }}', '=осень {{ $execution["id"].slice(-3) }}'],
];

/* Otherwise the first order of a person would be sent, and all later ones would be skipped as if they had been sent. */
const withoutItsPart = [
	...['=order {{ $json.ordr }}', '=A-1 {{ $json.ordr }} {{ "A-1" }}', '=order {{ $json.order.missing.id }}'],
	...['=order {{ " " }}', '=order {{ "\u00a0" }}', '=order {{ "\u200b" }}', '=order {{ null }}'],
	...["={{ 'order ' + $json.ordr }}", "={{ 'order ' + null }}"],
];

const once = options('sendOncePer');

const sendOncePer: Refused[] = [
	[send, once, newInEachRun, "'Send Once Per' is new in every run"],
	[send, once, withoutItsPart, lostPart('Send Once Per', []).message],
	[send, once, ['order {{ $json.order }}'], "'Send Once Per' holds an expression"],
	[send, once(`=order ${VALUE.slice(1)}`), [Number('7615917337495251231')], "'Send Once Per'"],
];

const aTime = (end: string) => `'Sending Hours: ${end}' must be a time of day`;
const zone = hours('timeZone', { from: '09:00', until: '21:00' });
const aZone = "'Sending Hours: Time Zone' must be a time zone";
const [from, until] = [hours('from', { until: '21:00' }), hours('until', { from: '09:00' })];

const sendingHours: Refused[] = [
	[send, options('sendingHours'), ['', null], "'Sending Hours"],
	[send, from, ['25:00', '={{ $now }}', 'утром'], aTime('From')],
	[send, until, ['22.00'], aTime('Until')],
	[send, from, ['={{ $json.nothing }}'], emptyField('Sending Hours: From').message],
	[
		send,
		zone,
		['Владивосток', '10', 7, 'UTC+15', '+15', '-13:00', 'МСК+12', '+100', '+5.5', 'Europe/Moskow', 'local'],
		aZone,
	],
	[send, zone, ['={{ $json.nothing }}', '=', '={{ " " }}'], emptyField('Sending Hours: Time Zone').message],
	[send, zone, ['=UTC{{ $json.nothing }}'], lostPart('Sending Hours: Time Zone', []).message],
	[send, zone, ["={{ 'UTC+' + $json.nothing }}", "={{ $fromAI('zone') }}"], "'Sending Hours"],
	[toWhatsApp, zone, ['завтра'], aZone],
	[send, until, ['9:00', '09:00:00'], "'Sending Hours' begin and end at the same time"],
];

const [contact, messages] = [tester('contactId'), tester('messages', { contactId: telegram })];
const [reads, recipient] = ["'Test Run: Contact ID' comes from the item", 'is a recipient of the run'];
const readingTheItem = [
	...['={{ $json.value }}', "={{ $json['value'] }}", '={{ Number($json.value) }}'],
	...['={{ $data.value }}', '={{ $input.item.json.value }}', '={{ $node["Start"].json.value }}'],
	...["={{ $('Start').item.json.value }}", "={{ $('Start').all()[$itemIndex].json.value }}"],
	...["={{ $('Start').itemMatching(0).json.value }}"],
];

/** The tester is one of the recipients, whose IDs are in the field `value`. */
const isRecipient = (contactId: string) => ({ contactId: VALUE, ...contact(contactId) });
const isWhatsApp = { phone: VALUE, ...tester('phone')("={{ $('Start').first().json.value }}") };

const testRun: Refused[] = [
	[send, options('testRun'), ['', null], "'Test Run"],
	[send, contact, ['Анна'], "'Test Run: Contact ID' must be a whole number"],
	[send, contact, ['  ', '=', '={{ $json.nobody }}'], emptyField('Test Run: Contact ID').message],
	...readingTheItem.map((code): Refused => [send, contact(code), [telegram], reads]),
	[send, contact, ["={{ $fromAI('me') }}"], "'Test Run' must not come from a model"],
	[send, isRecipient("={{ $('Start').first().json.value }}"), [telegram, telegram], recipient],
	[send, isRecipient("={{ $('Start').all()[0].json.value + '.0' }}"), [telegram], recipient],
	[toWhatsApp, isWhatsApp, ['+79990005050', '8 (999) 000-50-50'], recipient],
	[toWhatsApp, tester('phone'), ['123'], "'Test Run: Phone Number'"],
	[send, messages, [0, -1, 10_000, 'много'], "'Test Run: Messages' must be a whole number from 1 to 100"],
];

const most = options('mostRecipients');
const allowed = options('allowedRecipients');
const nobody = ['', '  ', ',', null, '={{ [] }}', '={{ [null] }}', '={{ undefined }}', '={{ $json.no.id }}'];
const unreadable = ["={{ $('Нет').item.json.id }}", '={{ [{ id: 1 }] }}', '{{ $json.id }}'];

const recipients: Refused[] = [
	[send, most, ['', 0, -5, 1.5, '={{ $json.no }}', "={{ $fromAI('most') }}"], "'Maximum Recipients'"],
	[send, allowed, nobody, "'Contact ID' is not among 'Allowed Recipients'"],
	[send, allowed, [...unreadable, "={{ $fromAI('list') }}"], "'Allowed Recipients' "],
];

export const messageCases: Refused[] = [...sendOncePer, ...sendingHours, ...testRun, ...recipients];
