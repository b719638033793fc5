import { measure, missed, scenarios } from '../../bench/simulation/scenarios';

/* What the pace comes to over whole broadcasts. `npm run simulate` prints the figures themselves. */

const seeds = 3;

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
	'a broadcast reaches its aims: %s',
	async (_, scenario) => {
		expect(missed(scenario, await measure(scenario, seeds))).toEqual([]);
	},
);

test('no two scenarios have the same name', () => {
	expect(new Set(scenarios.map(({ title }) => title)).size).toBe(scenarios.length);
});

describe('what misses an aim', () => {
	const [first] = scenarios;
	const scenario = { ...first!, aim: { share: 0.9, refused: 3, seconds: 60 } };
	const good = { share: 0.9, refused: 3, requests: 100, givenUp: 0, seconds: 60 };

	test('a broadcast that just reaches its aim does not miss it', () => {
		expect(missed(scenario, [good, { ...good, share: 0.95, refused: 0 }])).toEqual([]);
	});

	test.each([
		['uses too little', { share: 0.89 }, 'uses 89.0 % of at least 90.0 %'],
		['is refused too often', { refused: 4 }, '4 refused of at most 3'],
		['takes too long', { seconds: 60.5 }, 'takes 61 s of at most 60'],
		['gives some up', { givenUp: 1 }, 'some are given up'],
	])('an aim is missed where a single broadcast %s', (_, changes, words) => {
		expect(missed(scenario, [good, { ...good, ...changes }, good])).toEqual([words]);
	});

	test('an aim is not missed by a process that gives up where it may', () => {
		const lenient = { ...scenario, aim: { ...scenario.aim, mayGiveUp: true as const } };
		expect(missed(lenient, [{ ...good, givenUp: 1 }])).toEqual([]);
	});
});
