import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { WAIT_INDEFINITELY, type IDataObject, type INode, type INodeParameters } from 'n8n-workflow';

import { hintOfLink } from '../../nodes/ChatbotService/ask/asking';
import {
	cannotWait,
	pastTime,
	severalQuestions,
	unanswerable,
} from '../../nodes/ChatbotService/ask/problems';
import { notShown } from '../../nodes/ChatbotService/ask/response';
import { valuesRefused, type Problem } from '../../nodes/ChatbotService/client/failure';
import { maxDateAndTime } from '../../nodes/ChatbotService/resources/message/waitLimit';
import { emptyField } from '../../nodes/ChatbotService/run/values/problems';
import { SEEDED } from '../../sandbox/emulator';
import { operationOf, unknownOf } from '../operations';
import { linkIn } from '../operations/link';
import { labelOf } from '../operations/words';
import {
	callAlone,
	callAsTool,
	callByEngine,
	credentialFor,
	hintsOf,
	openLink,
	retryNode,
	runNode,
	stoppable,
	until,
	useEmulator,
	type LinkRequest,
	type RunOptions,
	type RunResult,
} from './harness';
import { refusal } from './messages';

/*
 * A question to a person: it is asked once, the execution waits only if the service has accepted it, and only an answer to this
 * question continues the workflow. test/e2e/sendAndWait.test.ts shows the same in a whole n8n, with its signature.
 */

const service = useEmulator();

