import { measure, missed, scenarios } from '../../bench/simulation/scenarios';

/* The results of the pace for whole broadcasts. `npm run simulate` prints the figures. */

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
	'The pace reaches its targets in the scenario "%s"',
	async (_, scenario) => {
		// A median needs three.
		const broadcasts = scenario.aim.median ? 3 : 2;
		expect(missed(scenario, await measure(scenario, broadcasts))).toEqual([]);
	},
);
