import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { interrupted, unknownOperation, valuesRefused } from '../../nodes/ChatbotService/client/failure';
import { contactId, text as textKind } from '../../nodes/ChatbotService/resources/kinds';
import { messageSend } from '../../nodes/ChatbotService/resources/message/send';
import { nothingToSend, unreadableProblem } from '../../nodes/ChatbotService/run/values/problems';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { operationOf, parametersOf, unknownOf, variants } from '../operations';
import {
	callAlone,
	callAsTool,
	callByEngine,
	credentialFor,
	hintsOf,
	runNode,
	stoppable,
	until,
	useEmulator,
	type RunOptions,
} from './harness';
import { labelOf } from '../operations/words';
import { countsIn, lettersFor, numbersIn, problemOf, refusal, send } from './messages';

/* The promises of the node, through the real engine. Each test fails when its promise is broken. */

const unknownMessage = unknownOf(operationOf('message/send'));

const { contacts } = SEEDED;
const texts = (items: Array<{ text: string }>) => items.map(({ text }) => text);

const service = useEmulator();
const letters = (count: number) => lettersFor(service, count);
const run = async (options: Partial<RunOptions>) =>
	await runNode({ parameters: send, credential: credentialFor(service), ...options });
const stoppableRun = (options: Partial<RunOptions>) =>
	stoppable(async (onStart) => await run({ ...options, onStart }));
const delivered = () => service.deliveries().map(({ text }) => text);

const batches = (batchSize: number, batchInterval: number) => ({
	requestOptions: { batching: { batch: { batchSize, batchInterval } } },
});

describe('nothing is sent when something is wrong', () => {
	const at = (item: number, code: string, usual: string) =>
		`={{ $itemIndex === ${item} ? ${code} : ${usual} }}`;
	const wrongId = (item: number) => ({ contactId: at(item, '"нет"', '$json.id') });
	const wrongText = (code: string) => (item: number) => ({ text: at(item, code, '$json.text') });

	const label = labelOf('message/send', 'text');
	const notAnId = problemOf(contactId('нет', labelOf('message/send', 'contactId')));
	const unreadable = unreadableProblem(label, undefined);

	/** What is wrong with one item, and what its error says. */
	const wrong: Array<[string, (item: number) => INodeParameters, string, string, string]> = [
		['an invalid value', wrongId, notAnId.message, notAnId.advice, 'нет'],
		[
			'an expression that cannot be evaluated',
			wrongText("$('Nowhere').item.json.x"),
			unreadable.message,
			unreadable.advice,
			'exist',
		],
	];
	const hostile = [
		['a value that throws when it is read', '{ toJSON: () => null.x }'],
		['a value with a getter that throws', '$json.box'],
		['a value that contains itself', '((box) => { box.box = box; return box; })({})'],
		['a function', '() => 1'],
		['a symbol', 'Symbol("s")'],
	].map(([name, code]): (typeof wrong)[number] => [name!, wrongText(code!), `'${label}'`, `'${label}'`, '']);

	const inLaterBatch: (typeof wrong)[number] = [
		'an invalid value in a later batch',
		(item) => ({ ...wrongId(item), ...batches(100, 50) }),
		notAnId.message,
		notAnId.advice,
		'нет',
	];

	test.each([...wrong, inLaterBatch])(
		'in stop mode %s prevents all requests of hundreds of items, and the error names the item',
		async (_name, parametersWith, title, advice, quoted) => {
			const { error } = await run({ parameters: { ...send, ...parametersWith(210) }, items: letters(300) });
			expect(service.requests).toEqual([]);
			expect(error?.message).toBe(`${title} [Item 210]`);
			expect(error?.description).toContain(advice);
			expect(error?.description).toContain(quoted);
			expect(countsIn(error?.description)).toEqual([300, 0, 1, 299]);
			expect(error?.context?.itemIndex).toBe(210);
		},
	);

	describe.each(['continueErrorOutput', 'continueRegularOutput'] as const)('On Error: %s', (onError) => {
		test.each([...wrong, ...hostile])(
			'%s fails only its own item',
			async (_name, parametersWith, title, advice, quoted) => {
				const box = Object.defineProperty({}, 'toJSON', {
					get: () => {
						throw new Error('nothing to see');
					},
				});
				const items = letters(6).map((item) => ({ ...item, box }));
				const parameters = { ...send, ...parametersWith(4) };
				const { outputs, error } = await run({ parameters, items: items as never, node: { onError } });
				expect(error).toBeUndefined();
				expect(delivered().sort()).toEqual(texts(items.filter((_, index) => index !== 4)));
				const rows = outputs[onError === 'continueErrorOutput' ? 1 : 0]!;
				const [failed, ...more] = rows.filter(({ json }) => json.error);
				expect([failed!.pairedItem, more]).toEqual([{ item: 4 }, []]);
				expect(failed!.json.error).toContain(title);
				expect(failed!.json.error).toContain('[Item 4]');
				expect(failed!.json.message).toContain(advice);
				expect(failed!.json.message).toContain(quoted);
			},
		);
	});

	test.each([
		['Resource is an expression', { resource: '={{ "message" }}' }],
		['Operation is an expression', { operation: '={{ "send" }}' }],
		['Operation is not one of the list', { operation: 'shout' }],
	])('a workflow whose %s is refused with an explanation before anything is sent', async (_, changes) => {
		// With an expression, n8n treats every field as shown, and refuses the workflow itself while one of them is empty.
		const usual = variants.map((variant) => parametersOf(variant)).reverse();
		const all = Object.assign({}, ...usual) as INodeParameters;
		const { error } = await run({ parameters: { ...all, ...send, ...changes }, items: letters(2) });
		expect(service.requests).toEqual([]);
		const { message, description } = unknownOperation('', '');
		expect(error?.message).toBe(`${message} [Item 0]`);
		// What the node receives of an expression depends on the engine.
		expect(error?.description).toContain(description.split(' Received:')[0]);
	});
});

