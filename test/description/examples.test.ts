import {
	manyUnknown,
	nobodyFound,
	notAttempted,
	notFound,
	outsideHours,
	timedOut,
	tokenRefused,
	tooManyRequests,
	underMaintenance,
	unreachable,
} from '../../nodes/ChatbotService/client/failure/failure';
import type { Failure } from '../../nodes/ChatbotService/client/failure/failureBase';
import { phone } from '../../nodes/ChatbotService/resources/contact/filters';
import { messageLimits } from '../../nodes/ChatbotService/resources/message/limits';
import { contactMessengers } from '../../nodes/ChatbotService/resources/choices';
import form from '../../examples/broadcast-from-form.json';
import friday from '../../examples/broadcast-on-friday.json';
import segment from '../../examples/broadcast-to-segment.json';
import lead from '../../examples/lead-becomes-contact.json';
import russian from '../../docs/ru/examples/broadcast-from-form.json';
import russianFriday from '../../docs/ru/examples/broadcast-on-friday.json';
import russianSegment from '../../docs/ru/examples/broadcast-to-segment.json';
import { everyFailure } from '../../tools/failures';

/* Examples know limits and sentences of the node. */

interface Workflow {
	nodes: Array<{ name: string; parameters: object }>;
}

const parametersOf = ({ nodes }: Workflow, name: string) =>
	nodes.find((node) => node.name === name)!.parameters;

const codeOf = (workflow: Workflow, name: string) =>
	(parametersOf(workflow, name) as { jsCode: string }).jsCode;

const sending = 'Send the message';

/** For code that asks whether 'Test Run' is on. */
const withoutTestRun = { [sending]: { params: { options: {} } } };

/** What the code of a node makes of these items. */
function made<Row>(
	workflow: Workflow,
	name: string,
	items: object[],
	others: Record<string, object> = {},
): Row[] {
	const code = new Function('$input', '$', codeOf(workflow, name));
	const known: Record<string, object> = { ...withoutTestRun, ...others };
	const input = { all: () => items.map((json) => ({ json })) };
	return (code(input, (other: string) => known[other]) as Array<{ json: Row }>).map(({ json }) => json);
}

test('the page of the example knows each messenger by every name that the node knows, and how long its messages take', () => {
	for (const { value, aliases = [] } of contactMessengers) {
		const names = [value, ...aliases].flatMap((name) => [name, ` ${name.toUpperCase()} `]);
		const people = Array.from({ length: 1200 }, (_, index) => ({ messenger: names[index % names.length] }));
		const [limit] = Object.values(messageLimits(value));
		const secondsEach = limit ? limit.windowMs / limit.count / 1000 : 0.5;
		const minutes = (people.length * (0.5 + secondsEach)) / 60;
		const time = minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
		expect([value, timeFor(people)]).toEqual([value, time]);
	}
});

/** What the code of the example says about the time for these people. */
function timeFor(people: object[]): string {
	const items = people.map((person) => ({ ...person, reason: '' }));
	const [list] = made<{ time: string }>(form, 'The list', items, {
		'People of the list': { first: () => ({ json: { problem: '' } }) },
		'Who gets it': { all: () => items },
		'Contacts of the bot': { all: () => [{ json: { tags: [] } }] },
	});
	return list!.time;
}

test.each([
	['3,960', friday],
	['3960', russianFriday],
])(
	'the note says how many WhatsApp contacts get a message between ten and the end of the hours: %s',
	(figure, workflow) => {
		const { rule } = parametersOf(workflow, 'Friday and Saturday at ten') as {
			rule: { interval: Array<{ triggerAtHour: number }> };
		};
		const { options } = parametersOf(workflow, sending) as {
			options: { sendingHours: { values: { until: string } } };
		};
		const hours = Number.parseInt(options.sendingHours.values.until) - rule.interval[0]!.triggerAtHour;
		const perHour = ({ count, windowMs }: { count: number; windowMs: number }) =>
			(count * 3_600_000) / windowMs;
		const limitOf = (messenger: string) => perHour(Object.values(messageLimits(messenger))[0]!);
		expect(hours * limitOf('whatsapp')).toBe(Number(figure.replace(',', '')));
		expect(limitOf('telegram')).toBe(10 * limitOf('whatsapp'));
		expect(parametersOf(workflow, 'Schedule note')).toMatchObject({
			content: expect.stringContaining(figure),
		});
	},
);

const report = 'Report for the manager';
const person = { broadcast: 'Лето', name: 'Анна', phone: '', contact_id: '5001' };

const broadcasts = { form, friday, segment, russian, russianFriday, russianSegment };

test.each(Object.entries(broadcasts))(
	'the broadcast %s is imported with Test Run on, and nobody in it',
	(_, workflow) => {
		const testRun = { values: { contactId: '', messages: 1 } };
		expect(parametersOf(workflow, sending)).toMatchObject({ options: { testRun } });
	},
);

test.each(Object.entries(broadcasts))(
	'the broadcast %s, as imported, has no report to send',
	(_, workflow) => {
		const rows = ['not reached', 'unknown'].map((outcome) => ({ ...person, outcome, reason: '' }));
		const asImported = { [sending]: { params: parametersOf(workflow, sending) } };
		expect(made(workflow, report, rows, asImported)).toEqual([]);
	},
);

test('all broadcasts write the same report', () => {
	for (const other of [friday, segment]) expect(codeOf(other, report)).toBe(codeOf(form, report));
	for (const other of [russianFriday, russianSegment])
		expect(codeOf(other, report)).toBe(codeOf(russian, report));
});

const contactId = { label: 'Contact ID', whatItIs: 'contact with this ID' };
const tag = { label: 'Tag', whatItIs: 'tag with this name' };

