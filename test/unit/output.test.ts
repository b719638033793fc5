import fc from 'fast-check';
import { NodeOperationError, type INode } from 'n8n-workflow';

import { withAdvice } from '../../nodes/ChatbotService/client/failure/advice';
import { timedOut, valuesRefused } from '../../nodes/ChatbotService/client/failure/failure';
import type { Left } from '../../nodes/ChatbotService/client/failure/result';
import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import * as output from '../../nodes/ChatbotService/run/output';
import { faultsOf, replacedNames } from './sentences';
import { rows } from './tableRows';

/*
 * How the items of a run ended, and what n8n gets of that: items, errors, and notices above the output. The fields of the input beside
 * the output: engine/ownFields.test.ts.
 */

const refused = { ...valuesRefused(['Text'], 'Нет текста'), status: 422 };
const unknown = 'The message may have been sent, so the node did not send it again. Check the chat first.';
const said = `${refused.message}. ${refused.description}`;
const inDoubt = withAdvice(timedOut(), { unknown });

/** How an item can end. */
const ends = {
	done: (of: Outcomes, item: number) => of.record(item, { rows: [{ item }] }),
	skipped: (of: Outcomes, item: number) => of.record(item, { rows: [{}] }, 'skipped'),
	refused: (of: Outcomes, item: number) => of.record(item, { failure: refused }),
	inDoubt: (of: Outcomes, item: number) => of.record(item, { failure: inDoubt }),
	inDoubtBefore: (of: Outcomes, item: number) => of.record(item, { failure: inDoubt }, 'earlier'),
	interrupted: (of: Outcomes, item: number) => of.record(item, 'interrupted'),
	notAttempted: (of: Outcomes, item: number) => of.record(item, { failure: refused }, 'notAttempted'),
	/** Because of trouble that left the outcome of another item unknown. */
	afterDoubt: (of: Outcomes, item: number) => of.record(item, { failure: inDoubt }, 'notAttempted'),
	notSent: () => {},
};

/** How many items end in which way, one kind after the other. */
type Counts = Partial<Record<keyof typeof ends, number>>;
/** In seconds. */
type Refusal = [at: number, waits: number, hasAssumed?: boolean];

/** @param more items without an end */
function outcomesOf(counts: Counts, refusals: Refusal[] = [], more = 0): Outcomes {
	const each = Object.entries(counts).flatMap(([end, count]) => Array<string>(count).fill(end)) as ['done'];
	let now = 0;
	const outcomes = new Outcomes(each.length + more, () => now);
	for (const [item, end] of each.entries()) ends[end](outcomes, item);
	for (const [at, waits, hasAssumed = false] of refusals) {
		now = at * 1000;
		outcomes.refusedFor(waits * 1000, hasAssumed);
	}
	return outcomes;
}

const type = 'n8n-nodes-chatbot-service.chatbotService';
const node: INode = { id: '1', name: 'Рассылка', type, typeVersion: 1, position: [0, 0], parameters: {} };
const origin = { node, first: 0 };
const canceled = 'The execution was canceled';
const inProgress = 'The request was already in progress.';

describe('the items of a run', () => {
	test('have the index that the user knows', () => {
		// n8n can pass one of many items.
		const outcomes = outcomesOf({ done: 1, refused: 1, notSent: 1 });
		expect(output.itemsOf({ node, first: 2 }, outcomes, { isCanceled: true })).toMatchObject([
			{ json: { item: 0 }, pairedItem: { item: 2 } },
			{ json: { error: expect.stringMatching(/ \[Item 3\]$/) }, pairedItem: { item: 3 } },
			{ error: { context: { itemIndex: 4 } }, pairedItem: { item: 4 } },
		]);
	});

	test('omit those not sent, unless the user stopped it', () => {
		const outcomes = outcomesOf({ done: 1, notSent: 1, interrupted: 1 });
		const done = { json: { item: 0 }, pairedItem: { item: 0 } };
		const errorWith = (description?: string) => ({ message: canceled, description });
		expect(output.itemsOf(origin, outcomes, { isCanceled: false })).toEqual([done]);
		expect(output.itemsOf(origin, outcomes, { isCanceled: true })).toMatchObject([
			done,
			{ json: {}, error: errorWith(), pairedItem: { item: 1 } },
			{ json: {}, error: { ...errorWith(inProgress), context: { itemIndex: 2 } }, pairedItem: { item: 2 } },
		]);
	});
});

