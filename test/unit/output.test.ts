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
	| 'done'
	| 'skipped'
	| 'refused'
	| 'inDoubt'
	| 'inDoubt before'
	| 'interrupted'
	| 'notAttempted'
	| 'not attempted after doubt'
	| 'notSent';

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
		if (end === 'not attempted after doubt') outcomes.record(item, { failure: inDoubt }, 'notAttempted');
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
		expect(error.description).toBe(`7 done, 3 failed, 4 not attempted. ${refused.description}`);
		expect([error.node, error.httpCode]).toEqual([node, '422']);
	});

	test.each([
		['several items', ['done', 'refused', 'notSent'], true],
		['an item in doubt', ['inDoubt', 'notSent'], true],
		['nothing that is done', ['refused', 'notSent'], false],
		['nothing that is missing', ['inDoubt', 'done'], false],
	] satisfies Array<[string, End[], boolean]>)('advises Retry after %s: %j', (_, ends, isAdvised) => {
		const advice = / choose 'Retry' for this execution under 'Executions': it sends only what is missing\.$/;
		const isIn = (canRetry: boolean) =>
			advice.test(stoppingError(origin, outcomesOf(...ends), canRetry).description!);
		expect([isIn(true), isIn(false)]).toEqual([isAdvised, false]);
	});

	test("names the item once in n8n's editor, which adds it if the error has its index too", () => {
		const { message, context } = stoppingError(origin, many);
		expect([message.match(/item/gi)?.length, context.itemIndex]).toEqual([1, undefined]);
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
			description: `0 done, 1 failed, 3 not attempted. ${quoted}`,
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
function afterRefusals(
	ends: End[],
	refusals: Array<[at: number, waits: number, hasAssumed?: boolean]>,
): Outcomes {
	const outcomes = outcomesOf(...ends);
	for (const [at, waits, hasAssumed = false] of refusals) {
		now = at * 1000;
		outcomes.refusedFor(waits * 1000, hasAssumed);
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
		const trouble = { reason: 'Токен отозван.', next: 'Вставьте новый.' };
		const message = 'Токен отозван.<br>Вставьте новый.';
		const hint = hintOf(outcomesOf('notAttempted'), { trouble });
		expect(hint).toStrictEqual({ message, type: 'warning', location: 'outputPane' });
		// Refusals by a limit before it, which cost nobody a message, do not matter any more.
		expect(hintOf(afterRefusals(['notAttempted'], [[0, 7]]), { trouble })).toStrictEqual(hint);
	});

	test.each<[what: string, type: 'info' | 'warning', Outcomes, message: string]>([
		[
			'that one was not sent',
			'warning',
			outcomesOf(...times(7, 'done'), 'notSent'),
			'7 done, 1 not attempted.',
		],
		[
			'that trouble of the account left some',
			'warning',
			outcomesOf('done', 'refused', ...times(3, 'notAttempted')),
			'1 done, 1 failed, 3 not attempted.',
		],
		[
			'of how many the outcome is unknown, whatever kept the answer away',
			'warning',
			outcomesOf('done', 'refused', 'inDoubt', ...times(3, 'interrupted')),
			'1 done, 2 failed, 3 in progress.<br>' +
				'The outcome of 4 items is unknown. Check them in the service before you retry.',
		],
		[
			'that nothing is unknown of those that were not attempted after an unknown outcome',
			'warning',
			outcomesOf('inDoubt', ...times(3, 'not attempted after doubt')),
			'0 done, 1 failed, 3 not attempted.<br>' +
				'The outcome of 1 item is unknown. Check it in the service before you retry.',
		],
		[
			'how many were skipped, which is as good as done',
			'info',
			outcomesOf(...times(3, 'skipped'), ...times(7, 'done')),
			"7 done, 3 skipped.<br>Those skipped already have a message under 'осень &lt;b>'.",
		],
		[
			'that nobody got a message',
			'warning',
			outcomesOf(...times(3, 'skipped')),
			"Nothing was sent: all 3 already have a message under 'осень &lt;b>'. For a new message, change 'Send Once Per'.",
		],
		[
			'that the only item was skipped',
			'warning',
			outcomesOf('skipped'),
			"Nothing was sent: the recipient already has a message under 'осень &lt;b>'. For a new message, change 'Send Once Per'.",
		],
		[
			'how long refusals by a limit took, though all was well in the end; overlapping waits count once',
			'info',
			afterRefusals(times(10, 'done'), [
				[0, 4],
				[3, 4],
				[60, 3],
			]),
			'10 done.<br>' +
				'The service rejected 3 requests because of a rate limit, and requests under that limit waited 10 s in total.',
		],
		[
			'what to do if the node had assumed the limits',
			'info',
			afterRefusals(times(2, 'done'), [
				[0, 4, true],
				[1, 3],
			]),
			'2 done.<br>' +
				'The service rejected 2 requests because of a rate limit, and requests under that limit waited 4 s in total. Выберите мессенджер.',
		],
		[
			'all of that, and warns of what failed',
			'warning',
			afterRefusals(['skipped', 'done', 'inDoubt', 'refused'], [[0, 7]]),
			"1 done, 1 skipped, 2 failed.<br>Those skipped already have a message under 'осень &lt;b>'.<br>" +
				'The outcome of 1 item is unknown. Check it in the service before you retry.<br>' +
				'The service rejected 1 request because of a rate limit, and requests under that limit waited 7 s in total.',
		],
	])('shows %s (%s)', (_, type, outcomes, message) => {
		const told = { sentOncePer: 'осень <b>', assumedLimits: 'Выберите мессенджер.' };
		expect(hintOf(outcomes, told)).toStrictEqual({ message, type, location: 'outputPane' });
		const sentences = message.replaceAll('<br>', ' ').replaceAll('&lt;', '<');
		const description = sentences.replace(/^\d[^.]*\./, 'Numbers.');
		expect(faultsOf({ message: 'A line', description })).toEqual([]);
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
			'Нет. (2 of 3 items)<br>Да. (1 of 3 items)',
		],
		[
			'of which there are many, only of the first five',
			9,
			[...'абвгдеж'],
			[...'абвгд'].map((text) => `${text} (1 of 9 items)`).join('<br>'),
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
		const message = [0, 1, 2, 3, 4].map(notice).join('<br>');
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
