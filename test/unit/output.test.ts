import { NodeApiError, NodeOperationError, type IDataObject, type INode } from 'n8n-workflow';

import { withAdvice } from '../../nodes/ChatbotService/client/advice';
import {
	serviceFailed,
	timedOut,
	valuesRefused,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import type { Left } from '../../nodes/ChatbotService/client/result';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import {
	canceledError,
	hintOf,
	hintOfEmptyParts,
	isTool,
	itemsOf,
	stoppingError,
	type Origin,
} from '../../nodes/ChatbotService/run/output';
import { faultsOf, replacedNames } from './sentences';

const nodeOf = (type: string): INode => ({
	id: '1',
	name: 'Рассылка',
	type,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
});
const node = nodeOf('n8n-nodes-chatbot-service.chatbotService');
const tool = nodeOf('n8n-nodes-chatbot-service.chatbotServiceTool');

const origin: Origin = { node, first: 0 };

const refused = valuesRefused(422, ['Text'], 'Нет текста');
const unknown = 'The message may have been sent, so the node did not send it again. Check the chat first.';
const inDoubt = withAdvice(timedOut(), { unknown });

type Short = 'done' | 'skipped' | 'refused' | 'inDoubt' | 'interrupted' | 'notSent';

/** Outcomes of items, given as a word for each. */
function outcomesOf(...ends: Short[]): Outcomes {
	const outcomes = new Outcomes(ends.length, () => 0);
	for (const [item, end] of ends.entries()) {
		if (end === 'done') outcomes.record(item, { rows: [{ item }] });
		if (end === 'skipped') outcomes.record(item, { rows: [{ success: true, alreadySent: true }] }, 'skipped');
		if (end === 'refused') outcomes.record(item, { failure: refused });
		if (end === 'inDoubt') outcomes.record(item, { failure: inDoubt });
		if (end === 'interrupted') outcomes.recordInterrupted(item);
	}
	return outcomes;
}

const going = { isCanceled: false };
const canceled = { isCanceled: true };

const times = (count: number, end: Short): Short[] => Array.from({ length: count }, () => end);

describe('the items of a run', () => {
	test('are the rows of each answer, in the order of the items, each linked to its own item', () => {
		const outcomes = new Outcomes(3, () => 0);
		outcomes.record(2, { rows: [{ name: 'c' }] });
		outcomes.record(0, { rows: [{ name: 'a' }, { name: 'b' }] });
		outcomes.record(1, { rows: [] });
		expect(itemsOf(origin, outcomes, going)).toStrictEqual([
			{ json: { name: 'a' }, pairedItem: { item: 0 } },
			{ json: { name: 'b' }, pairedItem: { item: 0 } },
			{ json: { name: 'c' }, pairedItem: { item: 2 } },
		]);
	});

	test('are linked to their own item with the fields of the input too', () => {
		const outcomes = new Outcomes(2, () => 0);
		outcomes.record(1, { rows: [{ success: true }] });
		outcomes.record(0, { rows: [{ success: true }] });
		const input = (item: number) => ({ name: ['Анна', 'Пётр'][item]! });
		expect(itemsOf({ ...origin, input, includesInput: true }, outcomes, going)).toStrictEqual([
			{ json: { name: 'Анна', success: true }, pairedItem: { item: 0 } },
			{ json: { name: 'Пётр', success: true }, pairedItem: { item: 1 } },
		]);
	});

	test('have an error for each failed item, with the keys that n8n uses for its error output', () => {
		expect(itemsOf(origin, outcomesOf('done', 'refused', 'skipped'), going)).toStrictEqual([
			{ json: { item: 0 }, pairedItem: { item: 0 } },
			{
				json: {
					error: `${refused.message} [Item 1]`,
					message: refused.description,
				},
				pairedItem: { item: 1 },
			},
			{ json: { success: true, alreadySent: true }, pairedItem: { item: 2 } },
		]);
	});

	test('have everything in `error` if the input has a `message`, because n8n would replace it', () => {
		const input = (item: number): IDataObject => [{}, { message: null }, { error: 'старая' }][item]!;
		const ends = outcomesOf('refused', 'refused', 'refused');
		const errors = itemsOf({ ...origin, input }, ends, going).map(({ json }) => json);
		const pair = (item: number) => ({
			error: `${refused.message} [Item ${item}]`,
			message: refused.description,
		});
		const one = { error: `${refused.message} [Item 1]. ${refused.description}` };
		expect(errors).toStrictEqual([pair(0), one, pair(2)]);
	});

	test('do not name an item in the error of a tool, because a model knows no items', () => {
		expect(itemsOf({ node: tool, first: 0 }, outcomesOf('refused'), going)).toStrictEqual([
			{ json: { error: refused.message, message: refused.description }, pairedItem: { item: 0 } },
		]);
	});

	test('have the index that the user knows when n8n passes one of many items', () => {
		const outcomes = outcomesOf('done', 'refused', 'notSent');
		expect(itemsOf({ node, first: 2 }, outcomes, canceled)).toMatchObject([
			{ json: { item: 0 }, pairedItem: { item: 2 } },
			{ json: { error: expect.stringMatching(/ \[Item 3\]$/) }, pairedItem: { item: 3 } },
			{ error: { context: { itemIndex: 4 } }, pairedItem: { item: 4 } },
		]);
	});

	test('omit items that were not sent, unless the user stopped the execution', () => {
		expect(itemsOf(origin, outcomesOf('done', 'notSent', 'interrupted'), going)).toEqual([
			{ json: { item: 0 }, pairedItem: { item: 0 } },
		]);
	});

	test('have an error for every unfinished item if the user stopped the execution', () => {
		const outcomes = outcomesOf('done', 'interrupted', 'notSent', 'refused', 'notSent');
		const items = itemsOf(origin, outcomes, canceled);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual([0, 1, 2, 3, 4].map((item) => ({ item })));
		expect([items[0]!.json, items[3]!.json.error]).toEqual([{ item: 0 }, `${refused.message} [Item 3]`]);
		for (const index of [1, 2, 4]) {
			const { json, error } = items[index]!;
			expect(json).toEqual({});
			expect(error).toBeInstanceOf(NodeOperationError);
			expect(error!.message).toBe('The execution was canceled');
			const isOnItsWay = error!.description?.includes('The request was already in progress') ?? false;
			expect(isOnItsWay).toBe(index === 1);
		}
		expect(items[1]!.error!.context.itemIndex).toBe(1);
	});

	test('share one error when thousands were not sent, because creating an error in n8n takes long', () => {
		const errors = itemsOf(origin, outcomesOf(...times(5000, 'notSent')), canceled).map(({ error }) => error);
		expect(errors).toHaveLength(5000);
		expect(new Set(errors).size).toBe(1);
	});

	test('are empty for a run without items', () => {
		expect(itemsOf(origin, outcomesOf(), going)).toEqual([]);
		expect(itemsOf(origin, outcomesOf(), canceled)).toEqual([]);
	});
});

test.each<[string, INode, boolean]>([
	['the node', node, false],
	['the node as n8n finds it in a folder', nodeOf('CUSTOM.chatbotService'), false],
	['its tool', tool, true],
	['a node with another name', nodeOf('x.toolChatbot'), false],
])('isTool recognizes a tool of n8n by its node type: %s', (_, each, expected) => {
	expect(isTool(each)).toBe(expected);
});

describe('the error that stops a run', () => {
	const many = outcomesOf(...times(7, 'done'), 'refused', ...times(4, 'notSent'), 'refused', 'inDoubt');

	test('names the first failed item, and counts all outcomes', () => {
		// The first item has an index that the user knows, when n8n passes some of many.
		const error = stoppingError({ node, first: 5 }, many);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error.message).toBe(`${refused.message} [Item 12]`);
		expect(error.description).toBe(
			`${refused.description} Of 14 items, 7 were done, 3 failed and 4 were not sent.`,
		);
		expect(error.context.itemIndex).toBe(12);
		expect(error.node).toBe(node);
	});

	test('has the status of the answer, or shows that there was no answer', () => {
		expect(stoppingError(origin, many).httpCode).toBe('422');
		expect(stoppingError(origin, outcomesOf('inDoubt')).httpCode).toBe('none');
	});

	test.each<[string, Failure]>([
		['that a model may read', refused],
		['of the service', serviceFailed(503)],
		['without a status', inDoubt],
	])('has only the text of the failure of a single item: one %s', (_, failure) => {
		const outcomes = new Outcomes(1, () => 0);
		outcomes.record(0, { failure });
		const { message, description } = stoppingError(origin, outcomes);
		expect([message, description ?? '']).toEqual([`${failure.message} [Item 0]`, failure.description]);
	});

	test('has the text of the failure although it quotes names that n8n replaces in a message', () => {
		const quoted = `Нет: ${replacedNames.join(' ')}.`;
		const outcomes = new Outcomes(4, () => 0);
		outcomes.record(0, { failure: { ...refused, description: quoted } });
		expect(stoppingError(origin, outcomes)).toMatchObject({
			message: `${refused.message} [Item 0]`,
			description: `${quoted} Of 4 items, 0 were done, 1 failed and 3 were not sent.`,
		});
	});
});

