import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import sharp from 'sharp';

import { rowNames } from '../../bench/aims';
import { chartRow, drawChart, themes, type Theme } from '../../bench/chart';
import { fileOf, patternOf, sentenceOf, statements } from '../../bench/documents';
import { kinds, readRecords, recordsPage } from '../../bench/records';
import { measurementProblems } from '../../bench/state';
import {
	marksOf,
	pageOf as resultsPage,
	recordVerdictsOf,
	verdictsOf,
	type Results,
} from '../../bench/tables';
import { read, root } from './page';

/*
 * bench/results.json and bench/records.json hold all measured figures. The pages, the charts and the documents show the same figures:
 * `npm run bench -- render` writes all of them again.
 */

const results = JSON.parse(read('bench/results.json')) as Results;
const asOneLine = (text: string) => text.replace(/\s+/g, ' ');

test('bench/results.md and bench/records.md are written from the measured figures', () => {
	expect(read('bench/results.md')).toBe(resultsPage(results, readRecords()));
	expect(read('bench/records.md')).toBe(recordsPage(readRecords()));
});

test.each(Object.keys(themes) as Theme[])('the %s chart shows the measured figures', async (theme) => {
	const file = `docs/charts/broadcast-${theme}.svg`;
	const chart = read(file);
	expect(chart).toBe(drawChart(chartRow(results.rows)!, theme));
	expect(chart.length).toBeLessThan(15_000);
	// Unlike browsers, it accepts nothing that is not XML.
	expect(await sharp(readFileSync(join(root, file))).metadata()).toMatchObject({ format: 'svg', width: 800 });
});

test('the page of the results says why a target is missed, and whether all tables are of one state of the node', () => {
	const page = read('bench/results.md');
	const verdicts = [...verdictsOf(results.rows), ...recordVerdictsOf(readRecords())];
	for (const { target } of verdicts.filter(({ reached }) => !reached))
		expect(page).toContain(target.ifMissed);
	expect(page.includes('These tables are of different states of the node')).toBe(
		marksOf(results.rows).length > 1,
	);
});

test('a target that is missed is in the summary, with its reason', () => {
	const [row] = results.rows;
	const late = { ...row!.lines[0]!, figures: { ...row!.lines[0]!.figures, share: [0.7] } };
	const { workersSet } = readRecords();
	const slow = { ...workersSet!, figures: { ...workersSet!.figures, share: [0.98, 0.5], doubled: [0, 2] } };
	const page = resultsPage({ ...results, rows: [{ ...row!, lines: [late] }] }, { workersSet: slow });
	expect(page).toMatch(
		/\| limit +\| at least 99 % of the limit +\| \*\*no\*\* +\| +70\.0 % \| by 29\.0 points \|/,
	);
	expect(page).toContain('**limit, at least 99 % of the limit**: ');
	expect(page).toMatch(/\| at least 97 % of the limit +\| \*\*no\*\* +\| +50\.0 % \| by 47\.0 points \|/);
	expect(page).toMatch(/\| nobody gets a message twice +\| \*\*no\*\* +\| +2 \| +by 2 \|/);
	expect(page).toContain('set to 2, at least 97 % of the limit**: ');
});

test('a release needs all figures, of the state of the node that is released', () => {
	const [row] = results.rows;
	const rows = rowNames.map((name) => ({ ...row!, name }));
	const record = Object.values(readRecords())[0]!;
	const records = Object.fromEntries(
		Object.keys(kinds).map((kind) => [kind, { ...record, mark: row!.mark }]),
	);
	expect(measurementProblems({ ...results, rows }, records, row!.mark)).toEqual([]);
	expect(measurementProblems({ ...results, rows }, records, 'newer')).toEqual([
		expect.stringMatching(/^Figures are of another state of the node/),
	]);
	const { single: _, ...incomplete } = records;
	const problems = measurementProblems(
		{ ...results, rows: [{ ...row!, mark: 'other' }, ...rows.slice(2)] },
		incomplete,
		row!.mark,
	);
	expect(problems).toEqual([
		expect.stringMatching(/^Figures are of another state of the node \(other; /),
		`"${rowNames[1]}" is not measured: see bench/README.md`,
		'"single" is not measured: see bench/README.md',
	]);
});

describe.each(['en', 'ru'] as const)('figures in the documents (%s)', (language) => {
	test.each(statements.map((statement) => [statement.page, statement[language], statement] as const))(
		'%s: %s',
		(_page, _words, statement) => {
			const sentence = sentenceOf(statement, language);
			const is = typeof sentence === 'string' ? expect.stringContaining : expect.stringMatching;
			expect(asOneLine(read(fileOf(statement, language)))).toEqual(is(sentence as string));
			if (typeof sentence === 'string') expect(statement.contradicted?.() ?? []).toEqual([]);
		},
	);
});

/** Numbers with these units come from a measurement, unless they are settings. */
const units = /\d[\d.,– ]*(?:ms|мс|%)(?![\p{L}\d])|\d[.,]\d+ (?:times|раза?)(?!\p{L})/gu;
const settings = /\d+ (?:per|за|в) \d+ (?:ms|мс)/g;
const code = /```[^]*?```|`[^`]*`/g;

const documents = ['', 'docs', 'docs/ru'].flatMap((folder) =>
	readdirSync(join(root, folder))
		.filter((name) => (folder ? name.endsWith('.md') : name === 'README.md'))
		.map((name) => join(folder, name)),
);

test.each(documents)('%s has no measured figure whose origin is not known', (file) => {
	const covered = statements.flatMap((statement) =>
		(['en', 'ru'] as const)
			.filter((language) => fileOf(statement, language) === file)
			.map((language) => patternOf(statement, language)),
	);
	const rest = covered.reduce(
		(text, pattern) => text.replace(pattern, ''),
		asOneLine(read(file).replace(code, '')),
	);
	expect(rest.replace(settings, '').match(units) ?? []).toEqual([]);
});
