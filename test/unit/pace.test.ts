import { measure, missed, scenarios } from '../../bench/simulation/scenarios';

/* The results of the pace for whole broadcasts. `npm run simulate` prints the figures. */

const seeds = 3;

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
	'The pace reaches its targets in the scenario "%s"',
	async (_, scenario) => {
		expect(missed(scenario, await measure(scenario, seeds))).toEqual([]);
	},
);

test('No two scenarios of the pace have the same name', () => {
	expect(new Set(scenarios.map(({ title }) => title)).size).toBe(scenarios.length);
});

describe('when the pace misses a target', () => {
	const aim = { share: 0.9, refused: 3, seconds: 60, median: { share: 0.95, refused: 1 } };
	const scenario = { ...scenarios[0]!, aim };
	const just = { share: 0.9, refused: 3, requests: 100, givenUp: 0, seconds: 60 };
	const better = { ...just, share: 0.95, refused: 1 };

	test('A broadcast that just reaches a target does not miss it', () => {
		expect(missed(scenario, [just, better, better])).toEqual([]);
	});

	test.each([
		[
			'a single broadcast uses too little',
			[{ ...just, share: 0.89 }, better],
			'uses 89.0 % of at least 90.0 %',
		],
		['a single broadcast is refused too often', [{ ...just, refused: 4 }, better], '4 refused of at most 3'],
		['a single broadcast takes too long', [{ ...just, seconds: 60.5 }, better], 'takes 61 s of at most 60'],
		['a single broadcast gives some up', [{ ...just, givenUp: 1 }, better], '1 given up'],
		[
			'the median broadcast uses too little',
			[
				{ ...better, share: 0.94 },
				{ ...better, share: 0.94 },
			],
			'uses 94.0 % of at least 95.0 % in the median',
		],
		[
			'the median broadcast is refused too often',
			[
				{ ...better, refused: 2 },
				{ ...better, refused: 2 },
			],
			'2 refused of at most 1 in the median',
		],
	])('A target is missed when %s', (_, others, words) => {
		expect(missed(scenario, [...others, better])).toEqual([words]);
	});
});
