import { WAIT_INDEFINITELY, type INodePropertyCollection } from 'n8n-workflow';

import {
	QuestionOfRun,
	hintOfLink,
	questionOfRun,
	type OpenQuestion,
	type QuestionHost,
} from '../../nodes/ChatbotService/ask/openQuestion';
import { pastTime } from '../../nodes/ChatbotService/ask/problems';
import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import { findOperation } from '../../nodes/ChatbotService/resources';
import { checkAs } from '../../nodes/ChatbotService/resources/kind';
import { limitWaitTime } from '../../nodes/ChatbotService/resources/message/waitLimit';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import type { Question } from '../../nodes/ChatbotService/resources/question';
import { timeOf } from '../../nodes/ChatbotService/run/context';
import { Check, type CheckedValues } from '../../nodes/ChatbotService/run/values/check';
import { emptyField, wrongChoice } from '../../nodes/ChatbotService/run/values/problems';
import { Reader } from '../../nodes/ChatbotService/run/values/reading';
import { wordsOf } from '../operations/words';
import { evaluate } from './expression';
import { FakeN8n } from './fakeN8n';
import { hostile } from './hostile';

/* The values of a question, and how long it waits for its answer. A question that is asked: test/engine/sendAndWait.test.ts. */

type Given = Record<string, unknown>;

const operation = findOperation('message', 'sendAndWait')!;
const { fieldAt } = wordsOf('message/sendAndWait');

const [{ values: limitFields }] = limitWaitTime.options as [INodePropertyCollection];
const [, amountField, unitField, dateField] = limitFields as [Field, Field, Field, Field];

/** What is wrong with a value of a field. */
const refusalOf = ({ kind, displayName }: Field, value: unknown): Problem[] =>
	(checkAs(kind!, value, displayName) as { problems: Problem[] }).problems;

const now = Date.parse('2030-06-01T12:00:00Z');
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000] as const;

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(now));
afterEach(() => jest.restoreAllMocks());

/** What is checked of an item with these parameters. */
function check(parameters: Given, item: unknown = {}, timezone = 'Europe/Moscow') {
	const raw = {
		...{ resource: 'message', operation: 'sendAndWait', recipient: 'contact', contactId: 5 },
		...{ contactMessenger: 'vk', message: 'Дать скидку?', responseType: 'approval', ...parameters },
	};
	const timeThere = (date: string) => timeOf(date, timezone);
	const checking = new Check(operation, raw, { forModel: false, timeOf: timeThere, timezone });
	return checking.valuesOf(new Reader(new FakeN8n(raw, [item]), checking.locators).valuesOf(0));
}

function checked(...given: Parameters<typeof check>): CheckedValues {
	const values = check(...given);
	if ('problems' in values) throw new Error(values.problems.map(({ message }) => message).join('; '));
	return values;
}

const link = 'https://n8n.example.com/webhook-waiting/7?question=1&signature=2';

const hostFor = () =>
	({
		items: [{ json: {} }],
		keep: jest.fn((_question: OpenQuestion) => link),
		wait: jest.fn(async (_until: Date) => {}),
	}) satisfies QuestionHost;

const questionIn = (questionHost: QuestionHost) =>
	questionOfRun(operation, { questionHost, count: 1 }) as QuestionOfRun;

/** What is wrong with the values of an item or with its question; empty if nothing is. */
function problemsWith(parameters: Given, item?: unknown): Problem[] {
	const values = check(parameters, item);
	if ('problems' in values) return values.problems;
	const host = hostFor();
	const opened = questionIn(host).open(values);
	if (!('problems' in opened)) return [];
	// Otherwise an earlier question would lose its answer.
	expect(host.keep).not.toHaveBeenCalled();
	return opened.problems;
}

/** The moment until which an execution waits for an answer. @param accept what happens until the message is accepted */
async function deadlineOf(parameters: Given, item?: unknown, timezone?: string, accept = () => {}) {
	const host = hostFor();
	const question = questionIn(host);
	expect(question.open(checked(parameters, item, timezone))).not.toHaveProperty('problems');
	accept();
	await question.wait();
	return host.wait.mock.calls[0]![0];
}

const limited = (values: Given): Given => ({ options: { limitWaitTime: { values } } });
const after = (resumeAmount: unknown, resumeUnit: unknown = 'minutes') =>
	limited({ limitType: 'afterTimeInterval', resumeAmount, resumeUnit });
/** An expression can return other values than texts. */
const atDate = limited({ limitType: 'atSpecifiedTime', maxDateAndTime: '={{ $json.date }}' });

