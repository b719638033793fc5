/* The results as Markdown: a summary of the targets, and the tables. */

import markdownTable from 'markdown-table';

import { aimsOf, isReached, notes, recordAims, rowNames, type Target } from './aims';
import type { Machine } from './machine';
import { kinds, type RecordName, type Records } from './records';
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
	Target['unit'],
	{ value: (value: number) => string; margin: (difference: number) => string }
> = {
	share: { value: percent, margin: points },
	refused: { value: (value) => (value ? percent(value) : 'none'), margin: points },
	notOnce: { value: (value) => (value ? `${value} not` : 'all'), margin: String },
	ratio: { value: (value) => value.toFixed(2), margin: (difference) => difference.toFixed(2) },
	ms: { value: (value) => `${Math.round(value)} ms`, margin: (difference) => `${Math.round(difference)} ms` },
	count: { value: String, margin: String },
	none: { value: (value) => (value ? String(value) : 'none'), margin: String },
};

/** A target of a row or of a record, and the value that reaches it by the least. */
export interface Verdict {
	/** The name of the row, or the title of the record. */
	of: string;
	/** The table of the row with this value, if the row has several. */
	table?: string;
	target: Target;
	value: number;
	reached: boolean;
}

const isWorse = ({ most }: Target, value: number, than: number) =>
	most === undefined ? value < than : value > than;

/** One for each target of each row, in the order of the rows. */
export function verdictsOf(rows: Row[]): Verdict[] {
	const verdicts = new Map<string, Verdict>();
	for (const row of rows.filter((each) => oursIn(each).length)) {
		const { name, title } = row;
		const table = rows.filter((each) => each.name === name).length > 1 ? title : undefined;
		for (const target of aimsOf(row)) {
			const value = target.measured(row);
			if (value === undefined) continue;
			const key = `${name} ${target.text}`;
			const before = verdicts.get(key);
			if (before && !isWorse(target, value, before.value)) continue;
			verdicts.set(key, { of: name, table, target, value, reached: isReached(target, value) });
		}
	}
	return [...verdicts.values()];
}

/** One for each target of each record, in the order of the records. */
export const recordVerdictsOf = (records: Records): Verdict[] =>
	Object.entries(records).flatMap(([name, { figures }]) =>
		(recordAims[name as RecordName] ?? []).map((target) => {
			const value = figures[target.figure]!.reduce((worst, each) =>
				isWorse(target, each, worst) ? each : worst,
			);
			return { of: kinds[name as RecordName].title, target, value, reached: isReached(target, value) };
		}),
	);

/** By how much a target is reached or missed. */
function marginOf({ target, value }: Verdict): string {
	const difference = Math.abs(value - (target.most ?? target.least)!);
	return difference ? `by ${units[target.unit].margin(difference)}` : '';
}

const verdictTable = (verdicts: Verdict[], of: string) =>
	markdownTable(
		[
			[of, 'target', 'reached', 'measured', 'margin'],
			...verdicts.map((verdict) => {
				const { target, value, reached } = verdict;
				const measured = units[target.unit].value(value);
				return [verdict.of, target.text, reached ? 'yes' : '**no**', measured, marginOf(verdict)];
			}),
		],
		{ align: ['', '', '', 'r', 'r'] },
	);

function summaryOf(rows: Row[], records: Records): string[] {
	const [beside, whole] = [verdictsOf(rows), recordVerdictsOf(records)];
	const missed = [...beside, ...whole].filter(({ reached }) => !reached);
	return [
		'## Summary',
		'',
		'The targets for this package’s node. Shares, times and memory are medians of the runs, everything else is the worst of them.',
		'Where a row has several tables, or several settings of the node, the value is the worst of them.',
		...notes,
		'',
		verdictTable(beside, 'row'),
		'',
		...(whole.length
			? ['On a whole n8n, see [records.md](records.md):', '', verdictTable(whole, 'record'), '']
			: []),
		...(missed.length ? ['What is missed, and what it means:', ''] : []),
		...missed.map(
			({ of, table, target }) =>
				`- **${of}, ${target.text}**${table === undefined ? '' : ` (${table})`}: ${target.ifMissed}`,
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

/** The whole page, written by this function alone. The summary has the targets of the records too. */
export function pageOf(results: Results, records: Records): string {
	const { rows } = results;
	const tables = rows.flatMap((row) => [asText(row), '']);
	return [...introductionFor(results), ...summaryOf(rows, records), ...tables].join('\n');
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