describe('the error that stops a run', () => {
	test('names the first failed item, and counts all', () => {
		const outcomes = outcomesOf({ done: 7, notSent: 4 }, [], 3);
		// n8n replaces some messages by the words that they quote.
		const failure = { ...refused, description: `Нет: ${replacedNames.join(' ')}.` };
		for (const item of [11, 12, 13]) outcomes.record(item, { failure });
		const error = output.stoppingError({ node, first: 5 }, outcomes);
		expect(error).toMatchObject({
			...{ message: `${refused.message} [Item 16]`, node, httpCode: '422' },
			description: `7 done, 3 failed, 4 not attempted. ${failure.description}`,
		});
		// n8n's editor would name the item once more.
		expect(error.context.itemIndex).toBeUndefined();
	});

	test.each<[Counts, boolean]>([
		[{ done: 1, refused: 1, notSent: 1 }, true],
		[{ inDoubt: 1, notSent: 1 }, true],
		[{ inDoubt: 1, done: 1 }, false],
	])('advises Retry if it would send a part: %j %s', (counts, isAdvised) => {
		const advice = /, choose 'Retry' for this execution under 'Executions': it sends only what is missing\.$/;
		const { description } = output.stoppingError(origin, outcomesOf(counts), true);
		expect(advice.test(description!)).toBe(isAdvised);
		expect(output.stoppingError(origin, outcomesOf(counts)).description).not.toMatch(advice);
	});

	test.each<[Counts, string]>([
		[{ done: 1, inDoubtBefore: 2 }, inDoubt.message],
		[{ inDoubtBefore: 1, refused: 1 }, refused.message],
	])('prefers a failure of this run: %j', (counts, message) => {
		expect(output.stoppingError(origin, outcomesOf(counts)).message).toBe(`${message} [Item 1]`);
	});
});

test.each<[Left, string | undefined]>([
	['notSent', undefined],
	['interrupted', `${inProgress} ${unknown}`],
])('the error of a stopped run, whose item is %s', (left, description) => {
	const error = output.canceledError({ node, first: 3, unknown }, { item: 4, left });
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject({ message: canceled, description, context: { itemIndex: 7 } });
});

