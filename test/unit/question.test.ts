import { WAIT_INDEFINITELY, type INodePropertyCollection } from 'n8n-workflow';

import * as ask from '../../nodes/ChatbotService/ask/openQuestion';
import { pastTime } from '../../nodes/ChatbotService/ask/questionProblems';
import type { Problem } from '../../nodes/ChatbotService/client/failure/failure';
import { findOperation } from '../../nodes/ChatbotService/resources';
import { checkAs } from '../../nodes/ChatbotService/resources/kind';
import { limitWaitTime } from '../../nodes/ChatbotService/resources/message/waitLimit';
import type { Field } from '../../nodes/ChatbotService/resources/operation';
import { placesIn } from '../../nodes/ChatbotService/resources/places';
import type { Question } from '../../nodes/ChatbotService/resources/operation';
import { Check } from '../../nodes/ChatbotService/run/values/check';
import { emptyField } from '../../nodes/ChatbotService/run/values/valueProblems';
import { valueAt } from '../../nodes/ChatbotService/run/values/expressions';
import { evaluate } from './expression';
import { fieldAt, given, inMoscow, refusedAt, sampleOf, takenOf } from './samples';
import { rows } from './tableRows';

/* The values of a question, and how long it waits for its answer. A question that is asked: test/engine/sendAndWait.test.ts. */

type Given = Record<string, unknown>;

const operation = findOperation('message', 'sendAndWait')!;
const title = 'message/sendAndWait to a contact';

const [{ values: limitFields }] = limitWaitTime.options as [INodePropertyCollection];
const [, amountField, unitField, dateField] = limitFields as [Field, Field, Field, Field];

const places = new Map(placesIn(operation.fields));
const labelOf = (field: Field) => places.get(field)!.label;

/** What is wrong with a value of a field. */
const refusalOf = (field: Field, value: unknown): Problem[] =>
	(checkAs(field.kind!, value, labelOf(field)) as { problems: Problem[] }).problems;

const now = Date.parse('2030-06-01T12:00:00Z');
const [minute, hour, day] = [60_000, 3_600_000, 86_400_000] as const;

beforeEach(() => jest.spyOn(Date, 'now').mockReturnValue(now));
afterEach(() => jest.restoreAllMocks());

/** What is checked of an item with these parameters. @param evaluated values of expressions, by the names of their fields */
function check(parameters: Given, evaluated: Given = {}) {
	const raw = {
		...{ resource: 'message', operation: 'sendAndWait', recipient: 'contact', contactId: 5 },
		...{ contactMessenger: 'vk', message: 'Дать скидку?', responseType: 'approval', ...parameters },
	};
	const at = (path: string) => {
		const name = path.split('.').at(-1)!;
		return name in evaluated ? evaluated[name] : valueAt(raw, path);
	};
	return new Check(operation, raw, inMoscow).valuesOf({ ...given(sampleOf(title), {}), at });
}

const hostFor = () =>
	({
		items: [{ json: {} }],
		keep: jest.fn((_question: ask.OpenQuestion) => 'https://n8n.example.com/webhook-waiting/7?question=1'),
		wait: jest.fn(async (_until: Date) => {}),
	}) satisfies ask.QuestionHost;

const questionIn = (questionHost: ask.QuestionHost) =>
	ask.questionOfRun(operation, { questionHost, count: 1 }) as ask.QuestionOfRun;

/** What is wrong with the values of an item or with its question; empty if nothing is. */
function problemsWith(...asked: Parameters<typeof check>): Problem[] {
	const values = check(...asked);
	if ('problems' in values) return values.problems;
	const host = hostFor();
	const opened = questionIn(host).open(values);
	if (!('problems' in opened)) return [];
	// Otherwise an earlier question would lose its answer.
	expect(host.keep).not.toHaveBeenCalled();
	return opened.problems;
}

/** The moment until which an execution waits. @param accept what happens until the message is accepted */
async function deadlineOf(parameters: Given, maxDateAndTime?: unknown, accept = () => {}) {
	const host = hostFor();
	const question = questionIn(host);
	expect(question.open(takenOf(check(parameters, { maxDateAndTime })))).not.toHaveProperty('problems');
	accept();
	await question.wait();
	return host.wait.mock.calls[0]![0];
}

