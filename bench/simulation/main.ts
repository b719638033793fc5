/** Prints the results of the rate-limit scenarios in virtual time: `npm run simulate [words of a title]`. */

import { spreadOf } from '../figures';
import { measure, missed, percent, scenarios, type Scenario } from './scenarios';

const seeds = 30;

async function main() {
	const asked = process.argv.slice(2).join(' ').toLowerCase();
	const rows: Array<[title: string, columns: object]> = [];
	for (const scenario of scenarios.filter(({ title }) => title.toLowerCase().includes(asked))) {
		rows.push([scenario.title, await columnsOf(scenario)]);
	}
	console.log(`${seeds} broadcasts each`);
	console.table(Object.fromEntries(rows));
}

async function columnsOf(scenario: Scenario) {
	const figures = await measure(scenario, seeds);
	const share = spreadOf(figures.map((each) => each.share));
	const refused = spreadOf(figures.map((each) => each.refused));
	return {
		share: percent(share.median),
		least: percent(share.min),
		refused: refused.median,
		most: refused.max,
		'with some given up': figures.filter(({ givenUp }) => givenUp).length,
		seconds: Math.round(spreadOf(figures.map(({ seconds }) => seconds)).median),
		'misses its aim': missed(scenario, figures).join(', '),
	};
}

void main();