const { telegram: manager } = SEEDED.contacts;
const words = 'Анна просит скидку 10 %.\nСогласны?';
const ask: INodeParameters = {
	resource: 'message',
	operation: 'sendAndWait',
	contactId: String(manager),
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

/** n8n gives no link to an answer. */
const notKept = unanswerable(operationOf('message/sendAndWait').label, '');

const minutes = 60_000;

describe('the question', () => {
	test('is sent with a signed link below it, and the execution waits with the input item as output', async () => {
		const result = await run({ items: [{ order: 17 }] });
		expect(waits(result)).toEqual(waiting);
		expect(result.run.waitTill).toEqual(WAIT_INDEFINITELY);
		expect(result.outputs).toEqual([[{ json: { order: 17 }, pairedItem: { item: 0 } }]]);
		expect(service.deliveries()[0]!.text!.split('\n\n')).toEqual([words, link()]);
		const { origin, pathname, searchParams } = new URL(link());
		expect(origin + pathname).toBe('http://n8n/webhook-waiting/execution/tested');
		expect([...searchParams.keys()]).toEqual(['question', 'signature']);
		expect(searchParams.get('question')).toMatch(/^[\da-f-]{36}$/);
	});

	test.each([undefined, 'continueRegularOutput', 'continueErrorOutput'] as const)(
		'leaves the input item as it is, which n8n outputs after the time limit (On Error: %s)',
		async (onError) => {
			const rawItems = [{ json: { order: 17, error: 'Склад пуст' }, pairedItem: { item: 0 } }];
			const { run: ran } = await run({ rawItems, node: { onError } });
			const [waitingNode] = ran.data.executionData!.nodeExecutionStack;
			expect(waitingNode!.node.name).toBe('Tested');
			expect(waitingNode!.data.main).toEqual([rawItems]);
		},
	);

	test('has an ID of its own each time, also in one execution', async () => {
		for (let time = 0; time < 3; time++) await run();
		expect(new Set(linksSent()).size).toBe(3);
	});

	test('of 4,000 letters is sent whole, and the link remains below it', async () => {
		const long = 'ж'.repeat(4000);
		const result = await run({ parameters: { ...ask, message: long } });
		expect(service.deliveries()[0]!.text).toBe(`${long}\n\n${link()}`);
		expect((await openLink(result, link())).html).toContain(long);
	});

	// n8n 1 and n8n 2.8 verify the signature of a link only on request; newer ones always do.
	test('asks n8n to verify the signature of its link', async () => {
		const { validateSignature } = (await run()).run.data as { validateSignature?: boolean };
		expect(validateSignature).toBe(process.env.ENGINE === '2.41' ? undefined : true);
	});

	test.each<[string, INodeParameters, number]>([
		['45 minutes', { limitType: 'afterTimeInterval', resumeAmount: 45, resumeUnit: 'minutes' }, 45],
		['2 days', { limitType: 'afterTimeInterval', resumeAmount: 2, resumeUnit: 'days' }, 2 * 24 * 60],
		['an hour, the default, which n8n does not store', {}, 60],
	])('lets the execution wait for %s', async (_name, values, expected) => {
		const before = Date.now();
		const result = await run({ parameters: { ...ask, options: { limitWaitTime: { values } } } });
		const waited = (result.run.waitTill as Date).getTime() - before;
		expect(Math.abs(waited - expected * minutes)).toBeLessThan(minutes / 2);
	});

	test('lets the execution wait until a time, in the time zone of the workflow', async () => {
		const values = { limitType: 'atSpecifiedTime', maxDateAndTime: '={{ $json.until }}' };
		const parameters = { ...ask, options: { limitWaitTime: { values } } };
		const { run: ran } = await run({ parameters, items: [{ until: '2999-11-24T18:00:00' }] });
		// n8n's usual time zone, in winter.
		expect(ran.waitTill).toEqual(new Date('2999-11-24T23:00:00Z'));
	});
});

/* All values of the parameters: unit/question.test.ts. */
describe('nothing is sent, the execution does not wait, and the error says what to do', () => {
	const past = { limitType: 'atSpecifiedTime', maxDateAndTime: '2020-01-01' };
	const { label } = operationOf('message/sendAndWait');

	test.each<[string, Partial<RunOptions>, Problem]>([
		[
			'for an empty question',
			{ parameters: { ...ask, message: '={{ $json.question }}' } },
			emptyField(labelOf('message/sendAndWait', 'message')),
		],
		[
			'for a time in the past',
			{ parameters: { ...ask, options: { limitWaitTime: { values: past } } } },
			pastTime(maxDateAndTime.displayName, '2020-01-01'),
		],
		['for several items', { items: [{}, {}, {}] }, severalQuestions(label, 3)],
		['in an execution that n8n does not keep', { executionId: null }, notKept],
	])('%s', async (_name, options, { message, advice }) => {
		const stopped = await run(options);
		expect(stopped.error?.message).toBe(`${message} [Item 0]`);
		expect(stopped.error?.description).toContain(advice);
		const continued = await run({ ...options, node: { onError: 'continueRegularOutput' } });
		expect(continued.json.map(({ error }) => error)).toEqual(
			(options.items ?? [{}]).map((_, item) => `${message} [Item ${item}]`),
		);
		expect([waits(stopped), waits(continued)]).toEqual([
			['error', false],
			['success', false],
		]);
		expect(service.requests).toEqual([]);
	});

	test("with 'Execute Once', only the first of several items is asked about", async () => {
		const parameters = { ...ask, message: '={{ $json.question }}' };
		const items = [{ question: 'Первый?' }, { question: 'Второй?' }];
		const result = await run({ parameters, items, node: { executeOnce: true } });
		expect(waits(result)).toEqual(waiting);
		expect(service.deliveries().map(({ text }) => text!.split('\n')[0])).toEqual(['Первый?']);
	});
});

test.each([
	['http://localhost:5678', 1],
	['http://127.0.0.1:5678', 1],
	['http://[::1]:5678', 1],
	['http://n8n.localhost', 1],
	['https://n8n.example.com', 0],
	['http://192.168.1.5:5678', 0],
	['https://localhost.example.com', 0],
])('for a link to %s there are %i hints that others cannot open it', async (origin, hints) => {
	const result = await run({ webhookUrl: `${origin}/webhook-waiting` });
	expect(waits(result)).toEqual(waiting);
	expect(hintsOf(result)).toEqual(Array.from({ length: hints }, () => hintOfLink(link())?.message));
	expect(link()).toContain(`${origin}/webhook-waiting/`);
});

describe('the execution does not wait', () => {
	test.each<[string, INode['onError']]>([
		['stops', undefined],
		['continues', 'continueRegularOutput'],
		['uses the error output', 'continueErrorOutput'],
	])('when the service refuses the message and the workflow %s', async (_name, onError) => {
		service.faults.add(refusal);
		const result = await run({ node: { onError } });
		expect(waits(result)[1]).toBe(false);
		expect(JSON.stringify([result.error?.message, result.outputs])).toContain(
			valuesRefused(422, [], '').message,
		);
	});

	test('when the outcome is unknown, and the question is not asked again', async () => {
		service.faults.add({ kind: 'reset', when: 'after' });
		const result = await run({ node: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } });
		expect(waits(result)).toEqual(['error', false]);
		expect(result.error?.description?.startsWith(unknownOf(operationOf('message/sendAndWait')))).toBe(true);
		expect(service.requests).toHaveLength(1);
	});

	test('when the user stops the execution before the service answers', async () => {
		service.faults.add({ kind: 'delay', ms: 5000, when: 'after' });
		const { ended, stop } = stoppable(async (onStart) => await run({ onStart }));
		await until(() => service.requests.length === 1);
		stop();
		const result = await ended;
		expect(result.run.status).toBe('canceled');
		expect(result.run.waitTill).toBeUndefined();
	});
});

