/* Whether everything that was measured belongs together. */

import { rowNames } from './aims';
import { kinds, type Records } from './records';
import type { Results } from './tables';

/** Reasons why the figures in the documents must not be published; empty if they may. */
export function measurementProblems({ rows }: Results, records: Records): string[] {
	const measured = [...rows, ...Object.values(records)];
	const marks = [...new Set(measured.map(({ mark }) => mark))];
	const missing = [
		...rowNames.filter((each) => rows.every(({ name }) => name !== each)),
		...Object.keys(kinds).filter((kind) => !(kind in records)),
	];
	return [
		...(marks.length > 1
			? [
					`Figures are of ${marks.length} states of the node (${marks.join(', ')}): measure all of them with "npm run bench" and "npm run bench -- n8n"`,
				]
			: []),
		...missing.map((each) => `"${each}" is not measured: see bench/README.md`),
	];
}
