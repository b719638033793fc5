import { WAIT_INDEFINITELY, type IDataObject, type INodeParameters } from 'n8n-workflow';

import { hintOfLink } from '../../nodes/ChatbotService/ask/openQuestion';
import { severalQuestions, unanswerable } from '../../nodes/ChatbotService/ask/problems';
import { notShown } from '../../nodes/ChatbotService/ask/response';
import { pageWordsFor } from '../../nodes/ChatbotService/ask/words';
import {
	interrupted,
	unconfirmed,
	valuesRefused,
	type Failure,
	type Problem,
} from '../../nodes/ChatbotService/client/failure/failure';
import preview from '../../nodes/ChatbotService/__schema__/v1.0.0/message/sendAndWait.json';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED, type Fault } from '../../sandbox/emulator';
import { operationOf } from '../operations';
import { linkIn } from '../operations/link';
import { labelOf } from '../operations/words';
import {
	credentialFor,
	hintsOf,
	openLink,
	retryNode,
	runNode,
	stoppable,
	until,
	useEmulator,
	type RunOptions,
	type RunResult,
} from './harness';
import { refusal } from './messages';

/*
 * A question to a person: it is asked once, the execution waits only if the service has accepted it, and only an answer to this
 * question continues the workflow. Values, waits and pages: unit/question.test.ts and response.test.ts. Signatures: e2e.
 */

const service = useEmulator();

const words = 'Анна просит скидку 10 %.\nСогласны?';
const ask: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	contactId: String(SEEDED.contacts.telegram),
	message: words,
};
const approval = { values: { approvalType: 'double', approveLabel: 'Да', disapproveLabel: 'Нет' } };

const run = async (options: Partial<RunOptions> = {}) =>
	await runNode({ parameters: ask, credential: credentialFor(service), ...options });

const linksSent = () => service.deliveries().map(({ text }) => linkIn(text));
const link = () => linksSent().at(-1)!;

const press = async (result: RunResult, answer: unknown, of = link()) =>
	await openLink(result, of, { method: 'POST', body: { answer } });

const waits = ({ run: { status, waitTill } }: RunResult) => [status, waitTill !== undefined];
const waiting = ['waiting', true];

const { label } = operationOf('message/sendAndWait');
const noQuestion = emptyField(labelOf('message/sendAndWait', 'message'));
/** n8n gives no link to an answer. */
const notKept = unanswerable(label, '');

describe('the question', () => {
	test('is sent with a signed link below it, and the execution waits with the input item as output', async () => {
		const result = await run({ items: [{ order: 17 }] });
		expect(waits(result)).toEqual(waiting);
		expect(result.run.waitTill).toEqual(WAIT_INDEFINITELY);
		expect(result.outputs).toEqual([[{ json: { order: 17 }, pairedItem: { item: 0 } }]]);
		expect(hintsOf(result)).toEqual([]);
		expect(JSON.stringify(result.run)).not.toContain(service.token);
		expect(service.deliveries()[0]!.text!.split('\n\n')).toEqual([words, link()]);
		const { origin, pathname, searchParams } = new URL(link());
		expect(origin + pathname).toBe('http://n8n/webhook-waiting/execution/tested');
		expect([...searchParams.keys()]).toEqual(['question', 'signature']);
		// n8n 1 and n8n 2.8 verify the signature of a link only on request; newer ones always do.
		const { validateSignature } = result.run.data as { validateSignature?: boolean };
		expect(validateSignature).toBe(process.env.ENGINE === '2.41' ? undefined : true);
	});

	test('leaves the input item as it is, which n8n outputs after the time limit', async () => {
		const json = { order: 17, error: 'Склад пуст' };
		const { run: ran } = await run({ items: [json], node: { onError: 'continueErrorOutput' } });
		const [waitingNode] = ran.data.executionData!.nodeExecutionStack;
		const left = [[{ json, pairedItem: { item: 0 } }]];
		expect([waitingNode!.node.name, waitingNode!.data.main]).toEqual(['Tested', left]);
	});

	test('whose link others cannot open has a hint that says so', async () => {
		const result = await run({ webhookUrl: 'http://localhost:5678/webhook-waiting' });
		expect(hintsOf(result)).toEqual([hintOfLink(link())]);
	});

	test("is asked about the first of several items with 'Execute Once'", async () => {
		const parameters = { ...ask, message: '={{ $json.question }}' };
		const items = [{ question: 'Первый?' }, { question: 'Второй?' }];
		expect(waits(await run({ parameters, items, node: { executeOnce: true } }))).toEqual(waiting);
		expect(service.deliveries().map(({ text }) => text!.split('\n')[0])).toEqual(['Первый?']);
	});
});