describe('trying again', () => {
	const retryOnFail = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };

	test('Retry On Fail asks again after a refusal, and the link of the accepted message works', async () => {
		service.faults.add({ ...refusal, match: { times: 2 } });
		const result = await run({ node: retryOnFail });
		expect(waits(result)).toEqual(waiting);
		expect(service.requests).toHaveLength(3);
		expect((await press(result, 'approve')).items).toHaveLength(1);
	});

	// While the execution waits, the input item is the output, and n8n takes its field `error` for a failure.
	test('Retry On Fail does not ask again about an item with a field "error"', async () => {
		const result = await run({ items: [{ error: 'Склад пуст' }], node: retryOnFail });
		expect(waits(result)).toEqual(waiting);
		expect(service.requests).toHaveLength(1);
		expect((await press(result, 'approve')).items).toHaveLength(1);
	});

	test('Retry of a failed execution asks again with another link, because the old one leads nowhere', async () => {
		service.faults.add({ kind: 'reset', when: 'after', match: { times: 1 } });
		const failed = await run();
		expect(failed.run.status).toBe('error');
		const retried = await retryNode(failed);
		expect(waits(retried)).toEqual(waiting);
		expect(new Set(linksSent()).size).toBe(2);
		const [first, second] = linksSent();
		expect((await press(retried, 'approve', first)).status).toBe(410);
		expect((await press(retried, 'approve', second)).status).toBe(200);
	});
});

describe('the page', () => {
	test('shows the question as it was sent, although the parameters may have other values by then', async () => {
		const parameters = { ...ask, message: '={{ $json.question }} {{ $now.toMillis() }}' };
		const result = await run({ parameters, items: [{ question: 'Согласны?' }] });
		const { html, status } = await openLink(result, link());
		expect(status).toBe(200);
		expect(html).toContain(service.deliveries()[0]!.text!.split('\n')[0]);
	});

	test('has the headings and labels of the parameters', async () => {
		const options = { responseFormTitle: 'Скидка', responseFormDescription: 'Анна ждёт ответа.' };
		const result = await run({ parameters: { ...ask, approvalOptions: approval, options } });
		const { html } = await openLink(result, link());
		for (const part of ['Скидка', 'Анна ждёт ответа.', 'Да', 'Нет']) expect(html).toContain(`>${part}<`);
	});

	test.each(['GET', 'HEAD', 'OPTIONS'])('only shows the question to %s', async (method) => {
		const result = await run();
		expect(await openLink(result, link(), { method, body: { answer: 'approve' } })).toMatchObject({
			status: 200,
			items: undefined,
		});
	});

	test.each<[string, LinkRequest]>([
		['without an ID', { query: {} }],
		['with an empty ID', { query: { question: '' } }],
		['with another ID', { query: { question: '1b4e28ba-2fa1-41d2-883f-0016d3cca427' } }],
		['with several IDs', { query: { question: ['a', 'b'] } }],
		['with an ID that is an object', { query: { question: { toString: 1 } } }],
	])('answers a link %s with 410, and the execution continues to wait', async (_name, request) => {
		const result = await run();
		const opened = await openLink(result, link(), {
			method: 'POST',
			body: { answer: 'approve' },
			...request,
		});
		expect(opened).toMatchObject({ status: 410, items: undefined });
	});

	test.each<[string, unknown]>([
		['nothing', undefined],
		['null', null],
		['an empty body', {}],
		['a list', [{ answer: 'approve' }]],
		['several answers', { answer: ['approve', 'decline'] }],
		['an unknown answer', { answer: 'maybe' }],
		['5 MB', { answer: 'a'.repeat(5_000_000) }],
		['a text', 'approve'],
	])('shows the question again when it is posted %s', async (_name, body) => {
		const result = await run();
		const opened = await openLink(result, link(), { method: 'POST', body });
		expect(opened).toMatchObject({ status: 400, items: undefined });
		expect(opened.html).toContain('Согласны?');
	});
});