const limited = (values: Given): Given => ({ options: { limitWaitTime: { values } } });
const after = (resumeAmount: unknown, resumeUnit: unknown = 'minutes') =>
	limited({ limitType: 'afterTimeInterval', resumeAmount, resumeUnit });
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
	[buttons('double', undefined, ' '), asApproval('Approve', 'Decline')],
	[freeText, asText('Submit')],
	[{ ...freeText, options: { responseFormButtonLabel: ' Отправить ' } }, asText('Отправить')],
	[{ options: texts }, { title: 'Скидка', description: 'Анна\nждёт.' }],
])('%j asks %j', (parameters, expected) => {
	const usual = { title: '', description: '', form: expect.anything(), waitLimit: undefined, longest: 4096 };
	expect(takenOf(check(parameters)).question).toEqual({ ...usual, ...expected });
});

test('an unknown messenger is asked, with a notice', () => {
	const notice = expect.stringContaining('инста') as string;
	expect(questionIn(hostFor()).open(takenOf(check({ contactMessenger: 'инста' })))).toMatchObject({ notice });
});

const inN8n = (code: string) => evaluate(`={{ ${code} }}`);
const past = (received: string) => [pastTime(dateField.displayName, received)];

test.each<[Given, Problem[], date: unknown]>([
	[{ responseType: 'form' }, [refusedAt(title, 'responseType', 'form')], undefined],
	[buttons('double', object), refusalOf(fieldAt(title, 'approvalOptions.approveLabel'), object), undefined],
	// What is not used may be wrong.
	[buttons('single', 'Дать', object), [], undefined],
	[{ options: { responseFormButtonLabel: object } }, [], undefined],
	[{ ...freeText, ...buttons('triple', object) }, [], undefined],
	[after(5), [], 'вчера'],
	[after(0), refusalOf(amountField, 0), undefined],
	[after('скоро'), refusalOf(amountField, 'скоро'), undefined],
	[after(5, 'weeks'), refusalOf(unitField, 'weeks'), undefined],
	[atDate, [emptyField(labelOf(dateField))], undefined],
	[atDate, past('2030-06-01T11:59:59.000Z'), '2030-06-01T14:59:59'],
	// Seconds.
	[atDate, past('1970-01-22T23:46:40.000Z'), 1_900_000_000],
])('%j is refused for %j', (parameters, expected, maxDateAndTime) => {
	expect(problemsWith(parameters, { maxDateAndTime })).toEqual(expected);
});

const inTokyo = inN8n("DateTime.fromISO('2030-06-02T15:30:00', { zone: 'Asia/Tokyo' })");
const halfPast = new Date('2030-06-02T15:30:00Z');

test.each<[Given, number | Date, date: unknown]>([
	...rows([{}, { options: {} }], new Date('3000-01-01T00:00:00Z'), undefined),
	[after(45), 45 * minute, undefined],
	[after('2,5', 'hours'), 2.5 * hour, undefined],
	[after('3', ' DAYS '), 3 * day, undefined],
	[after(0.01), 600, undefined],
	// n8n does not store a value that equals its default.
	[limited({}), hour, undefined],
	[limited({ resumeAmount: 45 }), 45 * hour, undefined],
	// After the year 3000.
	[after(400_000, 'days'), WAIT_INDEFINITELY, undefined],
	[atDate, WAIT_INDEFINITELY, new Date(8.64e15)],
	[atDate, new Date('2030-06-02T12:30:00Z'), '2030-06-02T15:30:00'],
	[atDate, halfPast, halfPast],
	[atDate, new Date('2030-06-02T06:30:00Z'), inTokyo],
	[atDate, 1, now + 1],
])('the wait with %j ends after %p: %s', async (parameters, expected, date) => {
	const deadline = typeof expected === 'number' ? new Date(now + expected) : expected;
	expect(await deadlineOf(parameters, date)).toEqual(deadline);
});

test('the wait begins when the message is accepted', async () => {
	const accept = () => void jest.spyOn(Date, 'now').mockReturnValue(now + 5 * minute);
	const deadline = new Date(now + 5 * minute + hour);
	expect(await deadlineOf(after(1, 'hours'), undefined, accept)).toEqual(deadline);
});

test.each<[string, isShown: boolean]>([
	...rows(['http://localhost:5678', 'http://127.0.0.1:5678', 'http://n8n.localhost'], true),
	...rows(['http://[::1]:5678', 'http://[::]:5678', 'http://0.0.0.0:5678'], true),
	...rows(['https://n8n.example.com', 'http://192.168.1.5:5678', 'https://mylocalhost'], false),
])('a hint says that only you can open %s: %s', (origin, isShown) => {
	const hint = ask.hintOfLink(`${origin}/webhook-waiting/7/node?question=1&signature=2`);
	const words = expect.stringContaining(`begins with ${origin}, `) as string;
	expect(hint).toEqual(isShown ? words : undefined);
	expect(hint ?? 'WEBHOOK_URL').toContain('WEBHOOK_URL');
});
