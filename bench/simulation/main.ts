/** Prints what the numbers of the pace come to, in virtual time: `npm run simulate [words of a title]`. */

import { measure, missed, percent, scenarios, type Figures } from './scenarios';

const seeds = 10;

async function main() {
	const asked = process.argv.slice(2).join(' ').toLowerCase();
	console.log(`share: the middle and the least of ${seeds} | refused of requests: the mean, the most`);
	for (const scenario of scenarios) {
		if (!scenario.title.toLowerCase().includes(asked)) continue;
		const figures = await measure(scenario, seeds);
		const misses = missed(scenario, figures);
		const remarks = [
			...(figures.some(({ givenUp }) => givenUp) ? ['some given up'] : []),
			...(misses.length ? [`MISSES ITS AIM: ${misses.join(', ')}`] : []),
		];
		console.log([scenario.title.padEnd(62), ...columns(figures), ...remarks].join('  '));
	}
}

function columns(figures: Figures[]): string[] {
	const shares = figures.map(({ share }) => share).sort((a, b) => a - b);
	const refused = figures.map((each) => each.refused);
	const mean = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
	return [
		percent(shares[Math.floor(shares.length / 2)]!).padStart(8),
		percent(shares[0]!).padStart(8),
		`${mean(refused).toFixed(1).padStart(6)} ${String(Math.max(...refused)).padStart(4)} of ${figures[0]!.requests - figures[0]!.refused}`,
		`${Math.round(mean(figures.map(({ seconds }) => seconds)))} s`.padStart(6),
	];
}

void main();
