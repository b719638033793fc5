import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import {
	serviceFailed,
	timedOut,
	valuesRefused,
	withAdvice,
	type Failure,
} from '../../nodes/ChatbotService/client/failure';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import {
	canceledError,
	hintOf,
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
const inDoubt = withAdvice(timedOut(), { unknown }, false);

type Short = 'done' | 'skipped' | 'refused' | 'inDoubt' | 'brokenOff' | 'notSent';

/** Outcomes of as many items, each with a word for how it ended. */
function outcomesOf(...ends: Short[]): Outcomes {
	const outcomes = new Outcomes(ends.length, () => 0);
	for (const [item, end] of ends.entries()) {
		if (end === 'done') outcomes.record(item, { rows: [{ item }] });
		if (end === 'skipped') outcomes.recordSkipped(item);
		if (end === 'refused') outcomes.record(item, { failure: refused });
		if (end === 'inDoubt') outcomes.record(item, { failure: inDoubt });
		if (end === 'brokenOff') outcomes.recordBrokenOff(item);
	}
	return outcomes;
}

const times = (count: number, end: Short): Short[] => Array.from({ length: count }, () => end);

describe('the items of a run', () => {
	test('are the rows of each answer, in the order of the items, each linked to its own', () => {
		const outcomes = new Outcomes(3, () => 0);
		outcomes.record(2, { rows: [{ name: 'c' }] });
		outcomes.record(0, { rows: [{ name: 'a' }, { name: 'b' }] });
		outcomes.record(1, { rows: [] });
		expect(itemsOf(origin, outcomes, false)).toStrictEqual([
			{ json: { name: 'a' }, pairedItem: { item: 0 } },
			{ json: { name: 'b' }, pairedItem: { item: 0 } },
			{ json: { name: 'c' }, pairedItem: { item: 2 } },
		]);
	});

	test('have an error in its place for one that failed, with the keys that n8n takes for its error output', () => {
		expect(itemsOf(origin, outcomesOf('done', 'refused', 'done'), false)).toStrictEqual([
			{ json: { item: 0 }, pairedItem: { item: 0 } },
			{
				json: {
					error: "The service refused the value of 'Text' [Item 1]",
					message: 'Correct it, then try again. The service says: "Нет текста".',
				},
				pairedItem: { item: 1 },
			},
			{ json: { item: 2 }, pairedItem: { item: 2 } },
		]);
	});

	test('of a tool name no item, which a model would not know', () => {
		expect(itemsOf({ node: tool, first: 0 }, outcomesOf('refused'), false)).toStrictEqual([
			{
				json: { error: refused.message, message: refused.description },
				pairedItem: { item: 0 },
			},
		]);
	});

	test('are counted as the user does where n8n hands over one of them', () => {
		const third: Origin = { node, first: 2 };
		expect(itemsOf(third, outcomesOf('done'), false)).toStrictEqual([
			{ json: { item: 0 }, pairedItem: { item: 2 } },
		]);
		expect(itemsOf(third, outcomesOf('refused'), false)).toMatchObject([
			{ json: { error: expect.stringMatching(/ \[Item 2\]$/) }, pairedItem: { item: 2 } },
		]);
		const [left] = itemsOf(third, outcomesOf('notSent'), true);
		expect(left).toMatchObject({ pairedItem: { item: 2 }, error: { context: { itemIndex: 2 } } });
	});

	test('tell of a recipient who had got the message before, and go on as those of any other', () => {
		expect(itemsOf(origin, outcomesOf('skipped', 'done'), false)).toStrictEqual([
			{ json: { success: true, alreadySent: true }, pairedItem: { item: 0 } },
			{ json: { item: 1 }, pairedItem: { item: 1 } },
		]);
	});

	test('are none where nothing came of an item', () => {
		expect(itemsOf(origin, outcomesOf('done', 'notSent', 'notSent'), false)).toEqual([
			{ json: { item: 0 }, pairedItem: { item: 0 } },
		]);
	});

	test('tell of an item that nothing came of that the user stopped the execution', () => {
		const outcomes = outcomesOf('done', 'notSent', 'brokenOff', 'refused', 'notSent');
		const [done, ...others] = itemsOf(origin, outcomes, true);
		expect(done).toStrictEqual({ json: { item: 0 }, pairedItem: { item: 0 } });
		expect(others).toEqual([
			{ json: {}, error: expect.any(NodeOperationError), pairedItem: { item: 1 } },
			{ json: {}, error: expect.any(NodeOperationError), pairedItem: { item: 2 } },
			{ json: expect.objectContaining({ error: `${refused.message} [Item 3]` }), pairedItem: { item: 3 } },
			{ json: {}, error: expect.any(NodeOperationError), pairedItem: { item: 4 } },
		]);
		const errors = others.flatMap(({ error }) => error ?? []);
		for (const { message } of errors) expect(message).toBe('The execution was canceled');
		expect(errors.map(({ description }) => description ?? '')).toEqual([
			'',
			expect.stringContaining('The request was on its way already'),
			'',
		]);
		expect(errors[1]!.context.itemIndex).toBe(2);
	});

	test('share one error where thousands were not sent, for n8n takes long to make one', () => {
		const errors = itemsOf(origin, outcomesOf(...times(5000, 'notSent')), true).map(({ error }) => error);
		expect(errors).toHaveLength(5000);
		expect(new Set(errors).size).toBe(1);
	});

	test('of no items are none', () => {
		expect(itemsOf(origin, outcomesOf(), false)).toEqual([]);
		expect(itemsOf(origin, outcomesOf(), true)).toEqual([]);
	});
});

test.each<[string, INode, boolean]>([
	['the node', node, false],
	['the node as n8n finds it in a folder', nodeOf('CUSTOM.chatbotService'), false],
	['its tool', tool, true],
	['a node with another name', nodeOf('x.toolChatbot'), false],
])('whether it is a tool: %s', (_, each, expected) => {
	expect(isTool(each)).toBe(expected);
});

describe('the error that stops a run', () => {
	const many = outcomesOf(...times(7, 'done'), 'refused', ...times(4, 'notSent'), 'refused', 'inDoubt');

	test('names the first item that failed, and says what became of all', () => {
		const error = stoppingError(origin, many);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error.message).toBe("The service refused the value of 'Text' [Item 7]");
		expect(error.description).toBe(
			'Correct it, then try again. The service says: "Нет текста". Of 14 items, 7 were done, 3 failed and 4 were not sent.',
		);
		expect(error.context.itemIndex).toBe(7);
		expect(error.node).toBe(node);
	});

	test('of a single item speaks of that alone', () => {
		const error = stoppingError(origin, outcomesOf('refused'));
		expect(error.message).toBe("The service refused the value of 'Text' [Item 0]");
		expect(error.description).toBe(refused.description);
	});

	test('counts as the user does where n8n hands over one of many items', () => {
		const error = stoppingError({ node, first: 5 }, outcomesOf('refused'));
		expect(error.message).toMatch(/ \[Item 5\]$/);
		expect(error.context.itemIndex).toBe(5);
	});

	test('tells the status of the answer, or that there was none', () => {
		expect(stoppingError(origin, many).httpCode).toBe('422');
		expect(stoppingError(origin, outcomesOf('inDoubt')).httpCode).toBe('none');
	});

	test.each<[string, Failure]>([
		['that a model may read', refused],
		['of the service', serviceFailed(503)],
		['without a status', inDoubt],
	])('keeps its words: %s', (_, failure) => {
		const outcomes = new Outcomes(1, () => 0);
		outcomes.record(0, { failure });
		const { message, description } = stoppingError(origin, outcomes);
		expect(message).toBe(`${failure.message} [Item 0]`);
		expect(description ?? '').toBe(failure.description);
	});

	test('keeps its words though it quotes what n8n replaces in a message', () => {
		const quoted = `Нет: ${replacedNames.join(' ')}.`;
		const outcomes = new Outcomes(4, () => 0);
		outcomes.record(0, { failure: { ...refused, description: quoted } });
		expect(stoppingError(origin, outcomes)).toMatchObject({
			message: `${refused.message} [Item 0]`,
			description: `${quoted} Of 4 items, 0 were done, 1 failed and 3 were not sent.`,
		});
	});
});

