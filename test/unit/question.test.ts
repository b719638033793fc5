import { WAIT_INDEFINITELY, type INodeExecutionData, type INodePropertyCollection } from 'n8n-workflow';

import { Asking, askingOf, hintOfLink, type Asked, type Asker } from '../../nodes/ChatbotService/ask/asking';
import {
	cannotWait,
	pastTime,
	severalQuestions,
	unanswerable,
} from '../../nodes/ChatbotService/ask/problems';
import type { ServiceAnswer } from '../../nodes/ChatbotService/client/answer';
import * as failures from '../../nodes/ChatbotService/client/failure';
import type { Problem } from '../../nodes/ChatbotService/client/failure';
import { findOperation } from '../../nodes/ChatbotService/resources';
import { limitWaitTime, noTime } from '../../nodes/ChatbotService/resources/message/waitLimit';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import type { Question } from '../../nodes/ChatbotService/resources/question';
import type { RunContext } from '../../nodes/ChatbotService/run/prepare';
import { timeOf } from '../../nodes/ChatbotService/run/context';
import { run } from '../../nodes/ChatbotService/run/run';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import { emptyField, wrongChoice } from '../../nodes/ChatbotService/run/values/problems';
import { Reader } from '../../nodes/ChatbotService/run/values/reading';
import { wordsOf } from '../operations/words';
import { evaluate } from './expression';
import { FakeN8n } from './fakeN8n';
import { inMoscow } from './samples';
import { hostile } from './hostile';
import { broken, contextFor, ok, refused } from './runs';
import { faultsOf } from './sentences';
import { inTime } from './virtualTime';
import type * as VirtualTime from './virtualTime';

jest.mock('n8n-workflow', () => jest.requireActual<typeof VirtualTime>('./virtualTime').n8nWorkflow());

type Given = Record<string, unknown>;

const operation = findOperation('message', 'sendAndWait')!;
const { label, unknown, fieldAt } = wordsOf('message/sendAndWait');

const [{ values: limitFields }] = limitWaitTime.options as [INodePropertyCollection];
const [limitType, amountField, unitField, dateField] = limitFields as [Field, Field, Field, Field];

/** What is wrong with a value of a field. */
const refusalOf = ({ kind, displayName }: Field, value: unknown): Problem[] =>
	(kind!(value, displayName) as { problems: Problem[] }).problems;

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
	const checking = new Check(of, raw, inMoscow);
	const reader = new Reader(new FakeN8n(raw, [item]), checking.locators);
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

function askerFor() {
	const keep = jest.fn((_asked: Asked) => link);
	const wait = jest.fn(async (_until: Date) => {});
	return { items, keep, wait } satisfies Asker;
}

const timeIn = (timezone: string) => (date: string) => timeOf(date, timezone);

function askingWith(asker: Asker, timezone = 'Europe/Moscow'): Asking {
	const asking = askingOf(operation, { asker, count: 1, timeOf: timeIn(timezone) });
	if (!(asking instanceof Asking)) throw new Error();
	return asking;
}

/** What is wrong with the values of an item or with its question; empty if nothing is. */
function problemsWith(parameters: Given, item?: unknown): Problem[] {
	const values = check(parameters, item);
	if ('problems' in values) return values.problems;
	const asker = askerFor();
	const question = askingWith(asker).open(values);
	if (!('problems' in question)) return [];
	// Otherwise an earlier question would lose its answer.
	expect(asker.keep).not.toHaveBeenCalled();
	return question.problems;
}

/** The moment until which an execution waits for an answer. @param meanwhile what happens until the message is accepted */
async function deadlineOf(
	parameters: Given,
	item?: unknown,
	{ timezone, meanwhile = () => {} }: { timezone?: string; meanwhile?: () => void } = {},
): Promise<Date> {
	const asker = askerFor();
	const asking = askingWith(asker, timezone);
	const question = asking.open(checked(parameters, item));
	if ('problems' in question) throw new Error(question.problems[0]!.message);
	meanwhile();
	await asking.wait();
	return asker.wait.mock.calls[0]![0];
}