test('Execute Once sends only the first item', async () => {
	const { json } = await run({ items: letters(5), node: { executeOnce: true } });
	expect(json).toEqual([{ success: true }]);
	expect(delivered()).toEqual(['Письмо 0']);
});

describe('other work in the process continues', () => {
	/** A slow expression. Progress is counted in iterations of the event loop, so that machine load does not matter. */
	const slow = '={{ ((until) => { while (Date.now() < until); return $json.text; })(Date.now() + 5) }}';

	/** Counts the iterations of the event loop. */
	function countTurns() {
		const counter = { turns: 0, stop: () => clearImmediate(next) };
		let next = setImmediate(function turn() {
			counter.turns++;
			next = setImmediate(turn);
		});
		return counter;
	}

	/** Items that report when their text is read. */
	const watched = (count: number, onRead: (item: number) => void) =>
		letters(count).map(({ id, text }, item) =>
			Object.defineProperty({ id }, 'text', {
				enumerable: true,
				get: () => {
					onRead(item);
					return text;
				},
			}),
		) as never;

	test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'reading the items of a run does not block the process (On Error: %s)',
		async (onError) => {
			const counter = countTurns();
			let turnsBeforeLast: number | undefined;
			const items = watched(50, (item) => {
				if (item === 49) turnsBeforeLast ??= counter.turns;
			});
			const { json } = await run({ parameters: { ...send, text: slow }, items, node: { onError } });
			counter.stop();
			expect(json).toHaveLength(50);
			// Reading takes a quarter of a second. Without yielding to the event loop, it would block the process all that time.
			expect(turnsBeforeLast).toBeGreaterThan(25);
		},
	);

	test('a run that is stopped while it reads its items sends nothing and stops reading', async () => {
		let reads = 0;
		const items = watched(500, () => reads++);
		const { ended, stop } = stoppableRun({ parameters: { ...send, text: slow }, items });
		await until(() => reads > 10);
		stop();
		expect((await ended).run.status).toBe('canceled');
		expect(reads).toBeLessThan(250);
		expect(service.requests).toEqual([]);
	});
});

test('the execution hint states the outcome of a run in which not all items succeeded', async () => {
	service.faults.add({ kind: 'reset', when: 'after', match: { text: 'Письмо 1', times: 1 } });
	service.faults.add({ kind: 'too many', retryAfter: 1, match: { text: 'Письмо 2', times: 1 } });
	const items = letters(4);
	items[3]!.id = 0;
	const result = await run({ items, node: { onError: 'continueRegularOutput' } });
	// Of 4 items, 2 done, 2 failed, 0 not sent; 1 unknown; 1 refused because of a limit, for which others waited 2 s.
	expect(hintsOf(result).map(numbersIn)).toEqual([[4, 2, 2, 0, 1, 1, 2]]);
});