describe('nothing is sent, the execution does not wait, and the error says what to do', () => {
	test.each<[string, Partial<RunOptions>, Problem]>([
		['for an empty question', { parameters: { ...ask, message: ' ' } }, noQuestion],
		['for several items', { items: [{}, {}, {}] }, severalQuestions(label, 3)],
		['in an execution that n8n does not keep', { executionId: null }, notKept],
		['in a node whose name n8n allows in no expression', { node: { name: 'constructor' } }, notKept],
	])('%s', async (_name, options, { message, advice }) => {
		const stopped = await run(options);
		// A node with another name has its output elsewhere.
		const { error } = stopped.run.data.resultData;
		expect(error?.message).toBe(`${message} [Item 0]`);
		expect(error?.description).toContain(advice);
		const continued = await run({ ...options, node: { ...options.node, onError: 'continueRegularOutput' } });
		expect([waits(stopped), waits(continued)]).toEqual([
			['error', false],
			['success', false],
		]);
		for (const [item, { json }] of continued.outputs.flat().entries())
			expect(json.error).toBe(`${message} [Item ${item}]`);
		expect(service.requests).toEqual([]);
	});
});

describe('the execution does not wait', () => {
	test.each<[string, Fault, Failure]>([
		['is refused', refusal, valuesRefused(422, [], '')],
		['is not confirmed', { kind: 'answer', status: 200, body: { id: 7 } }, unconfirmed(200, { id: 7 })],
		['gets no answer', { kind: 'reset', when: 'after' }, interrupted('')],
	])('when the message %s', async (_name, fault, { message }) => {
		for (const onError of [undefined, 'continueRegularOutput', 'continueErrorOutput'] as const) {
			service.faults.add(fault);
			const result = await run({ node: { onError } });
			expect(result.run.waitTill).toBeUndefined();
			const rows = result.outputs.flat().map(({ json }) => json.error);
			expect(onError ? rows : [result.error?.message]).toEqual([`${message} [Item 0]`]);
			service.faults.clear();
		}
	});

	test('when the user stops the execution before the service answers', async () => {
		service.faults.add({ kind: 'delay', ms: 5000, when: 'after' });
		const { ended, stop } = stoppable(async (onStart) => await run({ onStart }));
		await until(() => service.requests.length === 1);
		stop();
		expect(waits(await ended)).toEqual(['canceled', false]);
	});
});