test.each<[string, Left, string | undefined, string | null]>([
	[
		'that it was in progress and may be done',
		'interrupted',
		unknown,
		`The request was already in progress. ${unknown}`,
	],
	['that it was in progress', 'interrupted', undefined, 'The request was already in progress.'],
	['nothing if it was not sent', 'notSent', unknown, null],
])('the error of a run that the user stopped says of the request %s', (_, left, unknown, description) => {
	const error = canceledError({ node, first: 3, unknown }, { item: 4, left });
	expect(error).toBeInstanceOf(NodeOperationError);
	// n8n recognizes it by its text.
	expect(error).toMatchObject({ message: 'The execution was canceled', context: { itemIndex: 7 }, node });
	expect(error.description ?? null).toBe(description);
});

/** An outcome after refusals by a limit: their number, and how long nothing was sent. */
function afterRefusals(outcomes: Outcomes, count: number, seconds: number): Outcomes {
	for (let index = 0; index < count; index++) outcomes.refusedFor(seconds * 1000);
	return outcomes;
}

describe('the execution hint', () => {
	test.each<[string, Short[]]>([
		['of nothing', []],
		['of an item that is done', ['done']],
		['of many items that are done', times(500, 'done')],
		['of a single item, whose failure says it all', ['refused']],
		['of a single item that may be done, which its failure says', ['inDoubt']],
		['of a single item that was not sent', ['notSent']],
	])('does not appear for a run %s', (_, ends) => {
		expect(hintOf(outcomesOf(...ends))).toBeUndefined();
	});

	const refusals = (count: string, seconds: number) =>
		`The service refused ${count} because of a limit, so requests that count towards it waited ${seconds} s.`;
	const unknownOf = (count: number) =>
		`The outcome of ${count === 1 ? '1 item is unknown. Check it' : `${count} items is unknown. Check them`} in the service before you retry.`;

	const doneOf = (count: number) => `Of ${count} items, ${count} were done, 0 failed and 0 were not sent.`;

	test.each<[string, 'info' | 'warning', Outcomes, string[]]>([
		[
			'that some failed',
			'warning',
			outcomesOf(...times(7, 'done'), ...times(3, 'refused')),
			['Of 10 items, 7 were done, 3 failed and 0 were not sent.'],
		],
		[
			'that one was not sent',
			'warning',
			outcomesOf(...times(7, 'done'), 'notSent'),
			['Of 8 items, 7 were done, 0 failed and 1 was not sent.'],
		],
		[
			'that one was in progress when the user stopped the execution',
			'warning',
			outcomesOf('done', 'interrupted', ...times(3, 'notSent')),
			['Of 5 items, 1 was done, 0 failed, 1 was in progress and 3 were not sent.', unknownOf(1)],
		],
		[
			'of how many the outcome is unknown, whatever kept the answer away',
			'warning',
			outcomesOf(...times(2, 'done'), ...times(2, 'refused'), 'inDoubt', ...times(3, 'interrupted')),
			['Of 8 items, 2 were done, 3 failed, 3 were in progress and 0 were not sent.', unknownOf(4)],
		],
		[
			'how many were skipped, which is as good as done',
			'info',
			outcomesOf(...times(3, 'skipped'), ...times(7, 'done')),
			[doneOf(10), '3 were skipped: the message was sent before.'],
		],
		[
			'that one was skipped',
			'info',
			outcomesOf('done', 'done', 'skipped'),
			[doneOf(3), '1 was skipped: the message was sent before.'],
		],
		[
			'of a single item that it was skipped',
			'info',
			outcomesOf('skipped'),
			['It was skipped: the message was sent before.'],
		],
		[
			'how many requests were refused, though all was well in the end',
			'info',
			afterRefusals(outcomesOf(...times(10, 'done')), 3, 7),
			[doneOf(10), refusals('3 requests', 7)],
		],
		...(['done', 'refused', 'inDoubt'] as const).map((end): [string, 'info', Outcomes, string[]] => [
			`how many requests of a single item were refused, which is ${end} in the end`,
			'info',
			afterRefusals(outcomesOf(end), 20, 19),
			[refusals('20 requests', 19)],
		]),
		[
			'all of that, and warns of what failed',
			'warning',
			afterRefusals(outcomesOf(...times(2, 'skipped'), 'done', 'inDoubt', 'refused'), 1, 7),
			[
				'Of 5 items, 3 were done, 2 failed and 0 were not sent.',
				'2 were skipped: the message was sent before.',
				unknownOf(1),
				refusals('1 request', 7),
			],
		],
	])('shows %s (%s)', (_, type, outcomes, sentences) => {
		const message = sentences.join(' ');
		expect(hintOf(outcomes)).toStrictEqual({ message, type, location: 'outputPane' });
		expect(faultsOf({ message: 'A line', description: message })).toEqual([]);
	});
});

