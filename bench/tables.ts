import type { Spread } from './figures';
import type { Machine } from './machine';
import type { Row } from './rows';

/** How a figure is written, by the end of its name. */
function write(name: string, { median, min, max }: Spread): string {
	const one = (value: number) => {
		if (name === 'share') return `${(value * 100).toFixed(1)} %`;
		if (name.endsWith('Ratio')) return value.toFixed(2);
		return String(Math.round(value));
	};
	return one(min) === one(max) ? one(median) : `${one(median)} [${one(min)}–${one(max)}]`;
}

function tableOf({ columns, lines }: Row): string[][] {
	const names = Object.keys(columns);
	return [
		['contender', ...Object.values(columns), 'ended', 'runs'],
		...lines.map(({ contender, figures, ended, repetitions }) => [
			contender,
			...names.map((name) => (figures[name] ? write(name, figures[name]) : '')),
			ended,
			String(repetitions),
		]),
	];
}

const aimOf = ({ aim }: Row) => (aim ? `Aim: ${aim.text}. ${aim.reached ? 'Reached.' : 'Missed.'}` : '');

const busyOf = ({ busy, date, mark }: Row) =>
	`Measured ${date}, node ${mark}. Others kept ${Math.round(busy.share * 100)} % of the machine busy before this row (load ${busy.load.toFixed(1)}).`;

export function asText(row: Row): string {
	const table = tableOf(row);
	const widths = table[0]!.map((_, column) => Math.max(...table.map((cells) => cells[column]!.length)));
	const lines = table.map((cells) => cells.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
	return ['', `${row.number}. ${row.title}`, `   ${aimOf(row)}`, `   ${busyOf(row)}`, ...lines, ''].join(
		'\n',
	);
}

export function asMarkdown(rows: Row[], machine: Machine): string {
	return [
		'# Measurements',
		'',
		`By \`npm run bench\`: n8n ${machine.n8n} (n8n-core ${machine.n8nCore}) on Node.js`,
		`${machine.node}, ${machine.system}, ${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB.`,
		'',
		'All contenders run through the same engine against the same stand-in service, each in a process of its own. Compare',
		'them within a table; the machine was shared, and other machines are faster or slower. Figures are medians',
		'[lowest–highest]. README.md says what each of them means.',
		...(new Set(rows.map(({ mark }) => mark)).size > 1
			? ['', 'The rows are of different states of the node, as the mark beside the date tells.']
			: []),
		'',
		...rows.flatMap((row) => [
			`## ${row.number}. ${row.title}`,
			'',
			aimOf(row),
			busyOf(row),
			'',
			...markdownTable(tableOf(row)),
			'',
		]),
	].join('\n');
}

function markdownTable([head, ...body]: string[][]): string[] {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(head!), line(head!.map((_, column) => (column ? '---:' : '---'))), ...body.map(line)];
}
