import fc from 'fast-check';

import { Outcomes } from '../../nodes/ChatbotService/run/outcome';
import { hintOf, hintOfEmptyParts, hintOfNotices } from '../../nodes/ChatbotService/run/output';
import { itIs, outcomesOf, times, type End } from './outcomes';
import { faultsOf } from './sentences';

/* The notices above the output of a run. */

/** Outcomes after refusals by a limit, each with its time and its wait in seconds. */
function afterRefusals(
	ends: End[],
	refusals: Array<[at: number, waits: number, hasAssumed?: boolean]>,
): Outcomes {
	const outcomes = outcomesOf(...ends);
	for (const [at, waits, hasAssumed = false] of refusals) {
		itIs(at * 1000);
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

	test('says nothing of an unknown outcome of reading, or of a single item, whose failure says it', () => {
		expect(hintOf(outcomesOf('done', 'inDoubt'), { reads: true })?.message).toBe('1 done, 1 failed.');
		expect(hintOf(afterRefusals(['inDoubt'], [[0, 7]]))?.message).toMatch(/^The service rejected/);
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

const ends: End[] = [
	...(['done', 'skipped', 'refused', 'inDoubt', 'inDoubt before'] as const),
	...(['interrupted', 'notAttempted', 'not attempted after doubt', 'notSent'] as const),
];

/** The numbers at the beginning of a notice, by their words. */
const numbersOf = (notice: string): Record<string, number> =>
	Object.fromEntries(
		[.../^[^.]*/.exec(notice)![0].matchAll(/(\d+) ([a-z ]+)/g)].map(([, count, word]) => [
			word,
			Number(count),
		]),
	);

test('whatever became of the items, each counts once in the first line, and nothing else is said twice', () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...ends), { minLength: 2, maxLength: 12 }), (mix) => {
			const isAnyOf = (...some: End[]) => mix.filter((end) => some.includes(end)).length;
			const notice = hintOf(outcomesOf(...mix))?.message;
			if (isAnyOf('done') === mix.length) return expect(notice).toBeUndefined();
			if (isAnyOf('skipped') === mix.length) return expect(notice).toContain(`all ${mix.length} already`);
			expect(numbersOf(notice!)).toEqual(
				Object.fromEntries(
					Object.entries({
						skipped: isAnyOf('skipped'),
						failed: isAnyOf('refused', 'inDoubt', 'inDoubt before'),
						'in progress': isAnyOf('interrupted'),
						'not attempted': isAnyOf('notAttempted', 'not attempted after doubt', 'notSent'),
					})
						.filter(([, count]) => count > 0)
						.concat([['done', isAnyOf('done')]]),
				),
			);
			const lines = notice!.split('<br>');
			expect([new Set(lines).size, lines.length <= 3]).toEqual([lines.length, true]);
		}),
	);
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
