/**
 * Mutation tests: Stryker changes the code in one place at a time, and the tests have to notice.
 *
 *     npm run test:mutation                 all targets; an hour or more
 *     npm run test:mutation -- paces kinds  these targets
 *
 * Ends with 1 when a change survives that no comment `Stryker disable` in the code permits.
 */

import { execFile } from 'node:child_process';
import { join } from 'node:path';

import targets from './targets.json';

const root = join(__dirname, '../..');
const stryker = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');
const targetsAtOnce = 2;

async function main(wanted: string[]) {
	const names = Object.keys(targets);
	const unknown = wanted.find((name) => !names.includes(name));
	if (unknown) throw new Error(`There is no target ${unknown}; there are ${names.join(', ')}`);
	const left = (wanted.length ? wanted : names).values();
	const measureOneByOne = async () => {
		for (const name of left) await measure(name);
	};
	await Promise.all(Array.from({ length: targetsAtOnce }, measureOneByOne));
}

/** Prints the output of Stryker at once, because another target is measured at the same time. */
const measure = (name: string) =>
	new Promise<void>((resolve) => {
		const options = {
			cwd: root,
			env: { ...process.env, MUTATION_TARGET: name },
			maxBuffer: Infinity,
		};
		execFile(
			process.execPath,
			[stryker, 'run', `${__dirname}/stryker.config.mjs`],
			options,
			(error, output, errors) => {
				console.log(`\n=== ${name}\n${output}${errors}`);
				if (error) process.exitCode = 1;
				resolve();
			},
		);
	});

main(process.argv.slice(2)).catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
