/**
 * Mutation tests: Stryker changes the code in one place at a time, and reports the changes that no test notices.
 *
 *     npm run test:mutation                  all targets; an hour or more
 *     npm run test:mutation -- limits kinds  these targets
 *
 * This is a report, not a gate: a change that survives can be one that no user notices.
 */

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import targetsByName from './targets.json';

/** Stryker's report, as far as it is read here. */
interface Report {
	files: Record<string, { mutants: Array<{ status: string; location: Record<'start' | 'end', Place> }> }>;
}

/** Counted from 1. */
interface Place {
	line: number;
	column: number;
}

const targets: Record<string, { mutate: string[]; engineTests?: boolean }> = targetsByName;

const root = join(__dirname, '../..');
const stryker = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const targetsAtOnce = 2;

async function main(wanted: string[]) {
	const names = Object.keys(targets);
	const unknown = wanted.find((name) => !names.includes(name));
	if (unknown) throw new Error(`There is no target ${unknown}. The targets are ${names.join(', ')}`);
	const left = (wanted.length ? wanted : names).values();
	const measureOneByOne = async () => {
		for (const name of left) await measure(name);
	};
	await Promise.all(Array.from({ length: targetsAtOnce }, measureOneByOne));
}

/** The engine tests take seconds for each change, so they run only for changes that survive the other tests. */
async function measure(name: string) {
	if (!(await runStryker(name, 'tests')) || !targets[name]!.engineTests) return;
	const survivors = survivorsOf(name);
	if (survivors.length) await runStryker(name, 'engineTests', survivors);
}

/** The places of the changes that survived, in the format of Stryker's `mutate`. */
function survivorsOf(name: string): string[] {
	const { files } = JSON.parse(readFileSync(reportOf(name), 'utf8')) as Report;
	return Object.entries(files).flatMap(([file, { mutants }]) =>
		mutants
			.filter(({ status }) => ['Survived', 'NoCoverage'].includes(status))
			.map(({ location: { start, end } }) => `${file}:${placeOf(start)}-${placeOf(end)}`),
	);
}

/** The columns of a range are counted from 0. */
const placeOf = ({ line, column }: Place) => `${line}:${column - 1}`;

/**
 * Prints the output of Stryker at once, because another target is measured at the same time.
 *
 * @returns whether Stryker could measure
 */
const runStryker = (name: string, tests: 'tests' | 'engineTests', mutate?: string[]) =>
	new Promise<boolean>((resolve) => {
		const options = {
			cwd: root,
			env: {
				...process.env,
				MUTATION: JSON.stringify({ name, tests, mutate }),
			},
			maxBuffer: Infinity,
		};
		execFile(
			process.execPath,
			[stryker, 'run', `${__dirname}/stryker.config.mjs`],
			options,
			(error, output, errors) => {
				console.log(`\n=== ${name}, ${tests}\n${output}${errors}`);
				if (error) process.exitCode = 1;
				resolve(!error);
			},
		);
	});

const reportOf = (name: string) => join(root, `artefacts/mutation/${name}.json`);

main(process.argv.slice(2)).catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