const approvalWith = (values: Given): Given => ({ approvalOptions: { values } });
const form = (values: object): Partial<Question> => ({ form: values as Question['form'] });
const approveOnly = form({ type: 'approval', approve: 'Approve', decline: undefined });

describe('a person is asked', () => {
	test('with what is said of a messenger that the node does not know', () => {
		const notice = expect.stringContaining('инста') as string;
		expect(questionIn(hostFor()).open(checked({ contactMessenger: 'инста' }))).toMatchObject({ notice });
	});

	test.each<[string, Given, Partial<Question>]>([
		['by default', {}, approveOnly],
		['if n8n has stored empty collections', { approvalOptions: {}, options: {} }, approveOnly],
		[
			'with one button',
			approvalWith({ approvalType: 'single', approveLabel: ' Дать ' }),
			form({ type: 'approval', approve: 'Дать', decline: undefined }),
		],
		[
			'with two buttons, and a label that is a number',
			approvalWith({ approvalType: 'double', approveLabel: 5, disapproveLabel: '\nОтказать' }),
			form({ type: 'approval', approve: '5', decline: 'Отказать' }),
		],
		[
			'with two buttons without labels',
			approvalWith({ approvalType: 'double', disapproveLabel: ' ' }),
			form({ type: 'approval', approve: 'Approve', decline: 'Decline' }),
		],
		['for a text', { responseType: 'freeText' }, form({ type: 'freeText', submit: 'Submit' })],
		[
			'for a text with its own button',
			{ responseType: 'freeText', options: { responseFormButtonLabel: ' Отправить ' } },
			form({ type: 'freeText', submit: 'Отправить' }),
		],
		[
			'with a heading and a description',
			{ options: { responseFormTitle: ' Скидка ', responseFormDescription: 'Анна\nждёт.\n' } },
			{ title: 'Скидка', description: 'Анна\nждёт.' },
		],
	])('%s', (_, parameters, expected) => {
		const usual = {
			title: '',
			description: '',
			form: expect.anything(),
			waitLimit: undefined,
			longest: 4096,
		};
		expect(checked(parameters).question).toEqual({ ...usual, ...expected });
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
			'a label that is an object',
			approvalWith({ approvalType: 'double', approveLabel: object }),
			refusalOf(fieldAt('approvalOptions.approveLabel'), object),
		],
	])('about nothing with %s', (_, parameters, expected) => {
		expect(problemsWith(parameters)).toEqual(expected);
	});

	test.each<[string, Given]>([
		['the second button of one', approvalWith({ approvalType: 'single', disapproveLabel: object })],
		['the button of a text if a button is pressed', { options: { responseFormButtonLabel: object } }],
		[
			'the buttons if a text is written',
			{ responseType: 'freeText', ...approvalWith({ approvalType: 'triple', approveLabel: object }) },
		],
		[
			'a date if there is an amount',
			limited({ limitType: 'afterTimeInterval', resumeAmount: 5, maxDateAndTime: 'вчера' }),
		],
	])('even if a value that is not used is wrong: %s', (_, parameters) => {
		expect(problemsWith(parameters)).toEqual([]);
	});
});

