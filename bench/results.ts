/* results.json: every measured figure. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Conditions } from './conditions';
import type { Row } from './row';

/** What was measured on a whole n8n; several values if it was measured several times. */
export interface Kept extends Conditions {
	figures: Record<string, number[]>;
}

export interface Results {
	/** The time of `npm test`. */
	tests?: Conditions & { seconds: number; cores: number };
	rows: Record<string, Row>;
	records: Record<string, Kept>;
}

const file = join(__dirname, 'results.json');

export const readResults = () => JSON.parse(readFileSync(file, 'utf8')) as Results;

/** Saves new figures in place of the previous ones. */
export function save({ tests, rows, records }: Partial<Results>): void {
	const before = readResults();
	const results: Results = {
		tests: tests ?? before.tests,
		rows: { ...before.rows, ...rows },
		records: { ...before.records, ...records },
	};
	writeFileSync(file, asJson(results));
}

/** JSON whose changes can be read line by line, with each list of numbers on one line. */
const asJson = (value: unknown) => {
	const oneLine = (numbers: string) => numbers.replace(/\s+/g, ' ').replace('[ ', '[').replace(' ]', ']');
	return `${JSON.stringify(value, null, '\t').replace(/\[[\s\d.,e-]*\]/g, oneLine)}\n`;
};

/** Everything with figures, by name. */
export const measuredIn = ({ tests, rows, records }: Results): Record<string, Conditions> => ({
	...(tests && { tests }),
	...rows,
	...records,
});