const limited = (values: Given): Given => ({ options: { limitWaitTime: { values } } });

const after = (resumeAmount: unknown, resumeUnit: unknown = 'minutes') =>
	limited({ limitType: 'afterTimeInterval', resumeAmount, resumeUnit });

const at = (maxDateAndTime: unknown) => limited({ limitType: 'atSpecifiedTime', maxDateAndTime });

/** The same with an expression, which can return other values than texts. */
const atExpression = at('={{ $json.date }}');

const approvalWith = (values: Given): Given => ({ approvalOptions: { values } });

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
		expect(values.parameters).toContainEqual({ name: 'text', value: 'Скидка для Анна?' });
		expect(values.question).toMatchObject({ title: 'Анна', form: { approve: 'Да, Анна' } });
	});

	const object = { a: 1 };

	test.each<[string, Given, Problem[]]>([
		['an empty message', { message: ' ' }, [emptyField(fieldAt('message').displayName)]],
		[
			'a type of answer that does not exist',
			{ responseType: 'form' },
			wrongChoice(fieldAt('responseType'), 'form'),
		],
		[
			'a type of approval that does not exist',
			approvalWith({ approvalType: 'triple' }),
			refusalOf(fieldAt('approvalOptions.approvalType'), 'triple'),
		],
		[
			'labels that are objects',
			approvalWith({ approvalType: 'double', approveLabel: object, disapproveLabel: object }),
			['approvalOptions.approveLabel', 'approvalOptions.disapproveLabel'].flatMap((path) =>
				refusalOf(fieldAt(path), object),
			),
		],
		[
			'texts of the page that are objects',
			{
				responseType: 'freeText',
				options: {
					responseFormTitle: object,
					responseFormDescription: object,
					responseFormButtonLabel: object,
				},
			},
			['responseFormTitle', 'responseFormDescription', 'responseFormButtonLabel'].flatMap((name) =>
				refusalOf(fieldAt(`options.${name}`), object),
			),
		],
	])('is refused with %s', (_, parameters, expected) => {
		expect(problemsWith(parameters)).toEqual(expected);
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
		expect(problemsWith(parameters)).toEqual([]);
	});
});

