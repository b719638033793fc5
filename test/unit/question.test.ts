import type { INodeExecutionData } from 'n8n-workflow';

import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { findOperation } from '../../nodes/ChatbotService/resources';
import type { Question } from '../../nodes/ChatbotService/resources/question';
import type { Asked } from '../../nodes/ChatbotService/response/asked';
import type { Kept } from '../../nodes/ChatbotService/run/ledger/execution';
import { hintOfLink } from '../../nodes/ChatbotService/run/output';
import type { RunContext } from '../../nodes/ChatbotService/run/prepare';
import { cannotAsk, openQuestion, type Asker } from '../../nodes/ChatbotService/run/question';
import { run } from '../../nodes/ChatbotService/run/run';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import { cannotWait, severalQuestions, unanswerable } from '../../nodes/ChatbotService/run/values/problems';
import { Reader } from '../../nodes/ChatbotService/run/values/reading';
import { evaluate } from './expression';
import { FakeEntries } from './fakeEntries';
import { FakeN8n } from './fakeN8n';
import { hostile } from './hostile';
import { broken, contextFor, ok, refused } from './runs';
import { faultsOf } from './sentences';
import { inTime } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

type Given = Record<string, unknown>;

const operation = findOperation('message', 'sendAndWait')!;
const label = operation.option.name;

const given: Given = {
	...{ resource: 'message', operation: 'sendAndWait' },
	...{ recipient: 'contact', contactId: 5, contactMessenger: 'vk' },
	message: 'Дать скидку?',
	responseType: 'approval',
};

const now = Date.parse('2030-06-01T12:00:00Z');
const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(now));

/** What is checked of an item with these parameters. */
function check(parameters: Given, item: unknown = {}, of = operation) {
	const raw = { ...given, ...parameters };
	const checking = new Check(of, raw);
	const reader = new Reader(new FakeN8n(raw, [item]), checking.paths, checking.locators);
	return checking.of(reader.valuesOf(0));
}

function checked(...item: Parameters<typeof check>): CheckedValues {
	const values = check(...item);
	if ('problems' in values) throw new Error(values.problems.map(({ message }) => message).join('; '));
	return values;
}

const questionOf = (parameters: Given): Question => checked(parameters).question!;

const link = 'https://n8n.example.com/webhook-waiting/7?question=1&signature=2';

const items: INodeExecutionData[] = [{ json: { клиент: 'Анна' } }];

/** The output of the node while the execution waits: the input, linked to itself. */
const waitingOutput = [{ ...items[0], pairedItem: { item: 0 } }];

function askerFor(timezone = 'Europe/Moscow') {
	const keep = jest.fn((_asked: Asked) => link);
	const wait = jest.fn(async (_until: Date) => {});
	return { timezone, items, keep, wait } satisfies Asker;
}

/** What is wrong with the values of an item or with its question; empty if nothing is. */
function problemsWith(parameters: Given, item?: unknown): Problem[] {
	const values = check(parameters, item);
	if ('problems' in values) return values.problems;
	const asker = askerFor();
	const question = openQuestion(values, operation, asker);
	if (!('problems' in question)) return [];
	// Otherwise an earlier question would lose its answer.
	expect(asker.keep).not.toHaveBeenCalled();
	return question.problems;
}

const messagesFor = (parameters: Given, item?: unknown) =>
	problemsWith(parameters, item).map(({ message }) => message);

const faultsIn = ({ message, advice }: Problem) => faultsOf({ message, description: advice });

/** The moment until which an execution waits for an answer. */
function deadlineOf(parameters: Given, item?: unknown, timezone?: string): Date {
	const question = openQuestion(checked(parameters, item), operation, askerFor(timezone));
	if ('problems' in question) throw new Error(question.problems[0]!.message);
	return question.deadline();
}

const limited = (values: Given): Given => ({ options: { limitWaitTime: { values } } });

const after = (resumeAmount: unknown, resumeUnit: unknown = 'minutes') =>
	limited({ limitType: 'afterTimeInterval', resumeAmount, resumeUnit });

const at = (maxDateAndTime: unknown) => limited({ limitType: 'atSpecifiedTime', maxDateAndTime });

/** The same with an expression, which can return other values than texts. */
const atExpression = at('={{ $json.date }}');

const approvalWith = (values: Given): Given => ({ approvalOptions: { values } });