describe('the notice about empty parts of texts', () => {
	const counts = (length: number) =>
		new Map(
			Array.from({ length }, (_, index): [string, number] => [`In 'Текст', \`{{ $json.${index} }}\``, 4]),
		);

	test('says for how many items a part was empty', () => {
		const one = "In 'Текст', `{{ $json.0 }}` was empty for 4 of 10 items.";
		const two = "In 'Текст', `{{ $json.1 }}` was empty for 4 of 10 items.";
		expect(hintOfEmptyParts(counts(2), 10)).toEqual({
			message: `${one} ${two}`,
			type: 'info',
			location: 'outputPane',
		});
	});

	test('is no notice without empty parts, or of a few items', () => {
		expect(hintOfEmptyParts(counts(0), 10)).toBeUndefined();
		expect(hintOfEmptyParts(counts(1), 9)).toBeUndefined();
	});

	test('shows code that would be HTML', () => {
		const { message } = hintOfEmptyParts(new Map([['`{{ $json.a < 3 && "<b>" }}`', 1]]), 10)!;
		expect(message).toContain('`{{ $json.a &lt; 3 &amp;&amp; "&lt;b>" }}`');
	});

	test('stays short, however many parts there are', () => {
		expect(hintOfEmptyParts(counts(100), 10)!.message.match(/was empty/g)).toHaveLength(5);
	});
});
