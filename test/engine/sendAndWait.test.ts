import { WAIT_INDEFINITELY, type IDataObject } from 'n8n-workflow';

import { hintOfLink } from '../../nodes/ChatbotService/ask/openQuestion';
import { severalQuestions, unanswerable } from '../../nodes/ChatbotService/ask/questionProblems';
import { notShown } from '../../nodes/ChatbotService/ask/response';
import { pageWordsFor } from '../../nodes/ChatbotService/ask/words';
import * as failures from '../../nodes/ChatbotService/client/failure/failure';
import preview from '../../nodes/ChatbotService/__schema__/v1.0.0/message/sendAndWait.json';
import { noticeOfShortened } from '../../nodes/ChatbotService/resources/message/messageLimits';
import { addContacts, type Fault } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { linkIn } from '../operations/link';
import { labelOf } from '../operations/words';
import { hintsOf, openLink, retryNode, type RunOptions, type RunResult } from './harness';
import { refusal } from './messages';
import { apart, goingOn, scene, usual } from './scene';

/*
 * A question to a person: it is asked once, the execution waits only if the service has accepted it, and only an answer to this
 * question continues the workflow. Values, waits and pages: unit/question.test.ts and response.test.ts. Signatures: e2e.
 */

const words = 'Анна просит скидку 10 %.\nСогласны?';
const { service, run } = scene(usual('message/sendAndWait', { message: words }));
const approval = { values: { approvalType: 'double', approveLabel: 'Да', disapproveLabel: 'Нет' } };
const freeText = { responseType: 'freeText' };
const fromItem = { message: '={{ $json.question }}' };

const linksSent = () => service.deliveries().map(({ text }) => linkIn(text));
const link = () => linksSent().at(-1)!;

const post = async (result: RunResult, body: object, of = link()) =>
	await openLink(result, of, { method: 'POST', body });
const press = async (result: RunResult, answer: unknown, of?: string) => await post(result, { answer }, of);

const waits = ({ run: { status, waitTill } }: RunResult) => [status, waitTill !== undefined];
const waiting = ['waiting', true];

const { label } = operationOf('message/sendAndWait');
const labelOfQuestion = labelOf('message/sendAndWait', 'message');
/** n8n gives no link to an answer. */
const notKept = unanswerable(label, '');

describe('the question', () => {
	test('is sent with a signed link, and waits', async () => {
		const result = await run({ items: [{ order: 17 }] });
		expect([waits(result), hintsOf(result)]).toEqual([waiting, []]);
		expect(result.run.waitTill).toEqual(WAIT_INDEFINITELY);
		expect(result.outputs).toEqual([[{ json: { order: 17 }, pairedItem: { item: 0 } }]]);
		expect(JSON.stringify(result.run)).not.toContain(service.token);
		expect(service.deliveries()[0]!.text!.split('\n\n')).toEqual([words, link()]);
		const { origin, pathname, searchParams } = new URL(link());
		expect(origin + pathname).toBe('http://n8n/webhook-waiting/execution/tested');
		expect([...searchParams.keys()]).toEqual(['question', 'signature']);
		// n8n 1 and n8n 2.8 verify the signature of a link only on request; newer ones always do.
		const { validateSignature } = result.run.data as { validateSignature?: boolean };
		expect(validateSignature).toBe(process.env.ENGINE === '2.41' ? undefined : true);
	});

	test('whose link others cannot open has a hint', async () => {
		const result = await run({ webhookUrl: 'http://localhost:5678/webhook-waiting' });
		expect(hintsOf(result)).toEqual([hintOfLink(link())]);
	});

	const inMax = () => {
		const [{ botId, externalId }] = addContacts(service.data, 1, { messenger: 'max' }) as [never];
		return { recipient: 'externalId', messenger: 'max', botId, externalId };
	};

	test.each([
		['max', 4000],
		['', 4000],
		['viber', 7000],
	])('is shortened to fit, and whole on the page: %j', async (messenger, most) => {
		const to = { ...(messenger ? { contactMessenger: messenger } : inMax()), ...fromItem };
		await run({ with: to, items: [{ question: 'ж' }] });
		const room = most - service.deliveries()[0]!.text!.length + 1;
		for (const [question, kept] of [
			['ж'.repeat(room), 'ж'.repeat(room)],
			['ж'.repeat(room + 1), `${'ж'.repeat(room - 1)}…`],
			// It ends with a whole character, and without blanks.
			[`${'ж'.repeat(room - 2)}😀😀`, `${'ж'.repeat(room - 2)}…`],
			[`${'ж'.repeat(room - 4)} \n 😀 ${'ж'.repeat(10)}`, `${'ж'.repeat(room - 4)}…`],
		] as const) {
			const result = await run({ with: to, items: [{ question }] });
			expect(service.deliveries().at(-1)!.text).toBe(`${kept}\n\n${link()}`);
			const notice = noticeOfShortened(labelOfQuestion, kept.length);
			expect(hintsOf(result).join().includes(notice)).toBe(kept !== question);
			expect((await openLink(result, link())).html).toContain(`>${question}<`);
		}
	});
});

