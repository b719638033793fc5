import { NodeApiError, NodeOperationError, type INode } from 'n8n-workflow';

import type { Left } from '../../nodes/ChatbotService/client/failure/result';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import { canceledError, itemsOf, stoppingError, type Origin } from '../../nodes/ChatbotService/run/output';
import { inDoubt, outcomesOf, refused, times, unknown, type End } from './outcomes';
import { replacedNames } from './sentences';

/*
 * How the items of a run ended, and what n8n gets of that: items and errors. The notices: notices.test.ts. The fields of the input beside the
 * output: engine/ownFields.test.ts.
 */

const type = 'n8n-nodes-chatbot-service.chatbotService';
const node: INode = { id: '1', name: 'Рассылка', type, typeVersion: 1, position: [0, 0], parameters: {} };

const origin: Origin = { node, first: 0 };

const going = { isCanceled: false };
const canceled = { isCanceled: true };

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
