import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';

import { hostFolder, projectFolder } from '../sandbox/host/paths';
import { between, tableOf } from '../tools/tables';

/* results.md: prose by hand, and between two comments each table that was measured. */

const page = join(__dirname, 'results.md');

/** Writes what was measured into the page, in place of the previous one of this name, with its conditions. */
export function write(name: string, table: string): void {
	const git = (command: string) => {
		const args = [...command.split(' '), '--', 'nodes', 'credentials'];
		return execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8' }).trim();
	};
	const commit = git('log -1 --format=%h --abbrev=7');
	const changes = git('status --porcelain') && ' with changes';
	const manifest = readFileSync(join(hostFolder, 'node_modules/n8n/package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	const day = new Date().toISOString().slice(0, 10);
	const measured = `${table}\n\n${day}, ${commit}${changes}, n8n ${version}, ${cpus().length} cores.`;
	const [begin, end] = [`<!-- ${name} -->`, '<!-- end -->'];
	writeFileSync(page, between(begin, end, page, readFileSync(page, 'utf8'), measured));
}

/** The variable with which `npm run bench -- n8n` asks tests to write what they measure. */
export const VARIABLE = 'BENCH_RECORDS';

/** Writes what a test measures on a real n8n, by the meaning of each figure, if the bench has started it. */
export function keep(name: string, figures: Record<string, number | string | number[]>): void {
	if (!process.env[VARIABLE]) return;
	const lines = Object.entries(figures).map(
		([figure, values]) => `- ${figure}: ${cellOf([values].flat(), figure)}`,
	);
	write(name, lines.join('\n'));
}

/** A table of the columns in which all lines have a value; a value that is the same in all of them stands below it, once. */
export function tableOfRuns(lines: Array<Record<string, unknown[]>>): string {
	const columns = Object.keys(lines[0]!)
		.filter((name) => lines.every((line) => line[name]!.length))
		.map((name) => ({ name, cells: lines.map((line) => cellOf(line[name]!, name)) }));
	const same = columns.filter(({ cells }) => new Set(cells).size === 1);
	const shown = columns.filter((column) => !same.includes(column));
	const rows = lines.map((_line, row) => shown.map(({ cells }) => cells[row]!));
	const table = tableOf(
		shown.map(({ name }) => name),
		rows,
	);
	const below = same.map(({ name, cells }) => `${name} ${cells[0]}`).join(', ');
	return below ? `${table}\n\nIn each: ${below}.` : table;
}

/** The median, with the lowest and the highest value if they differ; texts that differ one after the other. */
function cellOf(values: unknown[], figure: string): string {
	const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
	if (!numbers.length) return [...new Set(values)].join(', ');
	const written = (value: number) =>
		figure.startsWith('share') ? `${(value * 100).toFixed(1)}%` : String(Math.round(value));
	const [least, most] = [written(numbers[0]!), written(numbers.at(-1)!)];
	const middle = (numbers.length - 1) / 2;
	const median = written((numbers[Math.floor(middle)]! + numbers[Math.ceil(middle)]!) / 2);
	return least === most ? median : `${median} [${least}–${most}]`;
}
