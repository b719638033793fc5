/* The files that hold the results: JSON, from which the page and the charts are written. */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { projectFolder } from '../sandbox/host';
import { chartRow, drawChart, themes, type Theme } from './chart';
import { asJson } from './json';
import type { Machine } from './machine';
import { readRecords } from './records';
import type { Row } from './row';
import { pageOf, withRow, type Results } from './tables';

/** The folder with the results of complete tables. */
export const resultsFolder = __dirname;

const fileIn = (folder: string) => join(folder, 'results.json');
const read = async (folder: string) => JSON.parse(await readFile(fileIn(folder), 'utf8')) as Results;

/** Adds a table to the results in a folder. */
export async function save(row: Row, folder: string, machine: Machine): Promise<void> {
	const before = await read(folder).catch(() => undefined);
	await writeFile(fileIn(folder), asJson(withRow(before, row, machine)));
	await render(folder);
}

/** Writes what follows from the results in a folder: the page, and the charts of the documents. */
export async function render(folder: string): Promise<void> {
	const results = await read(folder);
	const isComplete = folder === resultsFolder;
	await writeFile(join(folder, 'results.md'), pageOf(results, isComplete ? readRecords() : {}));
	const row = chartRow(results.rows);
	if (!row) return;
	const charts = isComplete ? join(projectFolder, 'docs', 'charts') : folder;
	await mkdir(charts, { recursive: true });
	for (const theme of Object.keys(themes) as Theme[])
		await writeFile(join(charts, `broadcast-${theme}.svg`), drawChart(row, theme));
}
