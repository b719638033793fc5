import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import { withAdvice } from '../../nodes/ChatbotService/client/failure/advice';
import { timedOut, valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import type { Left } from '../../nodes/ChatbotService/client/failure/result';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import {
	canceledError,
	hintOf,
	hintOfEmptyParts,
	hintOfNotices,
	itemsOf,
	stoppingError,
	type Origin,
} from '../../nodes/ChatbotService/run/output';
import { faultsOf, replacedNames } from './sentences';

/* How the items of a run ended, and what n8n gets of that. The fields of the input beside it: engine/ownFields.test.ts. */

const type = 'n8n-nodes-chatbot-service.chatbotService';
const node: INode = { id: '1', name: 'Рассылка', type, typeVersion: 1, position: [0, 0], parameters: {} };

const origin: Origin = { node, first: 0 };

const refused = valuesRefused(422, ['Text'], 'Нет текста');
const unknown = 'The message may have been sent, so the node did not send it again. Check the chat first.';
const inDoubt = withAdvice(timedOut(), { unknown });

type End =
	'done' | 'skipped' | 'refused' | 'inDoubt' | 'inDoubt before' | 'interrupted' | 'notAttempted' | 'notSent';

let now = 0;

/** Outcomes of items, given as a word for each. */
function outcomesOf(...ends: End[]): Outcomes {
	const outcomes = new Outcomes(ends.length, () => now);
	for (const [item, end] of ends.entries()) {
		if (end === 'done') outcomes.record(item, { rows: [{ item }] });
		if (end === 'skipped') outcomes.record(item, { rows: [{ success: true, alreadySent: true }] }, 'skipped');
		if (end === 'refused') outcomes.record(item, { failure: refused });
		if (end === 'inDoubt') outcomes.record(item, { failure: inDoubt });
		if (end === 'notAttempted') outcomes.record(item, { failure: refused }, 'notAttempted');
		if (end === 'inDoubt before') outcomes.record(item, { failure: inDoubt }, 'earlier');
		if (end === 'interrupted') outcomes.recordInterrupted(item);
	}
	return outcomes;
}

const going = { isCanceled: false };
const canceled = { isCanceled: true };

const times = (count: number, end: End): End[] => Array.from({ length: count }, () => end);

describe('the items of a run', () => {
	test('have the index that the user knows when n8n passes one of many items', () => {
		const outcomes = outcomesOf('done', 'refused', 'notSent');
		expect(itemsOf({ node, first: 2 }, outcomes, canceled)).toMatchObject([
			{ json: { item: 0 }, pairedItem: { item: 2 } },
			{ json: { error: expect.stringMatching(/ \[Item 3\]$/) }, pairedItem: { item: 3 } },
			{ error: { context: { itemIndex: 4 } }, pairedItem: { item: 4 } },
		]);
	});

	test('omit items that were not sent, unless the user stopped the execution', () => {
		const outcomes = outcomesOf('done', 'notSent', 'interrupted');
		expect(itemsOf(origin, outcomes, going)).toEqual([{ json: { item: 0 }, pairedItem: { item: 0 } }]);
		const message = 'The execution was canceled';
		const description = 'The request was already in progress.';
		expect(itemsOf(origin, outcomes, canceled)).toMatchObject([
			{ json: { item: 0 }, pairedItem: { item: 0 } },
			{ json: {}, error: { message, description: undefined }, pairedItem: { item: 1 } },
			{ json: {}, error: { message, description, context: { itemIndex: 2 } }, pairedItem: { item: 2 } },
		]);
	});

	test('share one error when thousands were not sent, because creating an error in n8n takes long', () => {
		const errors = itemsOf(origin, outcomesOf(...times(5000, 'notSent')), canceled).map(({ error }) => error);
		expect([errors.length, new Set(errors).size]).toEqual([5000, 1]);
	});
});

describe('the error that stops a run', () => {
	const many = outcomesOf(...times(7, 'done'), 'refused', ...times(4, 'notSent'), 'refused', 'inDoubt');

	test('names the first failed item, and counts all outcomes', () => {
		// The first item has an index that the user knows, when n8n passes some of many.
		const error = stoppingError({ node, first: 5 }, many);
		expect(error).toBeInstanceOf(NodeApiError);
		expect(error.message).toBe(`${refused.message} [Item 12]`);
		expect(error.description).toBe(
			`${refused.description} Of 14 items, 7 were done, 3 failed and 4 were not attempted.`,
		);
		expect([error.context.itemIndex, error.node, error.httpCode]).toEqual([12, node, '422']);
	});

	test('names a failure of this run, or else the first that an earlier run has left', () => {
		const left = outcomesOf('done', 'inDoubt before', 'inDoubt before');
		expect(stoppingError(origin, left).message).toBe(`${inDoubt.message} [Item 1]`);
		const both = outcomesOf('inDoubt before', 'refused');
		expect(stoppingError(origin, both).message).toBe(`${refused.message} [Item 1]`);
	});

	test('has the text of the failure although it quotes names that n8n replaces in a message', () => {
		const quoted = `Нет: ${replacedNames.join(' ')}.`;
		const outcomes = new Outcomes(4, () => 0);
		outcomes.record(0, { failure: { ...refused, description: quoted } });
		expect(stoppingError(origin, outcomes)).toMatchObject({
			message: `${refused.message} [Item 0]`,
			description: `${quoted} Of 4 items, 0 were done, 1 failed and 3 were not attempted.`,
		});
	});
});

test('the error of a run that the user stopped says whether its request was in progress and may be done', () => {
	const message = 'The execution was canceled';
	const errorOf = (left: Left) => canceledError({ node, first: 3, unknown }, { item: 4, left });
	expect(errorOf('notSent')).toBeInstanceOf(NodeOperationError);
	expect(errorOf('notSent')).toMatchObject({ message, description: undefined, context: { itemIndex: 7 } });
	const description = `The request was already in progress. ${unknown}`;
	expect(errorOf('interrupted')).toMatchObject({ message, description, context: { itemIndex: 7 } });
});

/** Outcomes after refusals by a limit, each with its time and its wait in seconds. */
function afterRefusals(ends: End[], ...refusals: Array<[at: number, waits: number]>): Outcomes {
	const outcomes = outcomesOf(...ends);
	for (const [at, waits] of refusals) {
		now = at * 1000;
		outcomes.refusedFor(waits * 1000);
	}
	return outcomes;
}

describe('the notice above the output', () => {
	test.each<[string, End[]]>([
		['of many items that are done', times(500, 'done')],
		['of a single item, whose failure says it all', ['refused']],
		['of a single item that was not sent', ['notSent']],
	])('does not appear for a run %s', (_, ends) => {
		expect(hintOf(outcomesOf(...ends))).toBeUndefined();
	});

	test('warns of trouble of the account, also of a single item', () => {
		const message = 'Токен отозван.';
		const hint = hintOf(outcomesOf('notAttempted'), { trouble: message });
		expect(hint).toStrictEqual({ message, type: 'warning', location: 'outputPane' });
	});

	test.each<[what: string, type: 'info' | 'warning', Outcomes, message: string]>([
		[
			'that one was not sent',
			'warning',
			outcomesOf(...times(7, 'done'), 'notSent'),
			'Of 8 items, 7 were done and 1 was not attempted.',
		],
		[
			'that trouble of the account left some',
			'warning',
			outcomesOf('done', 'refused', ...times(3, 'notAttempted')),
			'Of 5 items, 1 was done, 1 failed and 3 were not attempted.',
		],
		[
			'of how many the outcome is unknown, whatever kept the answer away',
			'warning',
			outcomesOf('done', 'refused', 'inDoubt', ...times(3, 'interrupted')),
			'Of 6 items, 1 was done, 2 failed and 3 were in progress. ' +
				'The outcome of 4 items is unknown. Check them in the service before you retry.',
		],
		[
			'how many were skipped, which is as good as done',
			'info',
			outcomesOf(...times(3, 'skipped'), ...times(7, 'done')),
			'Of 10 items, 10 were done. 3 of those done were skipped: the message was sent before.',
		],
		[
			'of a single item that it was skipped',
			'info',
			outcomesOf('skipped'),
			'It was skipped: the message was sent before.',
		],
		[
			'how long refusals by a limit took, though all was well in the end; overlapping waits count once',
			'info',
			afterRefusals(times(10, 'done'), [0, 4], [3, 4], [60, 3]),
			'Of 10 items, 10 were done. ' +
				'The service rejected 3 requests because of a rate limit; requests under that limit waited 10 s in total.',
		],
		[
			'all of that, and warns of what failed',
			'warning',
			afterRefusals(['skipped', 'done', 'inDoubt', 'refused'], [0, 7]),
			'Of 4 items, 2 were done and 2 failed. 1 of those done was skipped: the message was sent before. ' +
				'The outcome of 1 item is unknown. Check it in the service before you retry. ' +
				'The service rejected 1 request because of a rate limit; requests under that limit waited 7 s in total.',
		],
	])('shows %s (%s)', (_, type, outcomes, message) => {
		expect(hintOf(outcomes)).toStrictEqual({ message, type, location: 'outputPane' });
		expect(faultsOf({ message: 'A line', description: message })).toEqual([]);
	});
});

describe('the notice about results', () => {
	const outcomesWith = (expected: number, ...notices: string[]) => {
		const outcomes = new Outcomes(expected, () => 0);
		for (const [item, notice] of notices.entries()) outcomes.record(item, { rows: [], notice });
		return hintOfNotices(outcomes);
	};
	const hint = (message: string) => ({ message, type: 'info', location: 'outputPane' });

	test.each([
		['of a single item, without numbers', 1, ['Нет &lt;b>.'], 'Нет &amp;lt;b>.'],
		[
			'of several items, with their numbers',
			3,
			['Нет.', 'Да.', 'Нет.'],
			'Нет. (2 of 3 items) Да. (1 of 3 items)',
		],
		[
			'of which there are many, only of the first five',
			9,
			[...'абвгдеж'],
			[...'абвгд'].map((text) => `${text} (1 of 9 items)`).join(' '),
		],
	])('is %s', (_, expected, notices, message) => {
		expect(outcomesWith(expected, ...notices)).toEqual(hint(message));
	});

	test('does not appear without one', () => expect(outcomesWith(2)).toBeUndefined());
});

describe('the notice about empty parts of texts', () => {
	const counts = (length: number) =>
		new Map(Array.from({ length }, (_, index) => [`In 'Текст', \`{{ $json.${index} }}\``, 4] as const));

	test('says for how many items a part was empty, of a few parts if there are many', () => {
		const notice = (index: number) => `In 'Текст', \`{{ $json.${index} }}\` was empty for 4 of 10 items.`;
		const message = [0, 1, 2, 3, 4].map(notice).join(' ');
		expect(hintOfEmptyParts(counts(100), 10)).toEqual({ message, type: 'info', location: 'outputPane' });
	});

	test('is no notice without empty parts, or of a few items', () => {
		expect([hintOfEmptyParts(counts(0), 10), hintOfEmptyParts(counts(1), 9)]).toEqual([undefined, undefined]);
	});

	test('shows code that would be HTML', () => {
		const { message } = hintOfEmptyParts(new Map([['`{{ $json.a < 3 && "<b>" }}`', 1]]), 10)!;
		expect(message).toContain('`{{ $json.a &lt; 3 &amp;&amp; "&lt;b>" }}`');
	});
});