describe('stop means stop', () => {
	test('in stop mode nothing more is sent after a refusal, and the error counts the outcomes', async () => {
		service.faults.add({ kind: 'delay', ms: 30 });
		service.faults.add({ ...refusal, match: { text: 'Письмо 14' } });
		const { error } = await run({ items: letters(60) });
		expect(error?.message).toContain('[Item 14]');
		// Only the requests that were in progress when the refusal arrived.
		expect(service.requests.length).toBeLessThanOrEqual(45);
		const done = service.deliveries().length;
		expect(countsIn(error?.description)).toEqual([60, done, 1, 60 - 1 - done]);
	});

	test('a canceled execution ends quickly and sends nothing more', async () => {
		const { ended, stop } = stoppableRun({
			credential: credentialFor(service, { requestsPerSecond: 4 }),
			items: letters(200),
		});
		await until(() => service.requests.length >= 4);
		const stoppedAt = performance.now();
		stop();
		expect((await ended).run.status).toBe('canceled');
		// Without Stop, the run takes 50 s.
		expect(performance.now() - stoppedAt).toBeLessThan(20_000);
		const sent = service.requests.length;
		expect(sent).toBeLessThan(10);
		await sleep(700);
		expect(service.requests).toHaveLength(sent);
	});

	test.each(['continueErrorOutput', 'continueRegularOutput'] as const)(
		'items answered before Stop keep their answers, and the others report their outcome (On Error: %s)',
		async (onError) => {
			service.faults.add({ kind: 'delay', ms: 5000, match: { text: 'Письмо 2' } });
			const { ended, stop } = stoppableRun({ items: letters(4), node: { onError } });
			await until(() => service.requests.filter(({ answeredAt }) => answeredAt !== undefined).length === 3);
			await sleep(300);
			stop();
			const { outputs, run: result } = await ended;
			expect(result.status).toBe('canceled');
			const rows = outputs.flat().map(({ json }) => json.error ?? json.success);
			const [stopped] = outputs.flat().filter(({ json }) => json.error);
			expect(stopped!.error).toMatchObject({
				description: expect.stringContaining(unknownMessage) as string,
				context: { itemIndex: 2 },
			});
			expect(rows).toHaveLength(4);
			// n8n recognizes a stopped run by this word.
			expect(rows.filter((each) => each !== true)).toEqual([expect.stringContaining('canceled')]);
		},
	);
});

describe('nothing is sent twice', () => {
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 10 };
	const sent = () => service.requests.map(({ input }) => input.text).sort();

	test('Retry On Fail sends only what was refused or not sent', async () => {
		const items = letters(30);
		service.faults.add({ ...refusal, match: { text: 'Письмо 12', times: 1 } });
		const { json, error } = await run({ items, node: retrying });
		expect(error).toBeUndefined();
		expect(json).toHaveLength(30);
		expect(delivered().sort()).toEqual(texts(items).sort());
		expect(sent()).toEqual([...texts(items), 'Письмо 12'].sort());
	});

	test('Retry On Fail does not repeat a message whose outcome is unknown', async () => {
		service.faults.add({ kind: 'reset', when: 'after', match: { text: 'Письмо 1', times: 1 } });
		const { error } = await run({ items: letters(3), node: retrying });
		expect(error?.message).toContain('[Item 1]');
		expect(error?.description?.slice(0, unknownMessage.length)).toBe(unknownMessage);
		expect(countsIn(error?.description)).toEqual([3, 2, 1, 0]);
		expect(sent()).toEqual(['Письмо 0', 'Письмо 1', 'Письмо 2']);
	});

	test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
		'Retry On Fail repeats only the first item when that item fails (On Error: %s)',
		async (onError) => {
			const items = letters(8);
			service.faults.add({ kind: 'forbidden', match: { text: 'Письмо 0' } });
			const { outputs } = await run({ items, node: { ...retrying, onError } });
			expect(delivered().sort()).toEqual(texts(items.slice(1)).sort());
			expect(sent().filter((text) => text !== 'Письмо 0')).toEqual(texts(items.slice(1)).sort());
			expect(outputs.flat()).toHaveLength(8);
		},
	);

	test('another run with Retry On Fail sends the same item again', async () => {
		const [item] = letters(1);
		await run({ items: [item!], node: retrying });
		await run({ items: [item!], node: retrying });
		expect(delivered()).toEqual(['Письмо 0', 'Письмо 0']);
	});
});

