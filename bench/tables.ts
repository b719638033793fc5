import markdownTable from 'markdown-table';

import type { Spread } from './figures';
import type { Machine } from './machine';
import type { Row } from './row';

/** How a figure is written, by the end of its name. */
function write(name: string, { median, min, max }: Spread): string {
	const one = (value: number) => {
		if (name === 'share') return `${(value * 100).toFixed(1)} %`;
		if (name.endsWith('Ratio')) return value.toFixed(2);
		return String(Math.round(value));
	};
	return one(min) === one(max) ? one(median) : `${one(median)} [${one(min)}–${one(max)}]`;
}

/** A table of Markdown that can be read as it stands too. */
function tableOf({ columns, lines }: Row): string {
	// Without those that nobody has, such as a ratio to one who did not run.
	const shown = Object.entries(columns).filter(([name]) => lines.some(({ figures }) => figures[name]));
	const cells = [
		['contender', ...shown.map(([, title]) => title), 'ended'],
		...lines.map(({ contender, figures, ended }) => [
			contender,
			...shown.map(([name]) => (figures[name] ? write(name, figures[name]) : '')),
			ended,
		]),
	];
	return markdownTable(cells, { align: ['', ...shown.map(() => 'r'), 'r'] });
}

export function asText(row: Row): string {
	const { name, title, aims, busy, date, mark } = row;
	return [
		`## ${name}: ${title}`,
		'',
		...aims.map(({ text, reached }) => `- ${reached ? 'Reached' : '**Missed**'}: ${text}`),
		...(aims.length ? [''] : []),
		`Measured ${date}, node ${mark}. Others kept ${Math.round(busy.share * 100)} % of the machine busy before (load ${busy.load.toFixed(1)}).`,
		'',
		tableOf(row),
		'',
	].join('\n');
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
			? ['', 'The tables are of different states of the node, as the mark beside the date tells.']
			: []),
		'',
		...rows.map(asText),
	].join('\n');
}
