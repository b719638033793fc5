/* results.md: the figures as Markdown that is also readable as plain text. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import markdownTable from 'markdown-table';

import { stateText } from './commit';
import type { Conditions } from './conditions';
import { spreadOf } from './figures';
import { kinds, meanings, type RecordName } from './records';
import { readResults, type Kept, type Results } from './results';
import { oursIn, titles, type Column, type Row } from './row';

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;

/** The median of the values, with the lowest and the highest if they differ. */
function write(figure: string, values: number[]): string {
	const one = (value: number) => {
		if (figure === 'share') return percent(value);
		if (figure.endsWith('Ratio')) return value.toFixed(2);
		return String(Math.round(value));
	};
	const { median, min, max } = spreadOf(values);
	return one(min) === one(max) ? one(median) : `${one(median)} [${one(min)}–${one(max)}]`;
}

const whenText = (conditions: Conditions) => `${conditions.date} at commit ${stateText(conditions)}`;

/** A sentence about all that was measured under the same conditions, or a list of them with the names that each is about. */
function measuredText(measured: Record<string, Conditions>): string[] {
	const groups = new Map<string, string[]>();
	for (const [name, conditions] of Object.entries(measured)) {
		const text = `measured ${whenText(conditions)}, ${conditions.machine}`;
		groups.set(text, [...(groups.get(text) ?? []), name]);
	}
	const sentences = [...groups].map(([text, names]) => {
		const busy = Math.max(...names.map((name) => measured[name]!.busy));
		return { names, text: `${text}. Other programs used ${percent(busy)} of it before.` };
	});
	if (sentences.length === 1) return [sentences[0]!.text.replace('measured', 'Measured')];
	return sentences.map(({ names, text }) => `- ${names.map((name) => `\`${name}\``).join(', ')}: ${text}`);
}

/** One table of one or several rows. Columns that nobody has are left out. */
export function tableOf(rows: Record<string, Row>): string {
	const lines = Object.entries(rows).flatMap(([name, row]) =>
		row.lines.map((line, index) => ({ ...line, row: index ? '' : `\`${name}\`: ${row.title}` })),
	);
	const columns = (Object.keys(titles) as Column[]).filter((column) =>
		lines.some(({ figures }) => figures[column]),
	);
	const cells = lines.map(({ row, contender, figures, ended }) => [
		row,
		contender,
		...columns.map((column) => (figures[column] ? write(column, figures[column]) : '')),
		ended,
	]);
	const head = ['row', 'contender', ...columns.map((column) => titles[column]), 'ended'];
	return markdownTable([head, ...cells], { align: ['', '', ...columns.map(() => 'r'), 'r'] });
}

const others = 'Other conditions';

/** Rows with the same first word are a section; those without a section are under other conditions. */
const sections: Record<string, string> = {
	limit: '60 messages against a limit of 2 per second.',
	late: '150 messages against a limit of 2 per second. The service counts requests 0 to 150 ms late.',
	large:
		'10,000 messages at once, without a limit, with both of n8n’s engines for expressions. The ratio is to HTTP Request in the same round.',
	once: '10,000 messages at once, without a limit. n8n stores 50,000 entries of the node. The ratio is to the node without Send Once Per in the same round.',
	[others]: 'Messages at the default pace of 2 per second.',
};

function sectionText([heading, text]: [string, string], all: Results['rows']): string[] {
	const sectionOf = (name: string) => (name.split('-')[0]! in sections ? name.split('-')[0] : others);
	const rows = Object.fromEntries(Object.entries(all).filter(([name]) => sectionOf(name) === heading));
	return [`## ${heading}`, '', text, '', ...measuredText(rows), '', tableOf(rows), ''];
}

function recordText(name: RecordName, record: Kept): string[] {
	const { title, setUp, suite } = kinds[name];
	const figures = Object.entries(record.figures).map(([figure, values]) => [
		meanings[figure as keyof typeof meanings],
		write(figure, values),
	]);
	return [
		`### ${title}`,
		'',
		`${setUp} Command: \`npm run bench -- n8n ${suite}\`.`,
		'',
		...measuredText({ [name]: record }),
		'',
		markdownTable([['figure', 'value'], ...figures], { align: ['', 'r'] }),
		'',
	];
}

/** The four figures that matter most. */
function summaryOf({ tests, rows, records }: Results): string {
	const all = [...Object.values(rows).flatMap(oursIn), ...Object.values(records)];
	const figures: Array<Partial<Record<string, number[]>>> = all.map((each) => each.figures);
	const notOnce = figures.flatMap(({ lost = [], doubled = [] }) => [...lost, ...doubled]);
	const withVm = Object.keys(rows).flatMap((name) => (name.startsWith('large-vm') ? rows[name]! : []));
	const blocks = withVm.flatMap(oursIn).map((line) => line.figures.blockedMs!);
	const [longest] = blocks.sort((a, b) => spreadOf(b).median - spreadOf(a).median);
	const when = (...measured: Conditions[]) => [...new Set(measured.map(whenText))].join(', ');
	const share = write('share', oursIn(rows.limit!)[0]!.figures.share!);
	const sum = String(notOnce.reduce((total, value) => total + value, 0));
	return markdownTable([
		['figure', 'target', 'measured', 'when'],
		['share of the limit (`limit`)', 'at least 99 %', share, when(rows.limit!)],
		[
			'messages lost or doubled (all tables)',
			'0',
			sum,
			when(...Object.values(rows), ...Object.values(records)),
		],
		[
			'longest block (`large`, engine vm)',
			'at most 50 ms',
			`${write('blockedMs', longest!)} ms`,
			when(...withVm),
		],
		[
			'time of `npm test`',
			'under 120 s',
			...(tests ? [`${tests.seconds} s on ${tests.cores} cores`, when(tests)] : ['not measured', '']),
		],
	]);
}

function pageOf(results: Results): string {
	const { rows, records } = results;
	return [
		'# Measurements',
		'',
		'This package’s node, *Chatbot Service*, in four figures:',
		'',
		summaryOf(results),
		'',
		'Figures are medians of the runs [lowest–highest]. Compare them within a table: other machines are faster or slower. In the tables',
		'before [A real n8n](#a-real-n8n), all contenders run through the same engine against the same emulator of the service, each in a',
		'process of its own. [README.md](README.md) says what each figure means and how to measure it again. The same figures for programs,',
		'run by run: [results.json](results.json).',
		'',
		...Object.entries(sections).flatMap((section) => sectionText(section, rows)),
		'## A real n8n',
		'',
		'The packed package in a whole n8n, with an emulator of the service. Tests of [test/e2e/nightly](../test/e2e/nightly) record these',
		'figures; they check more than what they record.',
		'',
		...Object.entries(records).flatMap(([name, record]) => recordText(name as RecordName, record)),
	].join('\n');
}

/** Writes the page from results.json. */
export const render = () => writeFileSync(join(__dirname, 'results.md'), pageOf(readResults()));
