import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';

import { hostFolder, hostNode, projectFolder } from '../sandbox/host/paths';
import { between, tableOf } from '../tools/tables';

/* results.md: prose by hand, and between two comments each table that was measured. */

const page = join(__dirname, 'results.md');

/** Writes a measured table into the page, in place of the previous one of this name. */
export function write(name: string, table: string): void {
	const measured = `Measured ${conditions()}.\n\n${table}`;
	const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
	writeFileSync(page, between(begin, end, page, readFileSync(page, 'utf8'), measured));
}

/** The variable with which `npm run bench -- n8n` asks tests to write what they measure. */
export const VARIABLE = 'BENCH_RECORDS';

/** Writes what a test measures on a real n8n, by the meaning of each figure, if the bench has started it. */
export function keep(name: string, figures: Record<string, number | string | number[]>): void {
	if (!process.env[VARIABLE]) return;
	const cells = Object.entries(figures).map(([figure, values]) => [figure, cellOf([values].flat(), figure)]);
	write(name, tableOf(['figure', 'value'], cells));
}

/** A table of rows that all have these columns; columns without any value are left out. */
export function tableOfRuns(lines: Array<Record<string, unknown[]>>): string {
	const columns = Object.keys(lines[0]!).filter((column) => lines.some((line) => line[column]!.length));
	const rows = lines.map((line) => columns.map((column) => cellOf(line[column]!, column)));
	return tableOf(columns, rows);
}

/** The median, with the lowest and the highest value if they differ; texts that differ one after the other. */
function cellOf(values: unknown[], figure: string): string {
	const numbers = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
	if (!numbers.length) return [...new Set(values)].join(', ');
	const written = (value: number) => {
		if (figure.startsWith('share')) return `${(value * 100).toFixed(1)}%`;
		return figure.endsWith('ratio') ? value.toFixed(2) : String(Math.round(value));
	};
	const [least, most] = [written(numbers[0]!), written(numbers.at(-1)!)];
	const middle = (numbers.length - 1) / 2;
	const median = written((numbers[Math.floor(middle)]! + numbers[Math.ceil(middle)]!) / 2);
	return least === most ? median : `${median} [${least}–${most}]`;
}

/** When, of which state of the node, with which n8n and on which machine. */
function conditions(): string {
	const git = (...args: string[]) =>
		execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8' }).trim();
	const changes = git('status', '--porcelain', '--', 'nodes', 'credentials') && ' with changes';
	const manifest = readFileSync(join(hostFolder, 'node_modules/n8n/package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	const node = execFileSync(hostNode, ['--version'], { encoding: 'utf8' }).trim();
	const memoryGb = Math.round(totalmem() / 1024 ** 3);
	return (
		`${new Date().toISOString().slice(0, 10)} at commit ${git('rev-parse', '--short=7', 'HEAD')}${changes}, ` +
		`n8n ${version} on Node.js ${node}, ${process.platform}, ${cpus().length} cores (${cpus()[0]!.model}), ${memoryGb} GB`
	);
}