describe('the user can see the progress', () => {
	afterEach(() => jest.restoreAllMocks());

	test('a long run writes its progress to the log of n8n every 30 seconds', async () => {
		const { Logger } = jest.requireActual<{ Logger: new () => { info(text: string): void } }>(
			'@n8n/backend-common',
		);
		const logged = jest.spyOn(Container.get(Logger), 'info').mockReturnValue(undefined);
		// By the mocked clock, each request takes ten seconds.
		const now = performance.now.bind(performance);
		jest.spyOn(performance, 'now').mockImplementation(() => now() + service.requests.length * 10_000);
		service.faults.add({ kind: 'forbidden', match: { text: 'Часть 5' } });
		const items = Array.from({ length: 10 }, (_, index) => ({ id: contacts.vk, text: `Часть ${index}` }));
		await run({ items, node: { onError: 'continueRegularOutput' } });
		const said = logged.mock.calls.map(([text]) => text).filter((text) => text.startsWith('Tested: '));
		// Of 10 items, how many were processed, how many of them failed, and how many tens of seconds are left.
		const figures = said
			.map(numbersIn)
			.map(([done, of, failed, left]) => [done, of, failed, Math.floor(left! / 10)]);
		expect(figures).toEqual([
			[3, 10, 0, 7],
			[6, 10, 1, 4],
			[9, 10, 1, 1],
		]);
	});
});

describe('the limits are respected', () => {
	test('messages to the same person are sent in item order, each after the previous answer', async () => {
		service.faults.add({ kind: 'delay', ms: [0, 30] });
		const people = addContacts(service.data, 3);
		const items = Array.from({ length: 24 }, (_, index) => ({
			id: people[index % 3]!.id,
			text: `Часть ${index}`,
		}));
		const { error } = await run({ items });
		expect(error).toBeUndefined();
		for (const { id } of people) {
			const mine = service.requests.filter(({ input }) => Number(input.contact_id) === id);
			expect(mine.map(({ input }) => input.text)).toEqual(texts(items.filter((item) => item.id === id)));
			for (const [index, request] of mine.entries()) {
				if (index > 0) expect(request.arrivedAt).toBeGreaterThanOrEqual(mine[index - 1]!.answeredAt!);
			}
		}
		expect(service.inFlight.peak).toBe(3);
	});
});