describe('the execution does not wait', () => {
	test.each<[string, Partial<RunOptions> & { with?: object }, failures.Problem]>([
		['for several items', { items: [{}, {}, {}] }, severalQuestions(label, 3)],
		['if n8n does not keep it', { executionId: null }, notKept],
		['in a node whose name n8n allows in no expression', { node: { name: 'constructor' } }, notKept],
	])('%s, of which nothing is sent', async (_name, given, { message, advice }) => {
		const stopped = await run(given);
		// A node with another name has its output elsewhere.
		const { error } = stopped.run.data.resultData;
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(error?.description).toContain(advice);
		const continued = await run({ ...given, node: { ...given.node, ...goingOn } });
		expect([...waits(stopped), ...waits(continued)]).toEqual(['error', false, 'success', false]);
		for (const [item, { json }] of continued.outputs.flat().entries())
			expect(json.error).toBe(`${message} [Item ${item}]`);
		expect(service.requests).toEqual([]);
	});

	const body = { id: 7 };

	test.each<[string, Fault, failures.Failure]>([
		['is not confirmed', { kind: 'answer', status: 200, body }, failures.unconfirmed(body)],
		['gets no answer', { kind: 'reset', when: 'after' }, failures.interrupted('')],
	])('when the message %s', async (_name, fault, { message }) => {
		service.faults.add(fault);
		for (const node of [{}, goingOn, apart]) {
			const { error, outputs, run: ran } = await run({ node });
			const errors = error ? [error.message] : outputs.flat().map(({ json }) => json.error);
			expect([ran.waitTill, errors]).toEqual([undefined, [`${message} [Item 0]`]]);
		}
	});
});

describe('trying again', () => {
	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	// While the execution waits, the input item is the output, and n8n takes its field `error` for a failure.
	test.each([
		[2, {}],
		[0, { error: 'Склад пуст' }],
	])('by Retry On Fail asks again after %i refusals', async (times, item) => {
		if (times) service.faults.add({ ...refusal, match: { times } });
		const result = await run({ node, items: [item as IDataObject] });
		expect([waits(result), service.requests.length]).toEqual([waiting, times + 1]);
		expect((await press(result, 'approve')).items).toHaveLength(1);
	});

	test('by Retry asks with another link', async () => {
		service.faults.add({ kind: 'reset', when: 'after', match: { times: 1 } });
		const failed = await run();
		expect(waits(failed)).toEqual(['error', false]);
		const retried = await retryNode(failed);
		expect(waits(retried)).toEqual(waiting);
		const [first, second] = linksSent();
		expect((await press(retried, 'approve', first)).status).toBe(410);
		expect((await press(retried, 'approve', second)).status).toBe(200);
	});
});

