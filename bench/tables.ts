import markdownTable from 'markdown-table';

import type { Spread } from './figures';
import type { Machine } from './machine';
import { titles, type Row } from './row';

function write(figure: string, { median, min, max }: Spread): string {
	const one = (value: number) => {
		if (figure === 'share') return `${(value * 100).toFixed(1)} %`;
		if (figure.endsWith('Ratio')) return value.toFixed(2);
		return String(Math.round(value));
	};
	return one(min) === one(max) ? one(median) : `${one(median)} [${one(min)}–${one(max)}]`;
}

/** A Markdown table that is also readable as plain text. */
function tableOf({ columns, lines }: Row): string {
	// Without columns that nobody has, such as a ratio to a contender that did not run.
	const shown = columns.filter((figure) => lines.some(({ figures }) => figures[figure]));
	const cells = [
		['contender', ...shown.map((figure) => titles[figure]), 'ended'],
		...lines.map(({ contender, figures, ended }) => [
			contender,
			...shown.map((figure) => (figures[figure] ? write(figure, figures[figure]) : '')),
			ended,
		]),
	];
	return markdownTable(cells, { align: ['', ...shown.map(() => 'r'), 'r'] });
}

const headingOf = ({ name, title }: Pick<Row, 'name' | 'title'>) => `## ${name}: ${title}\n`;

export function asText(row: Row): string {
	const { aims, busy, date, mark } = row;
	return [
		headingOf(row),
		...aims.map(({ text, reached }) => `- ${reached ? 'Reached' : '**Missed**'}: ${text}`),
		...(aims.length ? [''] : []),
		`Measured ${date}, node ${mark}. Others kept ${Math.round(busy.share * 100)} % of the machine busy before (load ${busy.load.toFixed(1)}).`,
		'',
		tableOf(row),
		'',
	].join('\n');
}

const introductionFor = (machine: Machine) =>
	[
		'# Measurements',
		'',
		`By \`npm run bench\`: n8n ${machine.n8n} (n8n-core ${machine.n8nCore}) on Node.js`,
		`${machine.node}, ${machine.system}, ${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB.`,
		'',
		'All contenders run through the same engine against the same emulator, each in a process of its own. Compare',
		'them within a table; the machine was shared, and other machines are faster or slower. Figures are medians',
		'[lowest–highest]. README.md says what each of them means. The tables are of different states of the node where the',
		'marks beside their dates differ.',
		'',
		'',
	].join('\n');

/** Puts a table in place of its previous version, in the order of the names. Removes tables of other machines. */
export function withTable(
	page: string,
	row: Row,
	{ machine, names }: { machine: Machine; names: string[] },
): string {
	const introduction = introductionFor(machine);
	const others = page.startsWith(introduction) ? page.split(/^(?=## )/m).slice(1) : [];
	const place = (table: string) => names.indexOf(/\w+/.exec(table)![0]);
	const tables = [...others.filter((table) => !table.startsWith(headingOf(row))), `${asText(row)}\n`].sort(
		(a, b) => place(a) - place(b) || a.localeCompare(b, 'en', { numeric: true }),
	);
	return `${introduction}${tables.map((table) => table.trim()).join('\n\n')}\n`;
}