/* The model provides the arguments and reads the result. */
describe('the node as a tool of an AI agent', () => {
	const options = () => ({
		parameters: {
			...send,
			contactId: String(SEEDED.contacts.telegram),
			text: "={{ $fromAI('text', 'What to say', 'string') }}",
		},
		credential: credentialFor(service, { tokenPlacement: 'bearer' }),
	});
	const tryingAgain = () => ({ ...options(), node: { retryOnFail: true } });
	const textLabel = labelOf('message/send', 'text');

	test('each tool call sends its own arguments, although all calls share one execution', async () => {
		const results = await callAsTool(options(), [
			{ arguments: { text: 'Здравствуйте!' } },
			{ arguments: { text: 'Чем помочь?' } },
			{ arguments: { text: 'Чем помочь?' } },
		]);
		expect(results).toEqual([[{ success: true }], [{ success: true }], [{ success: true }]]);
		expect(delivered()).toEqual(['Здравствуйте!', 'Чем помочь?', 'Чем помочь?']);
	});

	test.each([
		['no arguments', undefined],
		['null', null],
		['a text', 'Здравствуйте!'],
		['a number', 5],
	])('a tool call with %s as arguments sends its message', async (_name, args) => {
		const parameters = { ...options().parameters, text: 'Чем помочь?' };
		const call = { arguments: args as never };
		const results = await callAsTool({ ...options(), parameters }, [call, call]);
		expect(results).toEqual([[{ success: true }], [{ success: true }]]);
		expect(delivered()).toEqual(['Чем помочь?', 'Чем помочь?']);
	});

	test('a wrong argument is returned to the model as an answer with the field, the advice and the value', async () => {
		const [result] = await callAsTool(options(), [{ arguments: { text: { part: 'Счёт' } } }]);
		const { message, advice } = problemOf(textKind({ part: 'Счёт' }, textLabel));
		expect(result).toEqual([{ error: message, message: advice }]);
		expect(advice).toContain('{"part":"Счёт"}');
		expect(service.requests).toEqual([]);
	});

	/* docs/agents.md recommends this expression. */
	const chosenFromList = `={{ ({ manager: ${SEEDED.contacts.telegram}, shop: ${SEEDED.contacts.viber} })[$fromAI('who', 'one of: manager, shop', 'string')] }}`;

	const chosen = () => ({
		...options(),
		parameters: { ...options().parameters, contactId: chosenFromList, text: 'Готово' },
	});

	test.each([
		[
			'agents that call tools by themselves',
			async (call: object) => (await callAsTool(chosen(), [{ arguments: call as never }]))[0],
		],
		['n8n', async (call: object) => (await callByEngine(chosen(), [call as never])).json],
	])(
		'a model can choose the recipient from a list of the workflow and nobody else, called by %s',
		async (_name, callWith) => {
			expect(await callWith({ who: 'shop' })).toEqual([{ success: true }]);
			expect(service.deliveries().map(({ contactId }) => contactId)).toEqual([SEEDED.contacts.viber]);
			for (const who of ['director', String(SEEDED.contacts.max)])
				expect(await callWith({ who })).toEqual([
					{
						error: expect.stringContaining(`'${labelOf('message/send', 'contactId')}'`),
						message: expect.any(String),
					},
				]);
			expect(service.deliveries()).toHaveLength(1);
		},
	);

	test('a refusal is returned to the model with the text of the service, without the token', async () => {
		service.faults.add({ kind: 'answer', status: 422, body: { message: `Нельзя: ${service.token}` } });
		const results = await callAsTool(options(), [{ arguments: { text: 'Здравствуйте!' } }]);
		expect(results).toEqual([
			[{ error: valuesRefused(422, [], '').message, message: expect.stringContaining('Нельзя: ***') }],
		]);
	});

	test('with On Error set to stop, a wrong argument is an error', async () => {
		const stop = { ...options(), node: { onError: 'stopWorkflow' as const } };
		const [result] = await callAsTool(stop, [{ arguments: { text: '' } }]);
		expect((result as Error).message).toContain(`'${textLabel}'`);
	});

	test('a repeated tool call does not repeat a message whose outcome is unknown', async () => {
		service.faults.add({ kind: 'reset', when: 'after', match: { times: 1 } });
		const [lost, next] = await callAsTool(tryingAgain(), [
			{ arguments: { text: 'Счёт на 500 рублей' }, tries: 3 },
			{ arguments: { text: 'Счёт на 500 рублей' } },
		]);
		expect((lost as Error).message).toContain(interrupted('').message);
		expect(next).toEqual([{ success: true }]);
		expect(delivered()).toEqual(['Счёт на 500 рублей', 'Счёт на 500 рублей']);
		expect(service.requests).toHaveLength(2);
	});

	test('a refused tool call is repeated', async () => {
		service.faults.add({ kind: 'forbidden', match: { times: 1 } });
		const results = await callAsTool(tryingAgain(), [{ arguments: { text: 'Добрый вечер' }, tries: 2 }]);
		expect(results).toEqual([[{ success: true }]]);
		expect(delivered()).toEqual(['Добрый вечер']);
	});

	test('a node that n8n calls outside a workflow makes one request for each item', async () => {
		const parameters = { ...send, contactId: String(SEEDED.contacts.telegram), text: '={{ $json.text }}' };
		const items = [{ text: 'Здравствуйте!' }, { text: 'Чем помочь?' }];
		expect(await callAlone({ ...options(), parameters, items })).toEqual([
			{ success: true },
			{ success: true },
		]);
		expect(delivered().sort()).toEqual(['Здравствуйте!', 'Чем помочь?']);
	});

	test('a tool that n8n calls outside a workflow answers despite Retry On Fail, because n8n does not call it again', async () => {
		const node = { type: 'testedTool', retryOnFail: true };
		const parameters = { ...options().parameters, text: '={{ $json.text }}' };
		const { message, advice } = nothingToSend(
			messageSend.fields.filter(({ name }) => ['text', 'imageUrl', 'fileUrl'].includes(name)),
		);
		expect(await callAlone({ ...options(), parameters, node, items: [{ text: '' }] })).toEqual([
			{ error: message, message: advice },
		]);
	});

	test.each([
		['returned as an answer', options],
		['returned as an answer despite Retry On Fail, because n8n repeats such answers, too', tryingAgain],
	])(
		'a wrong argument of an agent whose tools n8n runs is %s, and the other calls succeed',
		async (_, given) => {
			const { json } = await callByEngine(given(), [{ text: { part: 'Счёт' } }, { text: 'Чем помочь?' }]);
			expect(json).toEqual([
				{
					error: problemOf(textKind({}, textLabel)).message,
					message: expect.stringContaining('"part"') as string,
				},
				{ success: true },
			]);
			expect(delivered()).toEqual(['Чем помочь?']);
		},
	);
});