describe('the notice about a run', () => {
	test('is not shown if all is said', () => {
		for (const counts of [{ done: 500 }, { notSent: 1 }])
			expect(output.hintOf(outcomesOf(counts))).toBeUndefined();
	});

	test('warns of trouble, also of a single item', () => {
		const early = { reasons: ['Токен отозван.'], next: 'Вставьте новый.' };
		// Refusals by a limit before it do not matter any more.
		const hint = output.hintOf(outcomesOf({ notAttempted: 1 }, [[0, 7]]), { early });
		expect(hint).toMatchObject({ message: 'Токен отозван.<br>Вставьте новый.', type: 'warning' });
	});

	test('says nothing of a doubt that does not matter', () => {
		const reading = output.hintOf(outcomesOf({ done: 1, inDoubt: 1 }), { reads: true });
		expect(reading?.message).toBe(`1 done, 1 failed: 1 × ${inDoubt.message}.`);
		expect(output.hintOf(outcomesOf({ inDoubt: 1 }, [[0, 7]]))?.message).toMatch(/<br>The service rejected/);
	});

	/* Failures of single items, which are equal, and one that all share. */
	test.each<[one: boolean, count: number, lines: string[]]>([
		[true, 3, ['0 sent, 3 failed.', said]],
		[true, 1, [said]],
		[false, 3, [`0 sent, 3 failed: 3 × ${refused.message}.`]],
	])('says the reason of the whole run: %j for %i items', (one, count, lines) => {
		const outcomes = new Outcomes(count, () => 0);
		for (let item = 0; item < count; item++)
			outcomes.record(item, { failure: one ? refused : { ...refused } });
		const hint = output.hintOf(outcomes, { verb: 'sent' });
		expect(hint).toMatchObject({ message: lines.join('<br>'), type: 'warning' });
	});

	test('names the three commonest reasons of any mix, and counts the others', () => {
		const ways = ['done', 'notSent', 'interrupted', 'notAttempted', ...'АБВГД'] as const;
		const given = fc.array(fc.constantFrom(...ways), { minLength: 2, maxLength: 40 });
		fc.assert(
			fc.property(given, (mix) => {
				const outcomes = new Outcomes(mix.length, () => 0);
				for (const [item, way] of mix.entries())
					if (way in ends) ends[way as 'done'](outcomes, item);
					else outcomes.record(item, { failure: { ...refused, message: way } });
				const numbers = output.hintOf(outcomes)?.message ?? '';
				const counts = [...'АБВГД'].map((way) => [way, mix.filter((each) => each === way).length] as const);
				const [named, others] = [/(\d+) × ([А-Д])/g, /(\d+) for other reasons/].map((found) =>
					numbers.match(found),
				);
				const failed = counts.reduce((sum, [, count]) => sum + count, 0);
				expect(Number(/(\d+) failed/.exec(numbers)?.[1] ?? 0)).toBe(failed);
				const commonest = counts
					.map(([, count]) => count)
					.filter(Boolean)
					.sort((one, other) => other - one);
				const told = (named ?? []).map((each) => each.split(' × ') as [string, string]);
				expect(told.map(([count]) => Number(count))).toEqual(commonest.slice(0, 3));
				for (const [count, way] of told) expect(counts).toContainEqual([way, Number(count)]);
				expect(Number(others?.[1] ?? 0)).toBe(commonest.slice(3).reduce((sum, count) => sum + count, 0));
			}),
		);
	});

	const oneUnknown = 'The outcome of 1 item is unknown. Check the service before you run it again.';
	const manyUnknown = 'The outcome of 4 items is unknown. Check the service before you run them again.';
	const message = "a message under 'осень &lt;b>'";
	const skippedOnes = `The skipped people already have ${message}.`;
	const nothing = (who: string) =>
		`Nothing was sent: ${who} ${message}. For a new message, change 'Send Once Per'.`;
	const limited = (requests: string, seconds: number) =>
		`The service rejected ${requests} because of a rate limit, and requests under that limit waited ${seconds} s in total.`;
	const oneLimited = limited('1 request', 7);
	const why = `Failed: 2 × ${inDoubt.message}.`;
	const allCounts = '1 done, 1 skipped, 3 failed, 2 in progress, 3 not attempted.';
	const allEnds = Object.fromEntries(Object.keys(ends).map((end) => [end, 1]));
	// Waits that overlap count once.
	const overlapping = [...rows([0, 3], 4), ...rows([60], 3)];

	test.each<['info' | 'warning', Counts, Refusal[], lines: string[]]>([
		['warning', { done: 1, refused: 1, notAttempted: 3 }, [], ['1 done, 1 failed, 3 not attempted.']],
		['warning', { inDoubt: 1, afterDoubt: 3 }, [], ['0 done, 1 failed, 3 not attempted.', oneUnknown]],
		['info', { skipped: 3, done: 7 }, [], ['7 done, 3 skipped.', skippedOnes]],
		['warning', { skipped: 3 }, [], [nothing('all 3 already have')]],
		['warning', { skipped: 1 }, [], [nothing('the recipient already has')]],
		['info', { done: 10 }, overlapping, ['10 done.', limited('3 requests', 10)]],
		['info', { done: 2 }, [[0, 4, true]], ['2 done.', `${limited('1 request', 4)} Выберите мессенджер.`]],
		[
			'warning',
			{ ...allEnds, interrupted: 2 },
			[[0, 7]],
			[allCounts, skippedOnes, why, manyUnknown, oneLimited],
		],
	])('has the type %s after %j', (type, counts, refusals, lines) => {
		const told = { sentOncePer: 'осень <b>', assumedLimits: 'Выберите мессенджер.' };
		const hint = { message: lines.join('<br>'), type, location: 'outputPane' };
		expect(output.hintOf(outcomesOf(counts, refusals), told)).toStrictEqual(hint);
		const description = lines.join(' ').replaceAll('&lt;', '<');
		expect(faultsOf({ message: 'A line', description: `See: ${description}` })).toEqual([]);
	});
});

describe('other notices', () => {
	const hint = (message: string) => ({ message, type: 'info', location: 'outputPane' }) as const;
	const manyNotices = [...'абвгд'].map((text) => `${text} (1 of 9 items)`).join('<br>');

	test.each<[expected: number, string[], string]>([
		[3, ['Нет.', 'Да.', 'Нет.'], 'Нет. (2 of 3 items)<br>Да. (1 of 3 items)'],
		[9, [...'абвгдеж'], manyNotices],
	])('about results of %i items count each: %j', (expected, notices, message) => {
		const outcomes = new Outcomes(expected, () => 0);
		for (const [item, notice] of notices.entries()) outcomes.record(item, { rows: [], notice });
		expect(output.hintOfResults(outcomes.notices, expected)).toEqual(hint(message));
	});

	test('about empty parts are at most five', () => {
		const partsOf = (names: string) => new Map([...names].map((name) => [name, 4]));
		expect(output.hintOfEmptyParts(partsOf('абвгдеж'), 10)!.message.split('<br>')).toHaveLength(5);
	});

	test('stand below warnings', () => {
		const given = ['а', 'Б', 'в', 'Г'].map((text) => (text < 'а' ? output.warning(text) : hint(text)));
		const texts = output.warningsFirst([undefined, ...given]).map(({ message }) => message);
		expect(texts.join('')).toBe('БГав');
	});
});
