/** Compares the node with what a user would do without it: `npm run bench`. See README.md. */

import { mkdir } from 'node:fs/promises';
import { parseArgs } from 'node:util';

import { ensureHostInstalled } from '../sandbox/host';
import { rowNames } from './aims';
import { benchFolder, buildEngine } from './build';
import { writeFigures } from './documents';
import { expressionEngines } from './job';
import { describeMachine } from './machine';
import { expressionCounts } from './messages';
import { pacedRows, runPaced } from './paced';
import { measureOnN8n, suites, type Suite } from './n8n';
import { renderRecords } from './records';
import { render, resultsFolder, save } from './results';
import type { Bench, Row } from './row';
import { asText } from './tables';
import { contenders, runUnpaced, unpacedRows, type Choice, type ContenderName } from './unpaced';

const log = (text: string) => console.log(text);

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		quick: { type: 'boolean' },
		items: { type: 'string' },
		expressions: { type: 'string' },
		engine: { type: 'string' },
		contenders: { type: 'string' },
		repetitions: { type: 'string' },
	},
});

function known<T extends string>(asked: string[], there: readonly T[]): T[] {
	const unknown = asked.find((one) => !there.includes(one as T));
	if (unknown !== undefined) throw new Error(`"${unknown}" is not one of ${there.join(', ')}`);
	return asked as T[];
}

function numbers(asked: string[]): number[] {
	const unknown = asked.find((one) => !/^[1-9]\d*$/.test(one));
	if (unknown !== undefined) throw new Error(`"${unknown}" is not a number of items or repetitions`);
	return asked.map(Number);
}

function choiceOf({ items, expressions, engine, contenders: names, repetitions }: typeof values) {
	const choice: Partial<Choice> = {
		...(items && { items: numbers(items.split(',')) }),
		...(expressions && { expressions: known(expressions.split(','), expressionCounts) }),
		...(engine && { engines: known(engine.split(','), expressionEngines) }),
		...(names && { contenders: known(names.split(','), Object.keys(contenders) as ContenderName[]) }),
		...(repetitions && { repetitions: numbers([repetitions])[0] }),
	};
	return choice;
}

async function main() {
	const [command, ...asked] = positionals;
	if (command === 'render') return await renderAll();
	if (command === 'n8n') return await record(known(asked.length ? asked : suites, suites));
	const rows = known(positionals.length ? positionals : rowNames, rowNames);
	const choice = choiceOf(values);
	const unpaced = Object.keys(unpacedRows);
	if (Object.keys(choice).length && rows.some((row) => !unpaced.includes(row))) {
		throw new Error(`These options apply only to ${unpaced.join(' and ')}: name one of these rows`);
	}
	await ensureHostInstalled(log);
	await mkdir(benchFolder, { recursive: true });
	const bench: Bench = { quick: values.quick ?? false, ...(await buildEngine()), log };
	// Only complete tables of the default settings count as results.
	const isPart = bench.quick || choice.items || choice.contenders;
	const folder = isPart ? benchFolder : resultsFolder;
	for (const name of rows) {
		for await (const row of measure(name, choice, bench)) {
			log(`\n${asText(row)}`);
			await save(row, folder, describeMachine());
		}
	}
}

async function renderAll() {
	await render(resultsFolder);
	renderRecords();
	for (const each of writeFigures()) log(`Not found in ${each}`);
}

async function record(asked: Suite[]) {
	await ensureHostInstalled(log);
	await mkdir(benchFolder, { recursive: true });
	await measureOnN8n(asked, await buildEngine(), log);
}

async function* measure(name: string, choice: Partial<Choice>, bench: Bench): AsyncGenerator<Row> {
	if (name in pacedRows) yield await runPaced(name as keyof typeof pacedRows, bench);
	else yield* runUnpaced(name as keyof typeof unpacedRows, choice, bench);
}

void main().catch((error: Error) => {
	console.error(error.stack);
	// Child processes end with this one.
	process.exit(1);
});
