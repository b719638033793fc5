import { measure, missed, scenarios } from '../../bench/simulation/scenarios';

/* The results of the pace for whole broadcasts. `npm run simulate` prints the figures. */

const seeds = 3;

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
	'The pace reaches its targets in the scenario "%s"',
	async (_, scenario) => {
		expect(missed(scenario, await measure(scenario, seeds))).toEqual([]);
	},
);
