/** Prints what the numbers of the pace come to, in virtual time: `npm run simulate [words of a title]`. */

import { measure, scenarios } from './scenarios';

const seeds = 10;

async function main() {
	const asked = process.argv.slice(2).join(' ').toLowerCase();
	console.log(`share: the middle and the least of ${seeds} | refused of requests: the mean, the most`);
	for (const scenario of scenarios) {
		if (!scenario.title.toLowerCase().includes(asked)) continue;
		const figures = await measure(scenario, seeds);
		const shares = figures.map(({ share }) => share).sort((a, b) => a - b);
		const refused = figures.map((each) => each.refused).sort((a, b) => a - b);
		const mean = refused.reduce((sum, each) => sum + each, 0) / seeds;
		const percent = (share: number) => `${(share * 100).toFixed(1).padStart(6)} %`;
		console.log(
			[
				scenario.title.padEnd(62),
				percent(shares[Math.floor(seeds / 2)]!),
				percent(shares[0]!),
				`${mean.toFixed(1).padStart(6)} ${String(refused.at(-1)).padStart(4)} of ${figures[0]!.requests - figures[0]!.refused}`,
				`${Math.round(figures.reduce((sum, { seconds }) => sum + seconds, 0) / seeds)} s`.padStart(6),
				figures.some(({ givenUp }) => givenUp) ? 'some given up' : '',
			].join('  '),
		);
	}
}

void main();