describe('the page', () => {
	test('shows the question as it was sent', async () => {
		// An expression engine may change some of these characters.
		const question = 'Скидка \ud83d \ufffd \u2028 \\ {{ 1 }} ${1} 😀';
		const options = { responseFormTitle: 'Скидка', responseFormDescription: 'Анна ждёт ответа.' };
		const message = '={{ $json.question }} {{ $now.toMillis() }}';
		const page = { message, approvalOptions: approval, options };
		const result = await run({ with: page, items: [{ question }] });
		const [sent] = service.deliveries()[0]!.text!.split('\n\nhttp');
		// All other headers of a page: test/e2e/sendAndWait.test.ts.
		const headers = { 'X-Content-Type-Options': 'nosniff' };
		// Messengers open links by themselves to show a preview.
		for (const method of ['GET', 'HEAD']) {
			const { html, ...rest } = await openLink(result, link(), { method, body: { answer: 'approve' } });
			expect(rest).toMatchObject({ status: 200, items: undefined, headers });
			for (const part of [sent, 'Скидка', 'Анна ждёт ответа.', 'Да', 'Нет'])
				expect(html).toContain(`>${part}<`);
		}
	});

	test('of a node with an odd name answers', async () => {
		const result = await run({ node: { name: 'Спроси {{ 1 }} "менеджера"\\' } });
		expect((await openLink(result, link())).html).toContain('Согласны?');
		expect((await press(result, 'approve')).items).toHaveLength(1);
	});

	test('has its own words in the language of the browser', async () => {
		const result = await run({ with: freeText });
		const request = { method: 'POST', body: { text: '' }, language: 'ru-RU,ru;q=0.9,en;q=0.8' };
		const { html } = await openLink(result, link(), request);
		for (const part of ['<html lang="ru">', 'Ответ пустой']) expect(html).toContain(part);
	});

	const fail = () => {
		throw new Error('Response is missing');
	};
	const unread = [500, notShown(pageWordsFor()).html] as const;

	test.each<[string, Record<string, unknown>, number | undefined, html: string]>([
		['the data of the execution cannot be read', { evaluateExpression: fail }, ...unread],
		['there is no response', { getResponseObject: fail }, undefined, ''],
		['the headers cannot be read', { getHeaderData: fail }, 400, expect.stringContaining('Select a button')],
	])('answers nothing and does not throw when %s', async (_name, spoiled, status, html) => {
		const result = await run();
		const request = { method: 'POST', body: { answer: 'nonsense' } };
		const opened = await openLink(result, link(), request, (context) => {
			for (const [key, value] of Object.entries(spoiled)) Object.defineProperty(context, key, { value });
		});
		expect([opened.status, opened.html, opened.items]).toEqual([status, html, undefined]);
		expect((await press(result, 'approve')).items).toHaveLength(1);
	});
});

describe('an answer', () => {
	test.each<[string, object, IDataObject, IDataObject]>([
		['approved', {}, { answer: 'approve' }, { approved: true }],
		['declined', { approvalOptions: approval }, { answer: 'decline' }, { approved: false }],
		['a text', freeText, { text: ' Да,\r\nно 5 % ' }, { text: 'Да,\nно 5 %' }],
	])('that is %s becomes the output, linked to the item', async (_name, changes, body, answer) => {
		const { items, status } = await post(await run({ with: changes }), body);
		const data = { ...answer, question: words, respondedAt: expect.stringMatching(/^\d{4}-.*Z$/) as string };
		expect([status, items]).toEqual([200, [{ json: { data }, pairedItem: { item: 0 } }]]);
		// The editor shows an approval before a run.
		const shown = Object.keys(preview.properties.data.properties).sort();
		if (answer.approved) expect(Object.keys(items![0]!.json.data as object).sort()).toEqual(shown);
	});
});