describe('the wait for an answer', () => {
	test.each<[Given]>([[{}], [{ options: {} }]])(
		'has no limit with %j: it lasts until the year 3000',
		async (parameters) => expect(await deadlineOf(parameters)).toEqual(new Date('3000-01-01T00:00:00Z')),
	);

	test.each<[Given, number]>([
		[after(45), 45 * minute],
		[after('2,5', 'hours'), 2.5 * hour],
		[after('3', ' DAYS '), 3 * day],
		[after(0.01), 600],
		// n8n does not store a value that equals its default.
		[limited({}), hour],
		[limited({ resumeAmount: 45 }), 45 * hour],
		[limited({ resumeUnit: 'minutes' }), minute],
	])('ends after the amount of %j', async (parameters, expected) => {
		expect((await deadlineOf(parameters)).getTime() - now).toBe(expected);
	});

	test('begins when the message is accepted', async () => {
		const accept = () => void jest.spyOn(Date, 'now').mockReturnValue(now + 5 * minute);
		expect(await deadlineOf(after(1, 'hours'), {}, 'UTC', accept)).toEqual(new Date(now + 5 * minute + hour));
	});

	test.each<[Given, unknown]>([
		[after(400_000, 'days'), undefined],
		[atDate, '3000-01-02'],
		[atDate, new Date(8.64e15)],
	])('has no limit if it would end after the year 3000: %j %j', async (parameters, date) => {
		expect(await deadlineOf(parameters, { date })).toEqual(WAIT_INDEFINITELY);
	});

	test.each<[Given, Problem[]]>([
		...[0, '-1', 'скоро', Infinity, true, [5, 6]].map((amount): [Given, Problem[]] => [
			after(amount),
			refusalOf(amountField, amount),
		]),
		[after(' '), [emptyField(amountField.displayName)]],
		[after(5, 'weeks'), refusalOf(unitField, 'weeks')],
		[after(0, 'constructor'), [...refusalOf(unitField, 'constructor'), ...refusalOf(amountField, 0)]],
		[limited({ limitType: 'atSpecifiedTime' }), [emptyField(dateField.displayName)]],
	])('is refused with %j', (parameters, expected) => {
		expect(problemsWith(parameters)).toEqual(expected);
	});

	const inN8n = (code: string) => evaluate(`={{ ${code} }}`);
	const inTokyo = inN8n("DateTime.fromISO('2030-06-02T15:30:00', { zone: 'Asia/Tokyo' })");

	test.each<[string, unknown, string, string]>([
		['of the editor', '2030-06-02T15:30:00', 'Europe/Moscow', '2030-06-02T12:30:00Z'],
		['of the editor', '2030-06-02T15:30:00', 'Asia/Vladivostok', '2030-06-02T05:30:00Z'],
		['without an hour', ' 2030-06-02 ', 'Europe/Moscow', '2030-06-01T21:00:00Z'],
		['of a database', '2030-06-02 15:30:00', 'Europe/Moscow', '2030-06-02T12:30:00Z'],
		['in milliseconds', Date.parse('2030-06-02T15:30:00Z'), 'Europe/Moscow', '2030-06-02T15:30:00Z'],
		['of JavaScript', new Date('2030-06-02T15:30:00Z'), 'Europe/Moscow', '2030-06-02T15:30:00Z'],
		['of an expression', inTokyo, 'Europe/Moscow', '2030-06-02T06:30:00Z'],
		['one millisecond later', now + 1, 'Europe/Moscow', '2030-06-01T12:00:00.001Z'],
	])('ends at a date %s: %s in %s', async (_, date, timezone, expected) => {
		expect(await deadlineOf(atDate, { date }, timezone)).toEqual(new Date(expected));
	});

	test.each<[unknown, string]>([
		['2030-06-01T14:59:59', '2030-06-01T11:59:59.000Z'],
		[now, '2030-06-01T12:00:00.000Z'],
		// Seconds.
		[1_900_000_000, '1970-01-22T23:46:40.000Z'],
	])('does not end in the past: %j', (date, received) => {
		expect(problemsWith(atDate, { date })).toEqual([pastTime(dateField.displayName, received)]);
	});

	test.each<[unknown]>([
		['скоро'],
		// The month may come before or after the day.
		['1/12/2030, 10:00'],
		[{ date: '2030-06-02' }],
		[new Date(NaN)],
		[inN8n("DateTime.fromISO('скоро')")],
	])('must end at a date and time, not at %p', (date) => {
		expect(problemsWith(atDate, { date })).toEqual(refusalOf(dateField, date));
	});

	test.each(hostile)('is refused by its label if its value is hostile: %s', (_, make) => {
		for (const [{ name, displayName }, limitType] of [
			[dateField, 'atSpecifiedTime'],
			[amountField, 'afterTimeInterval'],
		] as const) {
			const problems = problemsWith(limited({ limitType, [name]: '={{ $json.make() }}' }), { make });
			expect(problems).toEqual([
				{ message: expect.stringContaining(`'${displayName}'`), advice: expect.anything() },
			]);
		}
	});
});

test.each<[string, isShown: boolean]>([
	['http://localhost:5678', true],
	['http://127.0.0.1:5678', true],
	['http://[::1]:5678', true],
	['http://[::]:5678', true],
	['http://0.0.0.0:5678', true],
	['http://n8n.localhost', true],
	['https://n8n.example.com', false],
	['http://192.168.1.5:5678', false],
	['https://mylocalhost', false],
])('a hint says that nobody else can open a link to %s: %s', (origin, isShown) => {
	const hint = hintOfLink(`${origin}/webhook-waiting/7/node?question=1&signature=2`);
	expect(hint).toEqual(
		isShown
			? expect.stringMatching(`begins with ${origin.replace(/[[\]]/g, '\\$&')}, .*WEBHOOK_URL`)
			: undefined,
	);
});
