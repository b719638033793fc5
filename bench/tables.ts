/* The results as Markdown: a summary of the targets, and the tables. */

import markdownTable from 'markdown-table';

import { aimsOf, isReached, notes, rowNames, type Aim } from './aims';
import type { Machine } from './machine';
import { oursIn, titles, type Column, type Row } from './row';
import { busyText, machineText, percent, write } from './write';

/** Everything that was measured, on one machine. */
export interface Results {
	machine: Machine;
	rows: Row[];
}

/** A Markdown table that is also readable as plain text. */
function tableOf({ lines }: Row): string {
	// Without columns that nobody has, such as a ratio to a contender that did not run.
	const columns = (Object.keys(titles) as Column[]).filter((column) =>
		lines.some(({ figures }) => figures[column]),
	);
	const cells = [
		['contender', ...columns.map((column) => titles[column]), 'ended'],
		...lines.map(({ contender, figures, ended }) => [
			contender,
			...columns.map((column) => (figures[column] ? write(column, figures[column]) : '')),
			ended,
		]),
	];
	return markdownTable(cells, { align: ['', ...columns.map(() => 'r'), 'r'] });
}

export function asText(row: Row): string {
	const { name, title, busy, date, mark } = row;
	return [
		`## ${name}: ${title}`,
		'',
		`Measured ${date}, node ${mark}. ${busyText(busy)}`,
		'',
		tableOf(row),
	].join('\n');
}

const points = (difference: number) => `${(difference * 100).toFixed(1)} points`;

const units: Record<
	Aim['unit'],
	{ value: (value: number) => string; margin: (difference: number) => string }
> = {
	share: { value: percent, margin: points },
	refused: { value: (value) => (value ? percent(value) : 'none'), margin: points },
	notOnce: { value: (value) => (value ? `${value} not` : 'all'), margin: String },
	ratio: { value: (value) => value.toFixed(2), margin: (difference) => difference.toFixed(2) },
	ms: { value: (value) => `${Math.round(value)} ms`, margin: (difference) => `${Math.round(difference)} ms` },
	count: { value: String, margin: String },
};

/** A target of a row, and the table in which it was reached by the least. */
export interface Verdict {
	row: Row;
	aim: Aim;
	value: number;
	reached: boolean;
}

/** One for each target of each row, in the order of the rows. */
export function verdictsOf(rows: Row[]): Verdict[] {
	const verdicts = new Map<string, Verdict>();
	for (const row of rows.filter((each) => oursIn(each).length)) {
		for (const aim of aimsOf(row)) {
			const value = aim.measured(row);
			if (value === undefined) continue;
			const key = `${row.name} ${aim.text}`;
			const before = verdicts.get(key);
			const isWorse = !before || (aim.most === undefined ? value < before.value : value > before.value);
			if (isWorse) verdicts.set(key, { row, aim, value, reached: isReached(aim, value) });
		}
	}
	return [...verdicts.values()];
}

/** By how much a target is reached or missed. */
function marginOf({ aim, value }: Verdict): string {
	const difference = Math.abs(value - (aim.most ?? aim.least)!);
	return difference ? `by ${units[aim.unit].margin(difference)}` : '';
}

/** Only a row with several tables has to say which one it is. */
const whereOf = ({ row }: Verdict, rows: Row[]) =>
	rows.filter(({ name }) => name === row.name).length > 1 ? ` (${row.title})` : '';

function summaryOf(rows: Row[]): string[] {
	const verdicts = verdictsOf(rows);
	const cells = verdicts.map((verdict) => {
		const { row, aim, value, reached } = verdict;
		return [row.name, aim.text, reached ? 'yes' : '**no**', units[aim.unit].value(value), marginOf(verdict)];
	});
	const missed = verdicts.filter(({ reached }) => !reached);
	return [
		'## Summary',
		'',
		'The targets for this package’s node. Where a row has several tables, the value is the worst of them.',
		...notes,
		'',
		markdownTable([['row', 'target', 'reached', 'measured', 'margin'], ...cells], {
			align: ['', '', '', 'r', 'r'],
		}),
		'',
		...(missed.length ? ['What is missed, and what it means:', ''] : []),
		...missed.map(
			(verdict) =>
				`- **${verdict.row.name}, ${verdict.aim.text}**${whereOf(verdict, rows)}: ${verdict.aim.ifMissed}`,
		),
		...(missed.length ? [''] : []),
	];
}

/** The states of the node that the tables belong to. */
export const marksOf = (rows: Row[]) => [...new Set(rows.map(({ mark }) => mark))];

const introductionFor = ({ machine, rows }: Results) => [
	'# Measurements',
	'',
	...(marksOf(rows).length > 1
		? [
				`**These tables are of different states of the node** (${marksOf(rows).join(', ')}), so they must not be compared with each`,
				'other. `npm run bench` measures all of them again.',
				'',
			]
		: []),
	`By \`npm run bench\`: ${machineText(machine)}`,
	'',
	'All contenders run through the same engine against the same emulator, each in a process of its own. Compare',
	'them within a table; the machine was shared, and other machines are faster or slower. Figures are medians',
	'[lowest–highest]. [README.md](README.md) says what each of them means. The same figures for programs, run by run:',
	'[results.json](results.json). What was measured on a whole n8n: [records.md](records.md).',
	'',
];

/** The whole page, written by this function alone. */
export function pageOf(results: Results): string {
	const { rows } = results;
	const tables = rows.flatMap((row) => [asText(row), '']);
	return [...introductionFor(results), ...summaryOf(rows), ...tables].join('\n');
}

/** Puts a table in place of its previous version, in the order of the rows. Removes tables of other machines. */
export function withRow(results: Results | undefined, row: Row, machine: Machine): Results {
	const isSame = JSON.stringify(results?.machine) === JSON.stringify(machine);
	const others = isSame
		? results!.rows.filter(({ name, title }) => name !== row.name || title !== row.title)
		: [];
	const rows = [...others, row].sort(
		(a, b) =>
			rowNames.indexOf(a.name) - rowNames.indexOf(b.name) ||
			a.title.localeCompare(b.title, 'en', { numeric: true }),
	);
	return { machine, rows };
}