describe('Limit Wait Time', () => {
	test.each<[string, Given]>([
		['without options', {}],
		['if it is not added', { options: {} }],
		['if it has no values', { options: { limitWaitTime: {} } }],
	])('does not apply %s: the execution waits until the year 3000', async (_, parameters) => {
		expect(questionOf(parameters).waitLimit).toBeUndefined();
		expect(await deadlineOf(parameters)).toEqual(new Date('3000-01-01T00:00:00Z'));
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
	])('of %j %s ends after this time', async (amount, unit, expected) => {
		expect(problemsWith(after(amount, unit))).toEqual([]);
		expect((await deadlineOf(after(amount, unit))).getTime() - now).toBe(expected);
	});

	// n8n does not store a value that equals its default.
	test.each<[Given, number]>([
		[{}, hour],
		[{ resumeAmount: 45 }, 45 * hour],
		[{ resumeUnit: 'minutes' }, minute],
		[{ limitType: 'afterTimeInterval', resumeUnit: 'days' }, day],
	])('has its defaults if n8n has stored %j', async (values, expected) => {
		expect((await deadlineOf(limited(values))).getTime() - now).toBe(expected);
	});

	test.each([0, -1, '0', '-1', 'скоро', '1e3', NaN, Infinity, true, [5, 6], { amount: 5 }])(
		'does not take the amount %p',
		(amount) => {
			expect(problemsWith(after(amount))).toEqual(refusalOf(amountField, amount));
		},
	);

	test.each(['', ' ', null])('does not accept the amount %j', (amount) => {
		expect(problemsWith(after(amount))).toEqual([emptyField(amountField.displayName)]);
	});

	test.each<[Given, Problem[]]>([
		[after(5, 'weeks'), refusalOf(unitField, 'weeks')],
		[after(5, ''), [emptyField(unitField.displayName)]],
		[after(0, 'constructor'), [...refusalOf(unitField, 'constructor'), ...refusalOf(amountField, 0)]],
		[limited({ limitType: 'never' }), refusalOf(limitType, 'never')],
		[limited({ limitType: '' }), [emptyField(limitType.displayName)]],
	])('does not accept %j', (parameters, expected) => {
		expect(problemsWith(parameters)).toEqual(expected);
	});

	test.each<[number, string]>([
		[400_000, 'days'],
		[1e12, 'days'],
		[1e300, 'minutes'],
		[Number.MAX_VALUE, 'hours'],
	])('of %d %s is a wait without a limit', async (amount, unit) => {
		expect(await deadlineOf(after(amount, unit))).toEqual(WAIT_INDEFINITELY);
	});

	test('begins when the message is accepted', async () => {
		const meanwhile = () => void jest.spyOn(Date, 'now').mockReturnValue(now + 5 * minute);
		expect(await deadlineOf(after(1, 'hours'), {}, { meanwhile })).toEqual(new Date(now + 5 * minute + hour));
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
	])('ends at a date %s: %s in %s', async (_, date, timezone, expected) => {
		expect(problemsWith(atExpression, { date })).toEqual([]);
		expect(await deadlineOf(atExpression, { date }, { timezone })).toEqual(new Date(expected));
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
		expect(problemsWith(atExpression, { date })).toEqual([pastTime(dateField.displayName, received)]);
	});

	test.each(['3000-01-01T00:00:00.001Z', '3000-01-02', '9999-12-31', new Date(8.64e15)])(
		'has no end in the year 3000 or later: %j',
		async (date) => {
			expect(await deadlineOf(atExpression, { date })).toEqual(WAIT_INDEFINITELY);
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
		[['2030-06-02', '2030-06-03'], '["2030-06-02","2030-06-03"]'],
		[1e20, '100000000000000000000'],
		[NaN, 'NaN'],
		[new Date(NaN), 'null'],
		[inN8n("DateTime.fromISO('скоро')"), 'null'],
	])('must end at a date and time, not at %p', (date, received) => {
		expect(problemsWith(atExpression, { date })).toEqual(noTime(dateField.displayName, received).problems);
	});

	test('must end at a date and time in an existing time zone', () => {
		const values = checked(at('2030-06-02T15:30:00'));
		expect(askingWith(askerFor(), 'Europe/Nowhere').open(values)).toEqual(
			noTime(dateField.displayName, '2030-06-02T15:30:00'),
		);
	});

	test.each<[string, Given]>([
		['empty', at('')],
		['null', at(null)],
		['not stored', limited({ limitType: 'atSpecifiedTime' })],
	])('does not end at a date that is %s', (_, parameters) => {
		expect(problemsWith(parameters)).toEqual([emptyField(dateField.displayName)]);
	});

	test.each(hostile)('is refused by its label if its value is hostile: %s', (_, make) => {
		for (const [{ name, displayName }, values] of [
			[dateField, { limitType: 'atSpecifiedTime' }],
			[amountField, {}],
		] as const) {
			const problems = problemsWith(limited({ ...values, [name]: '={{ $json.make() }}' }), { make });
			expect(problems).toEqual([
				expect.objectContaining({ message: expect.stringContaining(`'${displayName}'`) }),
			]);
		}
	});
});

test.each<[Problem[], Problem]>([
	[
		noTime('Срок', 'скоро').problems,
		{
			message: "'Срок' must be a date and time",
			advice:
				'Choose a date and time, or let its expression return one, as in {{ $now.plus(2, \'hours\') }}. Received: "скоро".',
		},
	],
	[
		refusalOf({ ...amountField, displayName: 'Срок' }, 0),
		{
			message: "'Срок' must be a number greater than 0",
			advice:
				'Enter how long to wait, for example 45, or remove \'Limit Wait Time\' to wait without a limit. Received: "0".',
		},
	],
])('the words about an end of the wait say what to do', (problems, expected) => {
	expect(problems).toEqual([expected]);
	expect(faultsOf({ message: expected.message, description: expected.advice })).toEqual([]);
});