describe('trying again', () => {
	const node = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	test('Retry On Fail asks again after a refusal, and the link of the accepted message works', async () => {
		service.faults.add({ ...refusal, match: { times: 2 } });
		const result = await run({ node });
		expect(waits(result)).toEqual(waiting);
		expect(service.requests).toHaveLength(3);
		expect((await press(result, 'approve')).items).toHaveLength(1);
	});

	// While the execution waits, the input item is the output, and n8n takes its field `error` for a failure.
	test('Retry On Fail does not ask again about an item with a field "error"', async () => {
		const result = await run({ items: [{ error: 'Склад пуст' }], node });
		expect(waits(result)).toEqual(waiting);
		expect(service.requests).toHaveLength(1);
		expect((await press(result, 'approve')).items).toHaveLength(1);
	});

	test('Retry of a failed execution asks again with another link, because the old one leads nowhere', async () => {
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
	test('shows the question as it was sent, although the parameters may have other values by then', async () => {
		// An expression engine may change some of these characters.
		const question = 'Скидка \ud83d \ufffd \u2028 \\ {{ 1 }} ${1} 😀';
		const parameters = {
			...ask,
			message: '={{ $json.question }} {{ $now.toMillis() }}',
			approvalOptions: approval,
			options: { responseFormTitle: 'Скидка', responseFormDescription: 'Анна ждёт ответа.' },
		};
		const result = await run({ parameters, items: [{ question }] });
		const [sent] = service.deliveries()[0]!.text!.split('\n\nhttp');
		// Messengers open links by themselves to show a preview.
		for (const method of ['GET', 'HEAD']) {
			const { html, ...rest } = await openLink(result, link(), { method, body: { answer: 'approve' } });
			// All other headers of a page: test/e2e/sendAndWait.test.ts.
			const headers = { 'X-Content-Type-Options': 'nosniff' };
			expect(rest).toMatchObject({ status: 200, items: undefined, headers });
			for (const part of [sent, 'Скидка', 'Анна ждёт ответа.', 'Да', 'Нет'])
				expect(html).toContain(`>${part}<`);
		}
	});

	test.each(['Ask {{ 1 }} you', 'Спроси "менеджера"\\'])(
		'of a node with the name %j shows the question and takes the answer',
		async (name) => {
			const result = await run({ node: { name } });
			expect((await openLink(result, link())).html).toContain('Согласны?');
			expect((await press(result, 'approve')).items).toHaveLength(1);
		},
	);

	test("has the node's own words in the language of the browser", async () => {
		const result = await run({ parameters: { ...ask, responseType: 'freeText' } });
		const post = { method: 'POST', body: { text: '' }, language: 'ru-RU,ru;q=0.9,en;q=0.8' };
		const { html } = await openLink(result, link(), post);
		expect(html).toContain('<html lang="ru">');
		expect(html).toContain('Ответ пустой');
	});

	const fail = () => {
		throw new Error('Response is missing');
	};

	const unread = [500, notShown(pageWordsFor()).html] as const;

	test.each<[string, Record<string, unknown>, number | undefined, html: string]>([
		['the data of the execution cannot be read', { evaluateExpression: fail }, ...unread],
		['the data is no question', { evaluateExpression: () => '{"id":1' }, ...unread],
		['there is no response', { getResponseObject: fail }, undefined, ''],
		['the headers cannot be read', { getHeaderData: fail }, 400, expect.stringContaining('Press a button')],
	])('does not throw, and the workflow does not continue, when %s', async (_name, spoiled, status, html) => {
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
	test.each<[string, INodeParameters, IDataObject, IDataObject]>([
		['approved', ask, { answer: 'approve' }, { approved: true }],
		['declined', { ...ask, approvalOptions: approval }, { answer: 'decline' }, { approved: false }],
		['a text', { ...ask, responseType: 'freeText' }, { text: ' Да,\r\nно 5 % ' }, { text: 'Да,\nно 5 %' }],
	])('that is %s becomes the output, linked to the input item', async (_name, parameters, body, answer) => {
		const result = await run({ parameters });
		const { items, status } = await openLink(result, link(), { method: 'POST', body });
		expect(status).toBe(200);
		const respondedAt = expect.stringMatching(/^\d{4}-.*Z$/) as string;
		const data = { ...answer, question: words, respondedAt };
		expect(items).toEqual([{ json: { data }, pairedItem: { item: 0 } }]);
	});

	test('is shown in the editor before a run as an approval, the usual one', async () => {
		const { items } = await press(await run(), 'approve');
		const shown = Object.keys(preview.properties.data.properties);
		expect(shown.sort()).toEqual(Object.keys(items![0]!.json.data as object).sort());
	});

	test.each<[string, INodeParameters, IDataObject, IDataObject]>([
		['a button', { approvalOptions: approval }, { answer: 'approve' }, { answer: 'decline' }],
		['a text', { responseType: 'freeText' }, { text: 'Да' }, { text: 'Нет' }],
	])(
		'by %s counts once: of several at the same time, one continues the workflow, and only the same one is thanked',
		async (...of) => {
			const [, parameters, body, another] = of;
			const result = await run({ parameters: { ...ask, ...parameters } });
			const sent = [body, body, another, another];
			const all = await Promise.all(
				sent.map(async (each) => await openLink(result, link(), { method: 'POST', body: each })),
			);
			// Whichever comes first.
			const first = all.findIndex(({ items }) => items);
			for (const [index, { status, items, html }] of all.entries()) {
				const isSame = sent[index] === sent[first];
				expect([status, items?.length]).toEqual([isSame ? 200 : 409, index === first ? 1 : undefined]);
				if (isSame) expect(html).toBe(all[first]!.html);
			}
		},
	);
});