test('the parameters have the names, defaults and conditions of n8n', () => {
	const words = expect.stringMatching(/^[A-Z].*\w\.?$/);
	const example = expect.stringMatching(/^e\.g\. \S/);
	const choice = (name: string, value: string) => ({ name, value });
	const collection = { type: 'fixedCollection', description: words };
	const choices = { type: 'options', noDataExpression: true, description: words };
	const text = { type: 'string', description: words, placeholder: example };
	const approvalType = {
		...{ displayName: 'Type of Approval', name: 'approvalType', default: 'single', ...choices },
		options: [choice('Approve Only', 'single'), choice('Approve and Disapprove', 'double')],
	};
	const approveLabel = {
		displayName: 'Approve Button Label',
		name: 'approveLabel',
		default: 'Approve',
		...text,
	};
	const disapproveLabel = {
		...{ displayName: 'Disapprove Button Label', name: 'disapproveLabel', default: 'Decline', ...text },
		displayOptions: { show: { approvalType: ['double'] } },
	};
	const approvalOptions = {
		...{ displayName: 'Approval Options', name: 'approvalOptions', default: {}, ...collection },
		...{ placeholder: 'Add option', displayOptions: { show: { responseType: ['approval'] } } },
		options: [
			{ displayName: 'Values', name: 'values', values: [approvalType, approveLabel, disapproveLabel] },
		],
	};
	const responseType = {
		...{ displayName: 'Response Type', name: 'responseType', default: 'approval', ...choices },
		options: [
			{ ...choice('Approval', 'approval'), description: words },
			{ ...choice('Free Text', 'freeText'), description: words },
		],
	};
	const limitType = {
		...{ displayName: 'Limit Type', name: 'limitType', default: 'afterTimeInterval', ...choices },
		options: [
			{ ...choice('After Time Interval', 'afterTimeInterval'), description: words },
			{ ...choice('At Specified Time', 'atSpecifiedTime'), description: words },
		],
	};
	const afterInterval = { displayOptions: { show: { limitType: ['afterTimeInterval'] } } };
	const resumeAmount = {
		...{ displayName: 'Amount', name: 'resumeAmount', type: 'number', default: 1, description: words },
		...{ typeOptions: { minValue: 0, numberPrecision: 2 }, ...afterInterval },
	};
	const resumeUnit = {
		...{ displayName: 'Unit', name: 'resumeUnit', type: 'options', default: 'hours', description: words },
		options: [choice('Days', 'days'), choice('Hours', 'hours'), choice('Minutes', 'minutes')],
		...afterInterval,
	};
	const maxDateAndTime = {
		...{ displayName: 'Max Date and Time', name: 'maxDateAndTime', type: 'dateTime', default: '' },
		...{ description: words, displayOptions: { show: { limitType: ['atSpecifiedTime'] } } },
	};
	const limitWaitTime = {
		...{ displayName: 'Limit Wait Time', name: 'limitWaitTime', ...collection },
		default: { values: { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' } },
		options: [
			{
				...{ displayName: 'Values', name: 'values' },
				values: [limitType, resumeAmount, resumeUnit, maxDateAndTime],
			},
		],
	};
	const ofPage = [
		{
			displayName: 'Response Form Button Label',
			name: 'responseFormButtonLabel',
			default: 'Submit',
			...text,
		},
		{ displayName: 'Response Form Description', name: 'responseFormDescription', default: '', ...text },
		{ displayName: 'Response Form Title', name: 'responseFormTitle', default: '', ...text },
	];
	const options = {
		...{ displayName: 'Options', name: 'options', type: 'collection', default: {} },
		...{ placeholder: 'Add option', options: [limitWaitTime, ...ofPage] },
	};
	const message = { displayName: 'Message', name: 'message', default: '', required: true, ...text };
	expect(operation.fields.slice(-4)).toMatchObject([message, responseType, approvalOptions, options]);
	expect(operation.option).toMatchObject({
		...{ name: 'Send and Wait for Response', action: 'Send message and wait for response' },
		...{ description: words, routing: { request: { method: 'POST', url: '/sendMessage' } } },
	});
});

describe('what a person is asked', () => {
	test.each<[string, Given, Partial<Question>]>([
		['by default', {}, { form: { type: 'approval', approve: 'Approve', decline: undefined } }],
		[
			'without a choice of the answer',
			{ approvalOptions: {}, options: {} },
			{ form: { type: 'approval', approve: 'Approve', decline: undefined } },
		],
		[
			'with one button',
			approvalWith({ approvalType: 'single', approveLabel: ' Дать ' }),
			{ form: { type: 'approval', approve: 'Дать', decline: undefined } },
		],
		[
			'with two buttons',
			approvalWith({ approvalType: 'double', approveLabel: 'Дать', disapproveLabel: '\nОтказать' }),
			{ form: { type: 'approval', approve: 'Дать', decline: 'Отказать' } },
		],
		[
			'with two buttons without labels',
			approvalWith({ approvalType: 'double' }),
			{ form: { type: 'approval', approve: 'Approve', decline: 'Decline' } },
		],
		[
			'with labels that are empty',
			approvalWith({ approvalType: 'double', approveLabel: '', disapproveLabel: ' ' }),
			{ form: { type: 'approval', approve: 'Approve', decline: 'Decline' } },
		],
		[
			'with labels that are numbers',
			approvalWith({ approvalType: 'double', approveLabel: 1, disapproveLabel: 0 }),
			{ form: { type: 'approval', approve: '1', decline: '0' } },
		],
		['for a text', { responseType: 'freeText' }, { form: { type: 'freeText', submit: 'Submit' } }],
		[
			'for a text with its own button label',
			{ responseType: 'freeText', options: { responseFormButtonLabel: ' Отправить ' } },
			{ form: { type: 'freeText', submit: 'Отправить' } },
		],
		[
			'for a text with an empty label',
			{ responseType: 'freeText', options: { responseFormButtonLabel: '' } },
			{ form: { type: 'freeText', submit: 'Submit' } },
		],
		[
			'with a heading and a description',
			{ options: { responseFormTitle: ' Скидка ', responseFormDescription: 'Анна\nждёт.\n' } },
			{ title: 'Скидка', description: 'Анна\nждёт.' },
		],
		[
			'with an empty heading and description',
			{ options: { responseFormTitle: ' ', responseFormDescription: null } },
			{ title: '', description: '' },
		],
	])('%s', (_, parameters, expected) => {
		expect(questionOf(parameters)).toEqual({
			title: '',
			description: '',
			form: expect.anything(),
			waitLimit: undefined,
			...expected,
		});
	});

	test('is read for each item', () => {
		const values = checked(
			{
				message: '=Скидка для {{ $json.имя }}?',
				...approvalWith({ approveLabel: '=Да, {{ $json.имя }}' }),
				options: { responseFormTitle: '={{ $json.имя }}' },
			},
			{ имя: 'Анна' },
		);
		expect(values.parameters).toContainEqual({ name: 'text', place: 'query', value: 'Скидка для Анна?' });
		expect(values.question).toMatchObject({ title: 'Анна', form: { approve: 'Да, Анна' } });
	});

	test.each<[string, Given, string[]]>([
		['an empty message', { message: ' ' }, ["'Message' is empty"]],
		[
			'a type of answer that does not exist',
			{ responseType: 'form' },
			["'Response Type' must be one of approval, freeText"],
		],
		[
			'a type of approval that does not exist',
			approvalWith({ approvalType: 'triple' }),
			["'Type of Approval' must be one of single, double"],
		],
		[
			'labels that are objects',
			approvalWith({ approvalType: 'double', approveLabel: { a: 1 }, disapproveLabel: '[object Object]' }),
			["'Approve Button Label' must be text", "'Disapprove Button Label' contains an object instead of text"],
		],
		[
			'texts of the page that are lists',
			{
				responseType: 'freeText',
				options: {
					responseFormTitle: ['а'],
					responseFormDescription: ['а'],
					responseFormButtonLabel: ['а'],
				},
			},
			[
				"'Response Form Title' must be text",
				"'Response Form Description' must be text",
				"'Response Form Button Label' must be text",
			],
		],
	])('is refused with %s', (_, parameters, expected) => {
		expect(messagesFor(parameters)).toEqual(expected);
	});

	test.each<[string, Given]>([
		[
			'the label of the second button of one',
			approvalWith({ approvalType: 'single', disapproveLabel: { a: 1 } }),
		],
		['the button of a text if a button is pressed', { options: { responseFormButtonLabel: { a: 1 } } }],
		[
			'the buttons if a text is written',
			{
				responseType: 'freeText',
				...approvalWith({ approvalType: 'triple', approveLabel: { a: 1 }, disapproveLabel: { a: 1 } }),
			},
		],
		[
			'an amount at a time',
			limited({
				limitType: 'atSpecifiedTime',
				maxDateAndTime: '2030-06-02',
				resumeAmount: -1,
				resumeUnit: 'веков',
			}),
		],
		[
			'a time after an amount',
			limited({ limitType: 'afterTimeInterval', resumeAmount: 5, maxDateAndTime: 'вчера' }),
		],
	])('may have a wrong value that is not used: %s', (_, parameters) => {
		expect(messagesFor(parameters)).toEqual([]);
	});
});

describe('Limit Wait Time', () => {
	test.each<[string, Given]>([
		['without options', {}],
		['if it is not added', { options: {} }],
		['if it has no values', { options: { limitWaitTime: {} } }],
	])('does not apply %s: the execution waits until the year 3000', (_, parameters) => {
		expect(questionOf(parameters).waitLimit).toBeUndefined();
		expect(deadlineOf(parameters)).toEqual(new Date('3000-01-01T00:00:00Z'));
	});

	test.each<[unknown, unknown, number]>([
		[1, 'minutes', minute],
		[1, 'hours', hour],
		[1, 'days', day],
		[45, 'minutes', 45 * minute],
		['2,5', 'hours', 2.5 * hour],
		[' 2.5 ', 'Hours', 2.5 * hour],
		['3', ' DAYS ', 3 * day],
		[0.01, 'minutes', 600],
		[0.000_000_001, 'minutes', 0],
		[300_000, 'days', 300_000 * day],
	])('of %j %s ends after this time', (amount, unit, expected) => {
		expect(problemsWith(after(amount, unit))).toEqual([]);
		expect(deadlineOf(after(amount, unit)).getTime() - now).toBe(expected);
	});

	// n8n does not store a value that equals its default.
	test.each<[Given, number]>([
		[{}, hour],
		[{ resumeAmount: 45 }, 45 * hour],
		[{ resumeUnit: 'minutes' }, minute],
		[{ limitType: 'afterTimeInterval', resumeUnit: 'days' }, day],
	])('has its defaults if n8n has stored %j', (values, expected) => {
		expect(deadlineOf(limited(values)).getTime() - now).toBe(expected);
	});

	test.each([0, -1, '0', '-1', 'скоро', '1e3', NaN, Infinity, true, [5], { amount: 5 }])(
		'does not take the amount %p',
		(amount) => {
			const [problem, ...others] = problemsWith(after(amount));
			expect(others).toEqual([]);
			expect(problem!.message).toBe("'Amount' must be a number greater than 0");
			expect(problem!.advice).toMatch(
				/^Enter how long to wait, for example 45, or remove 'Limit Wait Time' to wait without a limit\. Received: "/,
			);
			if (!Number.isNaN(amount)) expect(faultsIn(problem!)).toEqual([]);
		},
	);

	test.each(['', ' ', null])('does not accept the amount %j', (amount) => {
		expect(messagesFor(after(amount))).toEqual(["'Amount' is empty"]);
	});

	test.each<[Given, string[]]>([
		[after(5, 'weeks'), ["'Unit' must be one of days, hours, minutes"]],
		[after(5, ''), ["'Unit' is empty"]],
		[after(0, 'constructor'), ["'Unit' must be one of", "'Amount' must be a number"]],
		[limited({ limitType: 'never' }), ["'Limit Type' must be one of afterTimeInterval, atSpecifiedTime"]],
		[limited({ limitType: '' }), ["'Limit Type' is empty"]],
	])('does not accept %j', (parameters, expected) => {
		expect(messagesFor(parameters)).toEqual(expected.map((start) => expect.stringContaining(start)));
	});

	test.each<[number, string]>([
		[400_000, 'days'],
		[1e12, 'days'],
		[1e300, 'minutes'],
		[Number.MAX_VALUE, 'hours'],
	])('of %d %s is too long', (amount, unit) => {
		const problems = problemsWith(after(amount, unit));
		expect(problems).toEqual([
			{
				message: "'Amount' is too far in the future",
				advice:
					"Choose an earlier time or a smaller amount, or remove 'Limit Wait Time' to wait without a limit.",
			},
		]);
		expect(faultsIn(problems[0]!)).toEqual([]);
	});

	test('begins when the message is accepted', () => {
		const question = openQuestion(checked(after(1, 'hours')), operation, askerFor());
		if ('problems' in question) throw new Error();
		jest.spyOn(Date, 'now').mockReturnValue(now + 5 * minute);
		expect(question.deadline()).toEqual(new Date(now + 5 * minute + hour));
	});

	const inN8n = (code: string) => evaluate(`={{ ${code} }}`);

	test.each<[string, unknown, string, string]>([
		['of the editor', '2030-06-02T15:30:00', 'Europe/Moscow', '2030-06-02T12:30:00Z'],
		['of the editor', '2030-06-02T15:30:00', 'Asia/Vladivostok', '2030-06-02T05:30:00Z'],
		['of the editor', '2030-06-02T15:30:00', 'UTC', '2030-06-02T15:30:00Z'],
		['with blanks around it', ' 2030-06-02T15:30 \n', 'Europe/Moscow', '2030-06-02T12:30:00Z'],
		['without an hour', '2030-06-02', 'Europe/Moscow', '2030-06-01T21:00:00Z'],
		['of a database', '2030-06-02 15:30:00', 'Europe/Moscow', '2030-06-02T12:30:00Z'],
		['with a zone', '2030-06-02T15:30:00+05:00', 'Europe/Moscow', '2030-06-02T10:30:00Z'],
		['in UTC', '2030-06-02T15:30:00.000Z', 'Europe/Moscow', '2030-06-02T15:30:00Z'],
		['of a letter', 'Sun, 02 Jun 2030 15:30:00 +0300', 'UTC', '2030-06-02T12:30:00Z'],
		['in milliseconds', Date.parse('2030-06-02T15:30:00Z'), 'Europe/Moscow', '2030-06-02T15:30:00Z'],
		['of JavaScript', new Date('2030-06-02T15:30:00Z'), 'Europe/Moscow', '2030-06-02T15:30:00Z'],
		[
			'of an expression',
			inN8n("DateTime.fromISO('2030-06-02T15:30:00', { zone: 'Asia/Tokyo' })"),
			'Europe/Moscow',
			'2030-06-02T06:30:00Z',
		],
		['one millisecond later', now + 1, 'Europe/Moscow', '2030-06-01T12:00:00.001Z'],
		['at the end of the calendar', '3000-01-01T00:00:00Z', 'UTC', '3000-01-01T00:00:00Z'],
	])('ends at a date %s: %s in %s', (_, date, timezone, expected) => {
		expect(problemsWith(atExpression, { date })).toEqual([]);
		expect(deadlineOf(atExpression, { date }, timezone)).toEqual(new Date(expected));
	});

	test.each<[unknown, string]>([
		['2030-06-01T12:00:00Z', '2030-06-01T12:00:00Z'],
		['2030-06-01T14:59:59', '2030-06-01T14:59:59'],
		[' 2029-01-01 ', '2029-01-01'],
		[now, '2030-06-01T12:00:00.000Z'],
		[0, '1970-01-01T00:00:00.000Z'],
		// Seconds.
		[1_900_000_000, '1970-01-22T23:46:40.000Z'],
		[new Date('2030-01-01'), '2030-01-01T00:00:00.000Z'],
	])('does not end in the past: %j', (date, received) => {
		const problems = problemsWith(atExpression, { date });
		expect(problems).toEqual([
			{
				message: "'Max Date and Time' is in the past",
				advice: `Nobody could answer in time, so nothing was sent. Choose a later date and time. Received: "${received}".`,
			},
		]);
		expect(faultsIn(problems[0]!)).toEqual([]);
	});

	test.each(['3000-01-01T00:00:00.001Z', '3000-01-02', '9999-12-31', new Date(8.64e15)])(
		'does not end in the year 3000 or later: %j',
		(date) => {
			expect(messagesFor(atExpression, { date })).toEqual(["'Max Date and Time' is too far in the future"]);
		},
	);

	test.each<[unknown, string]>([
		['скоро', 'скоро'],
		['2030-13-45', '2030-13-45'],
		['2030-06-02T25:00:00', '2030-06-02T25:00:00'],
		['[object Object]', '[object Object]'],
		// The month may come before or after the day.
		['01.12.2030', '01.12.2030'],
		['1/12/2030, 10:00', '1/12/2030, 10:00'],
		['01-12-2030 10:00', '01-12-2030 10:00'],
		[true, 'true'],
		[{ date: '2030-06-02' }, '{"date":"2030-06-02"}'],
		[['2030-06-02'], '["2030-06-02"]'],
		[1e20, '100000000000000000000'],
		[NaN, 'NaN'],
		[new Date(NaN), 'null'],
		[inN8n("DateTime.fromISO('скоро')"), 'null'],
	])('must end at a date and time, not at %p', (date, received) => {
		const problems = problemsWith(atExpression, { date });
		expect(problems).toEqual([
			{
				message: "'Max Date and Time' must be a date and time",
				advice: `Choose a date and time, or let its expression return one, as in {{ $now.plus(2, 'hours') }}. Received: "${received}".`,
			},
		]);
		if (!/NaN|null|\[/.test(received)) expect(faultsIn(problems[0]!)).toEqual([]);
	});

	test('must end at a date and time in an existing time zone', () => {
		const values = checked(at('2030-06-02T15:30:00'));
		expect(openQuestion(values, operation, askerFor('Europe/Nowhere'))).toEqual({
			problems: [expect.objectContaining({ message: "'Max Date and Time' must be a date and time" })],
		});
	});

	test.each<[string, Given]>([
		['empty', at('')],
		['null', at(null)],
		['not stored', limited({ limitType: 'atSpecifiedTime' })],
	])('does not end at a date that is %s', (_, parameters) => {
		expect(messagesFor(parameters)).toEqual(["'Max Date and Time' is empty"]);
	});

	test.each(hostile)('is refused by its label if its value is hostile: %s', (_, make) => {
		const hostileAt = (name: string, values: Given) => {
			const parameters = limited({ ...values, [name]: '={{ $json.make() }}' });
			return messagesFor(parameters, { make });
		};
		expect(hostileAt('maxDateAndTime', { limitType: 'atSpecifiedTime' })).toEqual([
			expect.stringContaining("'Max Date and Time'"),
		]);
		expect(hostileAt('resumeAmount', {})).toEqual([expect.stringContaining("'Amount'")]);
	});
});

describe('a question', () => {
	const opened = (parameters: Given, asker: Asker = askerFor()) => {
		const values = checked(parameters);
		const question = openQuestion(values, operation, asker);
		if ('problems' in question) throw new Error(question.problems[0]!.message);
		return { values, question };
	};

	test('has the link below it, and nothing else in the message changes', () => {
		const { values, question } = opened({ message: ' Дать скидку?\nСегодня? \n' });
		const parameters = values.parameters.map((each) =>
			each.name === 'text' ? { ...each, value: `Дать скидку?\nСегодня?\n\n${link}` } : each,
		);
		expect(question.values).toEqual({ ...values, parameters });
		expect(values.parameters).toContainEqual(
			expect.objectContaining({ name: 'text', value: ' Дать скидку?\nСегодня? \n' }),
		);
		expect(parameters.map(({ name }) => name)).toEqual(['contact_id', 'text']);
	});

	test('is kept once, with everything that its page shows', () => {
		const asker = askerFor();
		opened(
			{
				message: ' Дать скидку? ',
				...approvalWith({ approvalType: 'double', approveLabel: 'Дать', disapproveLabel: 'Отказать' }),
				options: {
					responseFormTitle: 'Скидка',
					responseFormDescription: 'Анна ждёт.',
					limitWaitTime: { values: {} },
				},
			},
			asker,
		);
		expect(asker.keep.mock.calls).toEqual([
			[
				{
					id: expect.any(String),
					title: 'Скидка',
					text: 'Дать скидку?',
					description: 'Анна ждёт.',
					form: { type: 'approval', approve: 'Дать', decline: 'Отказать' },
				},
			],
		]);
		expect(asker.wait).not.toHaveBeenCalled();
	});

	test('has an unpredictable, unique ID', () => {
		const asker = askerFor();
		for (let count = 0; count < 100; count++) opened({}, asker);
		const ids = asker.keep.mock.calls.map(([{ id }]) => id);
		expect(new Set(ids).size).toBe(100);
		for (const id of ids) expect(id).toMatch(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/);
	});

	const noLink = (error: unknown) => ({
		...askerFor(),
		keep: () => {
			throw error;
		},
	});

	test.each<[string, unknown, string]>([
		['an error', new Error('Нет связи'), ' n8n says: "Нет связи".'],
		['nothing', undefined, ''],
		['an error without words', new Error(), ''],
	])('without a link is refused if n8n throws %s', (_, error, words) => {
		expect(openQuestion(checked({}), operation, noLink(error))).toEqual({
			problems: [
				{
					message: "'Send and Wait for Response' cannot wait for an answer in this execution",
					advice: `Nothing was sent. Run the workflow in n8n as usual. If this happens again, give the node another name, without special characters.${words}`,
				},
			],
		});
	});

	test('is asked only by this operation', () => {
		const send = findOperation('message', 'send')!;
		expect(cannotAsk(send, { asker: undefined, count: 5 })).toBeUndefined();
		expect(checked({ content: ['text'], text: 'Да' }, {}, send).question).toBeUndefined();
	});

	test.each([0, 1])('can be asked with %d items', (count) => {
		expect(cannotAsk(operation, { asker: askerFor(), count })).toBeUndefined();
	});

	test.each([2, 1000])('cannot be asked with %d items: Loop Over Items is named', (count) => {
		expect(cannotAsk(operation, { asker: askerFor(), count })).toMatchObject({
			message: `'Send and Wait for Response' asks one person at a time, but the node received ${count} items`,
			description: expect.stringContaining('Loop Over Items'),
			outcome: 'notDone',
		});
	});

	test.each([1, 2])('cannot be asked if an execution cannot wait, with %d items', (count) => {
		expect(cannotAsk(operation, { asker: undefined, count })).toMatchObject({
			message: "'Send and Wait for Response' cannot wait for an answer here",
			description: expect.stringContaining('version 3 or newer of the AI Agent node'),
			outcome: 'notDone',
		});
	});

	test('that cannot be asked is refused in complete sentences', () => {
		for (const problem of [
			severalQuestions(label, 3),
			cannotWait(label),
			unanswerable(label, ''),
			unanswerable(label, 'Нет связи'),
		]) {
			expect(faultsIn(problem)).toEqual([]);
			expect(problem.advice).toMatch(/^Nothing was sent\. /);
		}
	});
});

describe('a run that asks', () => {
	const lost = (): never => {
		throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
	};

	type Answer = () => ServiceAnswer;

	/** An execution, in which the node can run several times. */
	class Execution {
		readonly asker = askerFor();

		readonly texts: unknown[] = [];

		readonly happened: string[] = [];

		readonly triesKey = {};

		constructor(private readonly changes: Partial<RunContext> & { count?: number } = {}) {
			this.asker.keep.mockImplementation((asked) => {
				this.happened.push('kept');
				return `https://n8n.example.com/${asked.id}`;
			});
			this.asker.wait.mockImplementation(async () => void this.happened.push('waits'));
		}

		/** Runs the node once, or another time as Retry On Fail does. */
		async run(answer: Answer = () => ok, parameters: Given = {}) {
			const { count = 1, ...changes } = this.changes;
			const send: RunContext['send'] = async ({ qs, body }) => {
				this.happened.push('sent');
				this.texts.push({ ...qs, ...(body as object) }.text);
				return answer();
			};
			const { asker, triesKey } = this;
			const context = contextFor(count, { asker, triesKey, send, ...changes }, { ...given, ...parameters });
			try {
				return { output: await inTime(run(context)) };
			} catch (error) {
				return { error: error as Error & { description?: string } };
			}
		}

		get ids() {
			return this.asker.keep.mock.calls.map(([{ id }]) => id);
		}

		get deadlines() {
			return this.asker.wait.mock.calls.map(([until]) => until);
		}
	}

	test('keeps the question, sends it, and waits; meanwhile its output is its input', async () => {
		const execution = new Execution();
		const { output } = await execution.run(() => ok, after(2, 'hours'));
		expect(execution.happened).toEqual(['kept', 'sent', 'waits']);
		expect(execution.texts).toEqual([`Дать скидку?\n\nhttps://n8n.example.com/${execution.ids[0]}`]);
		expect(execution.deadlines).toEqual([new Date(now + 2 * hour)]);
		expect(output).toEqual(waitingOutput);
	});

	test.each<[string, number]>([
		['https://n8n.example.com/webhook-waiting/7', 0],
		['http://localhost:5678/webhook-waiting/7', 1],
	])('warns about a link that others cannot open: %s, %d times', async (address, times) => {
		const hint = jest.fn();
		const execution = new Execution({ hint });
		execution.asker.keep.mockReturnValue(address);
		await execution.run();
		expect(hint.mock.calls).toEqual(Array.from({ length: times }, () => [hintOfLink(address)]));
	});

	test('sends a question that is too long for the query in the body, with the link', async () => {
		const send = jest.fn(async () => ok);
		const execution = new Execution({ send });
		const message = 'Дать скидку? '.repeat(1000).trim();
		await execution.run(() => ok, { message });
		const text = `${message}\n\nhttps://n8n.example.com/${execution.ids[0]}`;
		expect(send).toHaveBeenCalledWith(expect.objectContaining({ body: { contact_id: 5, text } }));
	});

	test('waits from the time when the message was accepted, or without a limit if none is set', async () => {
		const [limitedOne, other] = [new Execution(), new Execution()];
		const late = () => {
			jest.spyOn(Date, 'now').mockReturnValue(now + 3 * minute);
			return ok;
		};
		await limitedOne.run(late, after(1, 'hours'));
		await other.run();
		expect([...limitedOne.deadlines, ...other.deadlines]).toEqual([
			new Date(now + 3 * minute + hour),
			new Date('3000-01-01T00:00:00Z'),
		]);
	});

	describe.each([true, false])('if the workflow continues after failures: %p', (continues) => {
		test.each<[string, Answer, string]>([
			['is refused', () => refused, 'The service refused the request [Item 0]'],
			[
				'is refused in an answer of success',
				() => ({ ...ok, body: { success: false } }),
				'The service refused the request [Item 0]',
			],
			[
				'is answered by a web page',
				() => ({ ...ok, body: '<html></html>' }),
				'The service answered with a web page instead of data',
			],
			['is not confirmed', () => ({ ...ok, body: { id: 7 } }), 'The service did not confirm the request'],
			['makes the service fail', () => broken, 'The service failed to process the request'],
			['gets no answer', lost, 'The connection to the service was lost before the answer'],
		])('does not wait if the message %s', async (_, answer, message) => {
			const execution = new Execution({ continues });
			const { output, error } = await execution.run(answer);
			expect(execution.happened).toEqual(['kept', 'sent']);
			const told = continues ? output!.map(({ json }) => json.error as string) : [error!.message];
			expect(told).toEqual([expect.stringContaining(message)]);
		});

		test('says after an unknown outcome that the link does not work', async () => {
			const { output, error } = await new Execution({ continues }).run(() => broken);
			expect(continues ? output![0]!.json.message : error!.description).toMatch(
				/^The message may have been sent, .* The link in the message does not work, because the execution is not waiting for an answer\./,
			);
		});

		test.each<[string, Given, string]>([
			['a wrong message', { message: '' }, "'Message' is empty [Item 0]"],
			['a limit in the past', at('2030-01-01'), "'Max Date and Time' is in the past [Item 0]"],
			['a wrong amount', after(0), "'Amount' must be a number greater than 0 [Item 0]"],
		])('sends nothing, keeps nothing and does not wait with %s', async (_, parameters, message) => {
			const execution = new Execution({ continues });
			const { output, error } = await execution.run(() => ok, parameters);
			expect(execution.happened).toEqual([]);
			expect(continues ? output![0]!.json.error : error!.message).toBe(message);
		});

		test.each<[string, ConstructorParameters<typeof Execution>[0], string]>([
			['several items', { count: 3 }, 'asks one person at a time, but the node received 3 items'],
			['an execution that cannot wait', { asker: undefined }, 'cannot wait for an answer here'],
		])('sends nothing and does not wait with %s', async (_, changes, message) => {
			const execution = new Execution({ continues, ...changes });
			const { output, error } = await execution.run();
			expect(execution.happened).toEqual([]);
			const told = continues ? output!.map(({ json }) => json.error) : [error!.message];
			expect(told).toHaveLength(continues ? (changes!.count ?? 1) : 1);
			for (const each of told) expect(each).toContain(message);
		});

		test('sends nothing if n8n returns no link', async () => {
			const execution = new Execution({ continues });
			execution.asker.keep.mockImplementation(() => {
				throw new Error('Нет связи');
			});
			const { output, error } = await execution.run();
			expect(execution.happened).toEqual([]);
			expect(continues ? output![0]!.json.error : error!.message).toBe(
				"'Send and Wait for Response' cannot wait for an answer in this execution [Item 0]",
			);
		});

		test('does not wait if the user stops it, even if the message is accepted', async () => {
			for (const answer of [() => ok, () => broken]) {
				const stop = new AbortController();
				const execution = new Execution({ continues, signal: stop.signal });
				await execution.run(() => {
					stop.abort();
					return answer();
				});
				expect(execution.happened).toEqual(['kept', 'sent']);
			}
		});

		test('asks nothing if the user has stopped it before', async () => {
			const execution = new Execution({ continues, signal: AbortSignal.abort() });
			await execution.run();
			expect(execution.happened).toEqual([]);
		});
	});

	test('has no output and asks nothing without items', async () => {
		const execution = new Execution({ count: 0 });
		execution.asker.items = [];
		expect(await execution.run()).toEqual({ output: [] });
		expect(execution.happened).toEqual([]);
	});

	describe('in a second try of Retry On Fail', () => {
		test('neither sends nor asks again what was accepted, and keeps the link of the first try', async () => {
			const execution = new Execution();
			await execution.run();
			const { output } = await execution.run();
			expect(execution.happened).toEqual(['kept', 'sent', 'waits']);
			expect(output).toEqual(waitingOutput);
		});

		test('neither sends nor asks again what may have been sent, and does not wait', async () => {
			const execution = new Execution();
			const first = await execution.run(() => broken);
			const second = await execution.run();
			expect(execution.happened).toEqual(['kept', 'sent']);
			expect(second.error!.message).toBe(first.error!.message);
		});

		test('asks a new question after a refusal, and waits for its answer', async () => {
			const execution = new Execution();
			await execution.run(() => refused);
			await execution.run();
			expect(execution.happened).toEqual(['kept', 'sent', 'kept', 'sent', 'waits']);
			expect(new Set(execution.ids).size).toBe(2);
			expect(execution.texts[1]).toContain(execution.ids[1]);
		});
	});

	test.each<[string, Answer]>([
		['has failed with an unknown outcome', () => broken],
		['was refused', () => refused],
		['has asked', () => ok],
	])('asks again in the retry of an execution that %s', async (_, answer) => {
		const kept: Kept = {};
		const entries = new FakeEntries();
		await new Execution({ kept, entries }).run(answer);
		const retry = new Execution({
			kept: JSON.parse(JSON.stringify(kept)) as Kept,
			entries: new FakeEntries([...entries.stored]),
		});
		const { output } = await retry.run();
		expect(retry.happened).toEqual(['kept', 'sent', 'waits']);
		expect(output).toEqual(waitingOutput);
	});

	test('asks a new question each time in a loop, with another ID', async () => {
		const asked = [];
		for (let round = 0; round < 3; round++) {
			const execution = new Execution();
			await execution.run();
			expect(execution.happened).toEqual(['kept', 'sent', 'waits']);
			asked.push(...execution.ids);
		}
		expect(new Set(asked).size).toBe(3);
	});
});