describe('a question', () => {
	const opened = (parameters: Given, asker: Asker = askerFor()) => {
		const values = checked(parameters);
		const withLink = askingWith(asker).open(values);
		if ('problems' in withLink) throw new Error(withLink.problems[0]!.message);
		return { values, withLink };
	};

	test('has the link below it, and nothing else in the message changes', () => {
		const { values, withLink } = opened({ message: ' Дать скидку?\nСегодня? \n' });
		const parameters = values.parameters.map((each) =>
			each.name === 'text' ? { ...each, value: `Дать скидку?\nСегодня?\n\n${link}` } : each,
		);
		expect(withLink).toEqual({ ...values, parameters });
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
		['an error', new Error('Нет связи'), 'Нет связи'],
		['nothing', undefined, ''],
		['an error without words', new Error(), ''],
	])('without a link is refused if n8n throws %s', (_, error, words) => {
		expect(askingWith(noLink(error)).open(checked({}))).toEqual({
			problems: [unanswerable(label, words)],
		});
	});

	test('is asked only by this operation', () => {
		const send = findOperation('message', 'send')!;
		expect(askingOf(send, { asker: undefined, count: 5, timeOf: timeIn('UTC') })).toBeUndefined();
		expect(checked({ content: ['text'], text: 'Да' }, {}, send).question).toBeUndefined();
	});

	test.each([0, 1])('can be asked with %d items', (count) => {
		expect(askingOf(operation, { asker: askerFor(), count, timeOf: timeIn('UTC') })).toBeInstanceOf(Asking);
	});

	test.each([2, 1000])('cannot be asked with %d items', (count) => {
		expect(askingOf(operation, { asker: askerFor(), count, timeOf: timeIn('UTC') })).toEqual({
			failure: failures.invalidValues([severalQuestions(label, count)]),
		});
	});

	test.each([1, 2])('cannot be asked if an execution cannot wait, with %d items', (count) => {
		expect(askingOf(operation, { asker: undefined, count, timeOf: timeIn('UTC') })).toEqual({
			failure: failures.invalidValues([cannotWait(label)]),
		});
	});
});