test('a question with characters that an expression engine may change is asked, and shown as it was sent', async () => {
	const odd = 'Скидка\0 \ud83d \ufffd \u2028 \\ {{ 1 }} ${1} 😀 "да"';
	const result = await run({ parameters: { ...ask, message: '={{ $json.odd }}' }, items: [{ odd }] });
	expect(waits(result)).toEqual(waiting);
	const [sent] = service.deliveries()[0]!.text!.split('\n\nhttp');
	const { html } = await openLink(result, link());
	expect(html).toContain(sent!.replaceAll('"', '&quot;'));
});

describe('an answer', () => {
	const answered = async (parameters: INodeParameters, body: IDataObject) => {
		const result = await run({ parameters });
		return await openLink(result, link(), { method: 'POST', body });
	};
	const respondedAt = expect.stringMatching(/^\d{4}-.*Z$/) as string;

	test.each<[string, INodeParameters, IDataObject, IDataObject]>([
		['approved', ask, { answer: 'approve' }, { approved: true }],
		['declined', { ...ask, approvalOptions: approval }, { answer: 'decline' }, { approved: false }],
		['a text', { ...ask, responseType: 'freeText' }, { text: ' Да,\r\nно 5 % ' }, { text: 'Да,\nно 5 %' }],
	])('that is %s becomes the output, linked to the input item', async (_name, parameters, body, data) => {
		const { items, status } = await answered(parameters, body);
		expect(status).toBe(200);
		expect(items).toEqual([{ json: { data: { ...data, respondedAt } }, pairedItem: { item: 0 } }]);
	});

	test('has the fields that the editor previews', async () => {
		const approved = await answered(ask, { answer: 'approve' });
		const text = await answered({ ...ask, responseType: 'freeText' }, { text: 'Да' });
		const data = [approved, text].map(({ items }) => items![0]!.json.data as IDataObject);
		const types = Object.entries(Object.assign({}, ...data) as IDataObject).map(([key, value]) => [
			key,
			{ type: typeof value },
		]);
		const file = join(__dirname, '../../nodes/ChatbotService/__schema__/v1.0.0/message/sendAndWait.json');
		const preview = JSON.parse(readFileSync(file, 'utf8')) as { properties: unknown };
		expect(preview.properties).toEqual({
			data: { type: 'object', properties: Object.fromEntries(types) as unknown },
		});
	});

	test('counts once: of several at the same time, only the first continues the workflow', async () => {
		const result = await run({ parameters: { ...ask, approvalOptions: approval } });
		const all = await Promise.all(
			['decline', 'approve', 'approve'].map(async (each) => await press(result, each)),
		);
		expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
		for (const { status, items } of all) expect(items?.length).toBe(status === 200 ? 1 : undefined);
	});
});

