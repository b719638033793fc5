import { seededRandom } from '../../sandbox/emulator/random';
import { useVirtualTime } from '../virtualTime';
import { broadcast } from './broadcast';
import { scenarios, type Scenario } from './scenarios';

/* How much of a limit whole broadcasts use, and how often the service refuses their requests. */

useVirtualTime();

test.each(scenarios.map((scenario) => [scenario.title, scenario] as const))(
	'The pace reaches its targets: %s',
	async (_title, scenario) => {
		for (const seed of [1, 2, 3]) {
			const { share, refused, givenUp } = await figuresOf(scenario, seed);
			expect(givenUp).toBe(0);
			expect(share).toBeGreaterThanOrEqual(scenario.aim.share);
			expect(refused).toBeLessThanOrEqual(scenario.aim.refused);
		}
	},
);

async function figuresOf({ given }: Scenario, seed: number) {
	const { allowed, ...sent } = given(seededRandom(seed));
	const { service, givenUp } = await broadcast(sent);
	const { accepted, refused } = service;
	const spanMs = accepted.at(-1)!.at - accepted[0]!.at;
	const shortestMs = Math.floor((accepted.length - 1) / allowed.requests) * allowed.windowMs;
	return { share: shortestMs / spanMs, refused, givenUp };
}