describe('the error of a run that the user stopped', () => {
	test('is one that n8n knows by its word, and names an item', () => {
		const error = canceledError({ node, first: 3 }, { item: 4, left: 'notSent' });
		expect(error).toBeInstanceOf(NodeOperationError);
		expect(error.message).toBe('The execution was canceled');
		expect(error.description ?? '').toBe('');
		expect(error.context.itemIndex).toBe(7);
		expect(error.node).toBe(node);
	});

	test('says of what was on its way that it may be done', () => {
		const error = canceledError({ ...origin, unknown }, { item: 0, left: 'brokenOff' });
		expect(error.message).toBe('The execution was canceled');
		expect(error.description).toBe(`The request was on its way already. ${unknown}`);
	});

	test('says of what was on its way to be read no more than that', () => {
		const error = canceledError(origin, { item: 0, left: 'brokenOff' });
		expect(error.description).toBe('The request was on its way already.');
	});

	test('says nothing of that where nothing was on its way', () => {
		const error = canceledError({ ...origin, unknown }, { item: 0, left: 'notSent' });
		expect(error.description ?? '').toBe('');
	});
});

/** An outcome after refusals by a limit: how many, and how long nothing was sent. */
function afterRefusals(outcomes: Outcomes, count: number, seconds: number): Outcomes {
	for (let index = 0; index < count; index++) outcomes.refusedFor(seconds * 1000);
	return outcomes;
}

