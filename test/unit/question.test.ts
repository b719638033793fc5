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
import { rows } from './tableRows';

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

const hostFor = () =>
	({
		items: [{ json: {} }],
		keep: jest.fn((_question: OpenQuestion) => 'https://n8n.example.com/webhook-waiting/7?question=1'),
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

/** The moment until which an execution waits. @param accept what happens until the message is accepted */
async function deadlineOf(parameters: Given, date?: unknown, timezone?: string, accept = () => {}) {
	const host = hostFor();
	const question = questionIn(host);
	expect(question.open(checked(parameters, { date }, timezone))).not.toHaveProperty('problems');
	accept();
	await question.wait();
	return host.wait.mock.calls[0]![0];
}

const limited = (values: Given): Given => ({ options: { limitWaitTime: { values } } });
const after = (resumeAmount: unknown, resumeUnit: unknown = 'minutes', more = {}) =>
	limited({ limitType: 'afterTimeInterval', resumeAmount, resumeUnit, ...more });
/** An expression can return other values than texts. */
const atDate = limited({ limitType: 'atSpecifiedTime', maxDateAndTime: '={{ $json.date }}' });

const buttons = (approvalType: string, approveLabel?: unknown, disapproveLabel?: unknown): Given => {
	const labels = { ...(approveLabel !== undefined && { approveLabel }), disapproveLabel };
	return { approvalOptions: { values: { approvalType, ...labels } } };
};
const asApproval = (approve: string, decline?: string): Partial<Question> => ({
	form: { type: 'approval', approve, decline },
});
const asText = (submit: string): Partial<Question> => ({ form: { type: 'freeText', submit } });
const freeText = { responseType: 'freeText' };
const object = { a: 1 };
const texts = { responseFormTitle: ' Скидка ', responseFormDescription: 'Анна\nждёт.\n' };

test.each<[Given, Partial<Question>]>([
	[{}, asApproval('Approve')],
	// As n8n stores empty collections.
	[{ approvalOptions: {}, options: {} }, asApproval('Approve')],
	[buttons('single', ' Дать '), asApproval('Дать')],
	[buttons('double', 5, '\nОтказать'), asApproval('5', 'Отказать')],
	[buttons('double', undefined, ' '), asApproval('Approve', 'Decline')],
	[freeText, asText('Submit')],
	[{ ...freeText, options: { responseFormButtonLabel: ' Отправить ' } }, asText('Отправить')],
	[{ options: texts }, { title: 'Скидка', description: 'Анна\nждёт.' }],
])('%j asks %j', (parameters, expected) => {
	const usual = { title: '', description: '', form: expect.anything(), waitLimit: undefined, longest: 4096 };
	expect(checked(parameters).question).toEqual({ ...usual, ...expected });
});

test('an unknown messenger is asked, with a notice', () => {
	const notice = expect.stringContaining('инста') as string;
	expect(questionIn(hostFor()).open(checked({ contactMessenger: 'инста' }))).toMatchObject({ notice });
});

test.each<[Given, Problem[]]>([
	[{ message: ' ' }, [emptyField(fieldAt('message').displayName)]],
	[{ responseType: 'form' }, wrongChoice(fieldAt('responseType'), 'form')],
	[buttons('double', object), refusalOf(fieldAt('approvalOptions.approveLabel'), object)],
	// What is not used may be wrong.
	[buttons('single', 'Дать', object), []],
	[{ options: { responseFormButtonLabel: object } }, []],
	[{ ...freeText, ...buttons('triple', object) }, []],
	[after(5, 'minutes', { maxDateAndTime: 'вчера' }), []],
	...[0, '-1', 'скоро', Infinity, true, [5, 6]].map((amount): [Given, Problem[]] => [
		...([after(amount), refusalOf(amountField, amount)] as const),
	]),
	[after(' '), [emptyField(amountField.displayName)]],
	[after(5, 'weeks'), refusalOf(unitField, 'weeks')],
	[after(0, 'constructor'), [...refusalOf(unitField, 'constructor'), ...refusalOf(amountField, 0)]],
	[limited({ limitType: 'atSpecifiedTime' }), [emptyField(dateField.displayName)]],
])('%j is refused for %j', (parameters, expected) => {
	expect(problemsWith(parameters)).toEqual(expected);
});

test.each<[Given, number | Date, date?: unknown]>([
	...rows([{}, { options: {} }], new Date('3000-01-01T00:00:00Z')),
	[after(45), 45 * minute],
	[after('2,5', 'hours'), 2.5 * hour],
	[after('3', ' DAYS '), 3 * day],
	[after(0.01), 600],
	// n8n does not store a value that equals its default.
	[limited({}), hour],
	[limited({ resumeAmount: 45 }), 45 * hour],
	[limited({ resumeUnit: 'minutes' }), minute],
	// After the year 3000.
	[after(400_000, 'days'), WAIT_INDEFINITELY],
	[atDate, WAIT_INDEFINITELY, '3000-01-02'],
	[atDate, WAIT_INDEFINITELY, new Date(8.64e15)],
])('the wait with %j ends after %p', async (parameters, expected, date = undefined) => {
	const deadline = typeof expected === 'number' ? new Date(now + expected) : expected;
	expect(await deadlineOf(parameters, date)).toEqual(deadline);
});

test('the wait begins when the message is accepted', async () => {
	const accept = () => void jest.spyOn(Date, 'now').mockReturnValue(now + 5 * minute);
	const deadline = new Date(now + 5 * minute + hour);
	expect(await deadlineOf(after(1, 'hours'), undefined, 'UTC', accept)).toEqual(deadline);
});

const inN8n = (code: string) => evaluate(`={{ ${code} }}`);
const inTokyo = inN8n("DateTime.fromISO('2030-06-02T15:30:00', { zone: 'Asia/Tokyo' })");
const moscow = 'Europe/Moscow';

test.each<[unknown, timezone: string, string]>([
	['2030-06-02T15:30:00', moscow, '2030-06-02T12:30:00Z'],
	['2030-06-02T15:30:00', 'Asia/Vladivostok', '2030-06-02T05:30:00Z'],
	[' 2030-06-02 ', moscow, '2030-06-01T21:00:00Z'],
	['2030-06-02 15:30:00', moscow, '2030-06-02T12:30:00Z'],
	[Date.parse('2030-06-02T15:30:00Z'), moscow, '2030-06-02T15:30:00Z'],
	[new Date('2030-06-02T15:30:00Z'), moscow, '2030-06-02T15:30:00Z'],
	[inTokyo, moscow, '2030-06-02T06:30:00Z'],
	[now + 1, moscow, '2030-06-01T12:00:00.001Z'],
])('the wait ends at the date %s in %s', async (date, timezone, expected) => {
	expect(await deadlineOf(atDate, date, timezone)).toEqual(new Date(expected));
});

test.each<[unknown, string]>([
	['2030-06-01T14:59:59', '2030-06-01T11:59:59.000Z'],
	[now, '2030-06-01T12:00:00.000Z'],
	// Seconds.
	[1_900_000_000, '1970-01-22T23:46:40.000Z'],
])('the wait does not end in the past: %j', (date, received) => {
	expect(problemsWith(atDate, { date })).toEqual([pastTime(dateField.displayName, received)]);
});

// The month may come before or after the day.
test.each<[unknown]>([['1/12/2030, 10:00'], [object], [new Date(NaN)], [inN8n("DateTime.fromISO('x')")]])(
	'the wait does not end at %p',
	(date) => expect(problemsWith(atDate, { date })).toEqual(refusalOf(dateField, date)),
);

test.each(hostile)('an expression can return anything: %s', (_, make) => {
	for (const [{ name, displayName }, limitType] of [
		[dateField, 'atSpecifiedTime'],
		[amountField, 'afterTimeInterval'],
	] as const) {
		const problems = problemsWith(limited({ limitType, [name]: '={{ $json.make() }}' }), { make });
		const message = expect.stringContaining(`'${displayName}'`) as string;
		expect(problems).toEqual([{ message, advice: expect.anything() }]);
	}
});

test.each<[string, isShown: boolean]>([
	...rows(['http://localhost:5678', 'http://127.0.0.1:5678', 'http://n8n.localhost'], true),
	...rows(['http://[::1]:5678', 'http://[::]:5678', 'http://0.0.0.0:5678'], true),
	...rows(['https://n8n.example.com', 'http://192.168.1.5:5678', 'https://mylocalhost'], false),
])('a hint says that only you can open %s: %s', (origin, isShown) => {
	const hint = hintOfLink(`${origin}/webhook-waiting/7/node?question=1&signature=2`);
	const words = expect.stringContaining(`begins with ${origin}, `) as string;
	expect(hint).toEqual(isShown ? words : undefined);
	expect(hint ?? 'WEBHOOK_URL').toContain('WEBHOOK_URL');
});
