import { Container } from '@n8n/di';
import type { INodeParameters } from 'n8n-workflow';
import { setTimeout as sleep } from 'node:timers/promises';

import { unknownOperation, type Problem } from '../../nodes/ChatbotService/client/failure/failure';
import { contactId } from '../../nodes/ChatbotService/resources/kinds';
import { unreadableProblem } from '../../nodes/ChatbotService/run/values/problems';
import { addContacts, SEEDED } from '../../sandbox/emulator';
import { operationOf, parametersOf, unknownOf, variants } from '../operations';
import { credentialFor, hintsOf, runNode, stoppable, until, useEmulator, type RunOptions } from './harness';
import { labelOf } from '../operations/words';
import { countsIn, lettersFor, numbersIn, problemOf, send } from './messages';

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

describe('nothing is sent when something is wrong', () => {
	const at = (item: number, code: string, usual: string) =>
		`={{ $itemIndex === ${item} ? ${code} : ${usual} }}`;
	const wrongId = (item: number) => ({ contactId: at(item, '"нет"', '$json.id') });
	const wrongText = (code: string) => (item: number) => ({ text: at(item, code, '$json.text') });

	const label = labelOf('message/send', 'text');
	const notAnId = problemOf(contactId('нет', labelOf('message/send', 'contactId')));

	test.each<[string, (item: number) => INodeParameters, Problem, string]>([
		['an invalid value', wrongId, notAnId, 'нет'],
		[
			'an expression that cannot be evaluated',
			wrongText("$('Nowhere').item.json.x"),
			unreadableProblem(label, undefined),
			'exist',
		],
	])(
		'in stop mode %s prevents all requests of hundreds of items, and the error names the item',
		async (_name, parametersWith, { message, advice }, quoted) => {
			const { error } = await run({ parameters: { ...send, ...parametersWith(210) }, items: letters(300) });
			expect(service.requests).toEqual([]);
			expect(error?.message).toBe(`${message} [Item 210]`);
			expect(error?.description).toContain(advice);
			expect(error?.description).toContain(quoted);
			expect(countsIn(error?.description)).toEqual([300, 0, 1, 299]);
		},
	);

	test.each([
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

	test('reading the items of a run does not block the process', async () => {
		const counter = countTurns();
		let turnsBeforeLast: number | undefined;
		const items = watched(50, (item) => {
			if (item === 49) turnsBeforeLast ??= counter.turns;
		});
		const { json } = await run({ parameters: { ...send, text: slow }, items });
		counter.stop();
		expect(json).toHaveLength(50);
		// Reading takes a quarter of a second. Without yielding to the event loop, it would block the process all that time.
		expect(turnsBeforeLast).toBeGreaterThan(25);
	});

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
	// 2 sent, 2 failed; 1 unknown; 1 refused because of a limit, for which others waited 2 s.
	expect(hintsOf(result).map(numbersIn)).toEqual([[2, 2, 1, 1, 2]]);
});

describe('stop means stop', () => {
	test('items answered before Stop keep their answers, and the others report their outcome', async () => {
		service.faults.add({ kind: 'delay', ms: 5000, match: { text: 'Письмо 2' } });
		const node = { onError: 'continueErrorOutput' } as const;
		const { ended, stop } = stoppableRun({ items: letters(4), node });
		await until(() => service.requests.filter(({ answeredAt }) => answeredAt !== undefined).length === 3);
		await sleep(300);
		stop();
		const { outputs, run: result } = await ended;
		expect(result.status).toBe('canceled');
		expect(outputs.flat()).toHaveLength(4);
		const [stopped, ...others] = outputs.flat().filter(({ json }) => json.success !== true);
		expect(others).toEqual([]);
		// n8n recognizes a stopped run by this word.
		expect(stopped!.json.error).toContain('canceled');
		expect(stopped!.error).toMatchObject({
			description: expect.stringContaining(unknownMessage) as string,
			context: { itemIndex: 2 },
		});
	});
});

test('a long run writes its progress to the log of n8n', async () => {
	const { Logger } = jest.requireActual<{ Logger: new () => { info(text: string): void } }>(
		'@n8n/backend-common',
	);
	const logged = jest.spyOn(Container.get(Logger), 'info').mockReturnValue(undefined);
	// By the mocked clock, each request takes ten seconds.
	const now = performance.now.bind(performance);
	jest.spyOn(performance, 'now').mockImplementation(() => now() + service.requests.length * 10_000);
	const items = Array.from({ length: 10 }, (_, index) => ({ id: contacts.vk, text: `Часть ${index}` }));
	await run({ items });
	const said = logged.mock.calls.map(([text]) => text).filter((text) => text.startsWith('Tested: '));
	jest.restoreAllMocks();
	// Every 30 seconds: how many of 10 items were processed.
	expect(said.map((text) => numbersIn(text)[0])).toEqual([3, 6, 9]);
});

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
		for (const [before, request] of mine.slice(1).entries())
			expect(request.arrivedAt).toBeGreaterThanOrEqual(mine[before]!.answeredAt!);
	}
	expect(service.inFlight.peak).toBe(3);
});