describe('a run that asks', () => {
	const lost = (): never => {
		throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
	};

	type Answer = () => ServiceAnswer;

	class Execution {
		readonly asker = askerFor();

		readonly texts: unknown[] = [];

		readonly happened: string[] = [];

		constructor(private readonly changes: Partial<RunContext> & { count?: number } = {}) {
			this.asker.keep.mockImplementation((asked) => {
				this.happened.push('kept');
				return `https://n8n.example.com/${asked.id}`;
			});
			this.asker.wait.mockImplementation(async () => void this.happened.push('waits'));
		}

		async run(answer: Answer = () => ok, parameters: Given = {}) {
			const { count = 1, ...changes } = this.changes;
			const send: RunContext['send'] = async ({ qs, body }) => {
				this.happened.push('sent');
				this.texts.push({ ...qs, ...(body as object) }.text);
				return answer();
			};
			const { asker } = this;
			const context = contextFor(count, { asker, send, ...changes }, { ...given, ...parameters });
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
		test.each<[string, Answer, failures.Failure]>([
			['is refused', () => refused, failures.valuesRefused(422, [], '')],
			[
				'is refused in an answer of success',
				() => ({ ...ok, body: { success: false } }),
				failures.valuesRefused(200, [], ''),
			],
			[
				'is answered by a web page',
				() => ({ ...ok, body: '<html></html>' }),
				failures.webPage(200, undefined),
			],
			['is not confirmed', () => ({ ...ok, body: { id: 7 } }), failures.unconfirmed(200, { id: 7 })],
			['makes the service fail', () => broken, failures.serviceFailed(500)],
			['gets no answer', lost, failures.interrupted('')],
		])('does not wait if the message %s', async (_, answer, { message }) => {
			const execution = new Execution({ continues });
			const { output, error } = await execution.run(answer);
			expect(execution.happened).toEqual(['kept', 'sent']);
			const told = continues ? output!.map(({ json }) => json.error) : [error!.message];
			expect(told).toEqual([`${message} [Item 0]`]);
		});

		test('says after an unknown outcome that the link does not work', async () => {
			const { output, error } = await new Execution({ continues }).run(() => broken);
			const told = continues ? output![0]!.json.message : error!.description;
			expect(String(told).startsWith(`${unknown} `)).toBe(true);
		});

		test.each<[string, Given, Problem]>([
			['a wrong message', { message: '' }, emptyField(fieldAt('message').displayName)],
			['a limit in the past', at('2030-01-01'), pastTime(dateField.displayName, '2030-01-01')],
			['a wrong amount', after(0), refusalOf(amountField, 0)[0]!],
		])('sends nothing, keeps nothing and does not wait with %s', async (_, parameters, { message }) => {
			const execution = new Execution({ continues });
			const { output, error } = await execution.run(() => ok, parameters);
			expect(execution.happened).toEqual([]);
			expect(continues ? output![0]!.json.error : error!.message).toBe(`${message} [Item 0]`);
		});

		test('sends nothing if n8n returns no link', async () => {
			const execution = new Execution({ continues });
			execution.asker.keep.mockImplementation(() => {
				throw new Error('Нет связи');
			});
			const { output, error } = await execution.run();
			expect(execution.happened).toEqual([]);
			expect(continues ? output![0]!.json.error : error!.message).toBe(
				`${unanswerable(label, '').message} [Item 0]`,
			);
		});
	});

	test.each([true, false])(
		'does not wait if the user stops it, even if the message is accepted, with Continue: %p',
		async (continues) => {
			const stop = new AbortController();
			const execution = new Execution({ continues, signal: stop.signal });
			await execution.run(() => {
				stop.abort();
				return ok;
			});
			expect(execution.happened).toEqual(['kept', 'sent']);
		},
	);

	test.each<[string, Answer]>([
		['accepted', () => ok],
		['perhaps accepted', () => broken],
	])('neither sends nor asks again in another try of Retry On Fail what was %s', async (_, answer) => {
		const execution = new Execution({ triesKey: {} });
		await execution.run(answer);
		const happened = [...execution.happened];
		await execution.run();
		expect(execution.happened).toEqual(happened);
	});

	test('has no output and asks nothing without items', async () => {
		const execution = new Execution({ count: 0 });
		execution.asker.items = [];
		expect(await execution.run()).toEqual({ output: [] });
		expect(execution.happened).toEqual([]);
	});
});

describe('the hint about a link to a question', () => {
	const path = '/webhook-waiting/7/node?question=1&signature=2';

	test.each([
		'http://localhost:5678',
		'http://127.0.0.1:5678',
		'http://127.10.0.255',
		'http://0.0.0.0:5678',
		'http://[::1]:5678',
		'http://[::]:5678',
		'http://n8n.localhost',
	])('says that nobody else can open %s', (origin) => {
		const hint = hintOfLink(origin + path)!;
		expect(hint).toMatchObject({ type: 'warning', location: 'outputPane' });
		expect(hint.message).toBe(
			`The link in the message begins with ${origin}, which opens only on the server where n8n runs. Set the environment variable WEBHOOK_URL to the public address of n8n, in all its processes.`,
		);
	});

	test.each([
		'https://n8n.example.com',
		'http://192.168.1.5:5678',
		'http://10.127.0.0',
		'http://n8n:5678',
		'https://localhost.example.com',
		'https://mylocalhost',
		'http://127.0.0.1.example.com',
		'http://[2001:db8::1]:5678',
	])('is not shown for %s', (origin) => expect(hintOfLink(origin + path)).toBeUndefined());
});
