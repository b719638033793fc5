/* Whether everything that was measured belongs together. */

import { rowNames } from './aims';
import { kinds, type Records } from './records';
import type { Results } from './tables';

/**
 * Reasons why the figures in the documents must not be published; empty if they may.
 *
 * @param current mark of the node that is published
 */
export function measurementProblems({ rows }: Results, records: Records, current: string): string[] {
	const measured = [...rows, ...Object.values(records)];
	const marks = [...new Set(measured.map(({ mark }) => mark))];
	const missing = [
		...rowNames.filter((each) => rows.every(({ name }) => name !== each)),
		...Object.keys(kinds).filter((kind) => !(kind in records)),
	];
	const others = marks.filter((mark) => mark !== current);
	return [
		...(others.length
			? [
					`Figures are of another state of the node (${others.join(', ')}; now it is ${current}): measure all of them with "npm run bench" and "npm run bench -- n8n"`,
				]
			: []),
		...missing.map((each) => `"${each}" is not measured: see bench/README.md`),
	];
}