test.each<[string, string, Failure]>([
	['the service has no such contact', 'в сервисе нет такого контакта', notFound(404, [contactId])],
	[
		'the service has no such contact or no such tag',
		'в сервисе нет такого контакта или такого тега',
		notFound(404, [contactId, tag]),
	],
	['the limit of the service lasted too long', 'лимит сервиса держался слишком долго', tooManyRequests(429)],
	['the service does not accept the token', 'сервис не принимает токен', tokenRefused(401)],
	[
		'not attempted: the service does not accept the token',
		'не отправляли: сервис не принимает токен',
		notAttempted(tokenRefused(401)),
	],
	[
		'not attempted: too many unknown outcomes in a row',
		'не отправляли: слишком много неизвестных исходов подряд',
		notAttempted(manyUnknown(20, timedOut())),
	],
	['the service is under maintenance', 'в сервисе технические работы', underMaintenance(503)],
	['the service cannot be reached', 'сервис недоступен', unreachable('There is no server at this address.')],
	[
		'outside of the sending hours, the next run tries again',
		'вне часов отправки, следующий запуск попробует ещё раз',
		notAttempted(outsideHours('09:00', '21:00', 'Europe/Moscow', 'Start the workflow again.')),
	],
])('the manager reads: %s; in Russian: %s', (english, inRussian, { message, description }) => {
	const row = { ...person, reason: `${message}. ${description}` };
	const [{ text }] = made<{ text: string }>(form, report, [{ ...row, outcome: 'not reached' }]) as [
		{ text: string },
	];
	expect(text).toBe(`Broadcast “Лето”: results of this run\nnot reached: 1\n\nАнна, ID 5001: ${english}`);
	const [other] = made<{ text: string }>(russian, report, [{ ...row, outcome: 'не отправлено' }]);
	expect(other!.text).toBe(`Рассылка «Лето»: итоги запуска\nне отправлено: 1\n\nАнна, ID 5001: ${inRussian}`);
});

test('the words of the service follow, and unknown reasons stay as they are', () => {
	const row = { ...person, phone: '7999', contact_id: '', outcome: 'not reached' };
	const reasons = [
		notFound(404, [contactId], 'Не "найден".'),
		{ message: 'Something new', description: 'Look.' },
	];
	const items = reasons.map(({ message, description }) => ({ ...row, reason: `${message}. ${description}` }));
	const [{ text }] = made<{ text: string }>(form, report, items) as [{ text: string }];
	expect(text.split('\n').slice(3)).toEqual([
		'Анна, 7999: the service has no such contact: Не "найден".',
		'Анна, 7999: Something new. Look.',
	]);
});

test('the manager reads of everyone, in as many messages as needed', () => {
	const people = Array.from({ length: 200 }, (_, index) => `Незнакомец № ${index + 1}`);
	const items = people.map((name) => ({
		...person,
		name,
		outcome: 'not reached',
		reason: 'no such contact',
	}));
	const messages = made<{ text: string }>(form, report, items).map(({ text }) => text.split('\n'));
	expect(messages.length).toBeGreaterThan(2);
	for (const [index, [first, ...others]] of messages.entries()) {
		expect(first).toBe(`${index + 1}/${messages.length}`);
		expect(others.join('\n').length).toBeLessThan(3990);
	}
	const [title, sum, gap, ...lines] = messages.flatMap(([, ...others]) => others);
	expect([title, sum, gap]).toEqual(['Broadcast “Лето”: results of this run', 'not reached: 200', '']);
	expect(lines).toEqual(people.map((name) => `${name}, ID 5001: no such contact`));
});

test.each<[string, object, string]>([
	['the tag', { tags: ['VIP', ' НЕ  писать'], variables: {} }, 'wants no broadcasts'],
	['the variable', { variables: { 'не писать': 'да' } }, 'wants no broadcasts'],
	['the variable without a value', { tags: [], variables: { 'Не писать': ' ', Город: null } }, ''],
	['neither', { tags: ['VIP'] }, ''],
])('the broadcast from a form leaves out contacts by %s', (_, marks, reason) => {
	const settings = { 'The bot': { first: () => ({ json: { opt_out: 'Не писать' } }) } };
	const contact = { id: 5001, messenger: 'telegram', ...marks };
	expect(made(form, 'By ID and phone', [contact], settings)).toMatchObject([{ contact_id: '5001', reason }]);
});

test.each<[object, string]>([
	[{}, 'neither tags nor variables'],
	[{ tags: [] }, ''],
	[{ variables: {} }, ''],
])('the broadcast from a form begins only if contacts say who wants no messages: %j', (contact, problem) => {
	const [list] = made<{ problem: string }>(form, 'The list', [{ reason: '' }], {
		'People of the list': { first: () => ({ json: { problem: '' } }) },
		'Who gets it': { all: () => [{}] },
		'Contacts of the bot': { all: () => [{ json: contact }] },
	});
	expect(list!.problem).toEqual(problem ? expect.stringContaining(problem) : '');
});

test('the contact of a lead is created after one failure only: nobody has the phone number', () => {
	const { conditions } = parametersOf(lead, 'Nobody found?') as Record<string, { conditions: object[] }>;
	const [{ rightValue, operator }] = conditions!.conditions as [Record<'rightValue' | 'operator', unknown>];
	expect(operator).toMatchObject({ operation: 'startsWith' });
	const creates = ({ message }: Failure) => message.startsWith(rightValue as string);
	const { nobodyFound: _nobody, ...others } = everyFailure;
	expect(creates(nobodyFound(phone.displayName, '79217001234', 8))).toBe(true);
	expect(Object.values(others).flat().filter(creates)).toEqual([]);
});