test.each([
	'Ask {{ 1 }} you',
	'}}{{',
	'Спроси "менеджера"\\',
	"l'équipe",
	'две\nстроки',
	'😀',
	'$node["Start"]',
	'`${1}`',
	'Prototype',
])('a node with the name %j asks and takes the answer', async (name) => {
	const result = await run({ node: { name } });
	expect(result.run.data.resultData.error).toBeUndefined();
	expect(waits(result)).toEqual(waiting);
	expect((await openLink(result, link())).html).toContain('Согласны?');
	expect((await press(result, 'approve')).items).toHaveLength(1);
});

test('a node whose name n8n allows in no expression asks nobody, because nobody could answer', async () => {
	const result = await run({ node: { name: 'constructor' } });
	const { error } = result.run.data.resultData;
	expect(error?.message).toBe(`${notKept.message} [Item 0]`);
	expect(error?.description).toContain(notKept.advice);
	expect(service.requests).toEqual([]);
});

describe('whatever n8n passes to the webhook, it does not throw, and the workflow does not continue', () => {
	const fail = () => {
		throw new Error('Response is missing');
	};

	test.each<[string, Record<string, unknown>]>([
		['the data of the execution cannot be read', { evaluateExpression: fail }],
		['the data is no question', { evaluateExpression: () => '{"id":1' }],
		['the data is an object', { evaluateExpression: () => ({}) }],
		['the data is null', { evaluateExpression: () => 'null' }],
		['there is no request', { getRequestObject: fail, getBodyData: fail, getQueryData: fail }],
		['there is no query', { getQueryData: () => undefined }],
		['there is no node', { getNode: fail }],
		['there is no response', { getResponseObject: fail }],
		['the response was sent already', { getResponseObject: () => ({ status: fail }) }],
		['nothing works', { getNode: fail, getResponseObject: fail }],
	])('when %s', async (_name, spoiled) => {
		const result = await run();
		for (const method of ['GET', 'POST']) {
			const request = { method, body: { answer: 'nonsense' } };
			const spoil = (context: Record<string, unknown>) => {
				for (const [key, value] of Object.entries(spoiled)) Object.defineProperty(context, key, { value });
			};
			expect((await openLink(result, link(), request, spoil)).items).toBeUndefined();
		}
		expect((await press(result, 'approve')).items).toHaveLength(1);
	});
});

test('a person whose question cannot be read sees that the answer was not received', async () => {
	const result = await run();
	const request = { method: 'POST', body: { answer: 'approve' } };
	const { status, html } = await openLink(result, link(), request, (context) => {
		context.evaluateExpression = () => '{"id":1';
	});
	expect({ status, html }).toEqual({ status: notShown.status, html: notShown.html });
});

describe('an AI agent', () => {
	const asTool = { ...ask, message: "={{ $fromAI('question', 'What to ask', 'string') }}" };
	const options = () => ({ parameters: asTool, credential: credentialFor(service) });

	test('whose tools n8n runs waits for the answer', async () => {
		const result = await callByEngine(options(), [{ question: 'Скидка 10 %?' }]);
		expect(waits(result)).toEqual(waiting);
		expect(service.deliveries()[0]!.text).toContain('Скидка 10 %?\n\nhttp');
	});

	const { message, advice } = cannotWait(operationOf('message/sendAndWait').label);
	const refused = { error: message, message: advice };

	test('that calls its tools by itself gets a sentence, and nothing is sent', async () => {
		expect(await callAsTool(options(), [{ arguments: { question: 'Скидка 10 %?' } }])).toEqual([[refused]]);
		expect(service.requests).toEqual([]);
	});

	test('without a workflow gets the same', async () => {
		const node = { type: 'testedTool' };
		expect(await callAlone({ ...options(), node, items: [{ question: 'Скидка?' }] })).toEqual([refused]);
		expect(service.requests).toEqual([]);
	});
});

test('the token is in neither the kept question nor an error', async () => {
	const result = await run();
	expect(JSON.stringify(result.run)).not.toContain(service.token);
	service.faults.add({ kind: 'answer', status: 422, body: { message: `Нельзя: ${service.token}` } });
	const failed = await run();
	expect(JSON.stringify(failed.run)).not.toContain(service.token);
});
