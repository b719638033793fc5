import { measure, missed, scenarios } from '../../bench/simulation/scenarios';

/* What the pace comes to over whole broadcasts. `npm run simulate` prints the figures themselves. */

const seeds = 3;

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
	'The pace reaches its aims in the scenario "%s"',
	async (_, scenario) => {
		expect(missed(scenario, await measure(scenario, seeds))).toEqual([]);
	},
);

test('No two scenarios of the pace have the same name', () => {
	expect(new Set(scenarios.map(({ title }) => title)).size).toBe(scenarios.length);
});

describe('when the pace misses an aim', () => {
	const [first] = scenarios;
	const aim = { share: 0.9, refused: 3, seconds: 60 };
	const scenario = { ...first!, aim };
	const good = { share: 0.9, refused: 3, requests: 100, givenUp: 0, seconds: 60 };

	test('Broadcasts that just reach an aim do not miss it', () => {
		expect(missed(scenario, [good, { ...good, share: 0.95, refused: 0 }])).toEqual([]);
	});

	test.each([
		['uses too little', { share: 0.89 }, 'uses 89.0 % of at least 90.0 %'],
		['is refused too often', { refused: 4 }, '4 refused of at most 3'],
		['takes too long', { seconds: 60.5 }, 'takes 61 s of at most 60'],
		['gives some up', { givenUp: 1 }, '1 given up'],
	])('An aim is missed when a single broadcast %s', (_, changes, words) => {
		expect(missed(scenario, [good, { ...good, ...changes }, good])).toEqual([words]);
	});

	test.each([
		['uses too little', { share: 0.94 }, 'uses 94.0 % of at least 95.0 % in the median'],
		['is refused too often', { refused: 2 }, '2 refused of at most 1 in the median'],
	])('An aim for the median is missed when the median broadcast %s', (_, changes, words) => {
		const withMedian = { ...scenario, aim: { ...aim, median: { share: 0.95, refused: 1 } } };
		const better = { ...good, share: 0.95, refused: 1 };
		const worse = { ...better, ...changes };
		expect(missed(withMedian, [good, better, better])).toEqual([]);
		expect(missed(withMedian, [worse, worse, better])).toEqual([words]);
	});
});