describe('the line over the output', () => {
	test.each<[string, Short[]]>([
		['nothing', []],
		['an item', ['done']],
		['many items', times(500, 'done')],
		['a single item, whose failure says it all', ['refused']],
		['a single item that may be done, which its failure says', ['inDoubt']],
		['a single item that was not sent', ['notSent']],
	])('is none for %s where there is no more to say', (_, ends) => {
		expect(hintOf(outcomesOf(...ends))).toBeUndefined();
	});

	test('tells what became of all where some failed', () => {
		expect(hintOf(outcomesOf(...times(7, 'done'), ...times(3, 'refused')))).toStrictEqual({
			message: 'Of 10 items, 7 were done, 3 failed and 0 were not sent.',
			type: 'warning',
			location: 'outputPane',
		});
	});

	test('tells what became of all where some were not sent', () => {
		expect(hintOf(outcomesOf(...times(7, 'done'), ...times(3, 'notSent')))).toStrictEqual({
			message: 'Of 10 items, 7 were done, 0 failed and 3 were not sent.',
			type: 'warning',
			location: 'outputPane',
		});
	});

	test('does not take what was on its way when the user stopped the execution for not sent', () => {
		const hint = hintOf(outcomesOf('done', 'brokenOff', 'brokenOff', 'notSent', 'notSent', 'notSent'));
		expect(hint!.type).toBe('warning');
		expect(hint!.message).toBe(
			'Of 6 items, 1 was done, 0 failed, 2 were on the way and 3 were not sent. ' +
				'The outcome of 2 of the others is unknown. Look in the service before you run anything again.',
		);
	});

	test('counts what may be done together, whatever kept the answer away', () => {
		const hint = hintOf(outcomesOf('done', 'done', 'inDoubt', ...times(3, 'brokenOff'), 'refused'));
		expect(hint!.message).toContain(' The outcome of 4 of the others is unknown. Look in the service ');
	});

	test('tells of how many nobody knows', () => {
		const outcomes = outcomesOf(...times(5, 'done'), ...times(2, 'refused'), ...times(3, 'inDoubt'));
		expect(hintOf(outcomes)!.message).toBe(
			'Of 10 items, 5 were done, 5 failed and 0 were not sent. The outcome of 3 of the others is unknown. Look in the service before you run anything again.',
		);
	});

	test('tells of what was skipped, which is as good as done', () => {
		expect(hintOf(outcomesOf(...times(3, 'skipped'), ...times(7, 'done')))).toStrictEqual({
			message:
				'Of 10 items, 10 were done, 0 failed and 0 were not sent. 3 were skipped: the message had been sent before.',
			type: 'info',
			location: 'outputPane',
		});
		expect(hintOf(outcomesOf(...times(4, 'skipped')))!.message).toMatch(
			/^Of 4 items, 4 were done, .* 4 were/,
		);
	});

	test('tells of a single item that it was skipped', () => {
		expect(hintOf(outcomesOf('skipped'))).toStrictEqual({
			message: 'It was skipped: the message had been sent before.',
			type: 'info',
			location: 'outputPane',
		});
	});

	test('warns where something is amiss beside what was skipped', () => {
		const ends: Short[] = [...times(2, 'skipped'), 'done', 'inDoubt', 'refused'];
		const hint = hintOf(afterRefusals(outcomesOf(...ends), 1, 7))!;
		expect(hint.type).toBe('warning');
		expect(hint.message.split(/(?<=\.) /)).toEqual([
			'Of 5 items, 3 were done, 2 failed and 0 were not sent.',
			'2 were skipped: the message had been sent before.',
			'The outcome of 1 of the others is unknown.',
			'Look in the service before you run anything again.',
			expect.stringMatching(/^The service refused 1 request /),
		]);
	});

	test('tells of refusals, after which all was well', () => {
		expect(hintOf(afterRefusals(outcomesOf(...times(10, 'done')), 3, 7))).toStrictEqual({
			message:
				'Of 10 items, 10 were done, 0 failed and 0 were not sent. The service refused 3 requests because of its limit, and nothing was sent for 7 s.',
			type: 'info',
			location: 'outputPane',
		});
	});

	test('tells of the refusals of a single item, whatever came of it', () => {
		for (const end of ['done', 'refused', 'inDoubt'] as const) {
			expect(hintOf(afterRefusals(outcomesOf(end), 20, 19))).toStrictEqual({
				message: 'The service refused 20 requests because of its limit, and nothing was sent for 19 s.',
				type: 'info',
				location: 'outputPane',
			});
		}
	});

	test('warns where something is amiss, whatever else it tells', () => {
		const hint = hintOf(afterRefusals(outcomesOf('done', 'done', 'refused', 'inDoubt'), 3, 7));
		expect(hint!.type).toBe('warning');
		expect(hint!.message.split(/(?<=\.) /)).toEqual([
			expect.stringMatching(/^Of 4 items, /),
			'The outcome of 1 of the others is unknown.',
			'Look in the service before you run anything again.',
			expect.stringMatching(/^The service refused 3 requests /),
		]);
	});
});

describe('sentences are English for one as for many', () => {
	/** What nobody says of a single one. */
	const wrong = /\b1 (were|are|items|requests|others)\b|\b1 [^.]*\b(them|they)\b/;

	test.each<[string, Outcomes]>([
		['done', outcomesOf('done', 'refused', 'refused')],
		['skipped', outcomesOf('done', 'done', 'skipped')],
		['not sent', outcomesOf('done', 'done', 'refused', 'notSent')],
		['that may be done', outcomesOf('done', 'done', 'inDoubt')],
		['on the way', outcomesOf('done', 'done', 'brokenOff', 'notSent', 'notSent')],
		['refused', afterRefusals(outcomesOf('done', 'done'), 1, 7)],
	])('one %s', (_, outcomes) => {
		const { message } = hintOf(outcomes)!;
		expect(message).not.toMatch(wrong);
		expect(faultsOf({ message: 'A line', description: message })).toEqual([]);
	});

	test('one done, one failed and one not sent, where the run stops', () => {
		const { description } = stoppingError(origin, outcomesOf('done', 'refused', 'notSent'));
		expect(description).toMatch(/ Of 3 items, 1 was done, 1 failed and 1 was not sent\.$/);
	});
});
