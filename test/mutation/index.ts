/**
 * Mutation tests: Stryker changes the code in one place at a time, and the tests have to notice.
 *
 *     npm run test:mutation                 all rooms; an hour or more
 *     npm run test:mutation -- turn kinds   these rooms
 *
 * Ends with 1 when too many mutants survive, or one that survivors.ts does not name.
 */

import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

import rooms from './rooms.json';
import { survivors } from './survivors';

/** What Stryker reports of a mutant. */
interface Mutant {
	status: 'Killed' | 'Timeout' | 'Survived' | 'NoCoverage' | 'Ignored' | 'RuntimeError' | 'CompileError';
	mutatorName: string;
	replacement: string;
	location: { start: Position; end: Position };
}

interface Position {
	line: number;
	column: number;
}

interface Report {
	files: { [file: string]: { source: string; mutants: Mutant[] } };
}

interface Score {
	killed: number;
	survived: number;
}

const root = join(__dirname, '../..');
const folder = join(root, 'artefacts/mutation');
const strykerFile = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');

/** Of all mutants that were measured. */
const leastKilled = 0.9;

const roomsAtOnce = 2;

async function main(wanted: string[]): Promise<boolean> {
	const names = Object.keys(rooms);
	const stranger = wanted.find((name) => !names.includes(name));
	if (stranger) throw new Error(`There is no room ${stranger}; there are ${names.join(', ')}`);
	await mkdir(folder, { recursive: true });
	const total: Score = { killed: 0, survived: 0 };
	const unnamed: string[] = [];
	const left = (wanted.length ? wanted : names).values();
	const lane = async () => {
		for (const name of left) {
			await mutate(name);
			const judged = judge(await readReport(name));
			add(total, judged.total);
			unnamed.push(...judged.unknown);
		}
	};
	await Promise.all(Array.from({ length: roomsAtOnce }, lane));
	if (unnamed.length) {
		console.log(`\nSurvivors that survivors.ts does not name:\n\n${unnamed.join('\n\n')}`);
	}
	console.log(`\n${lineOf('Together', total)}`);
	return total.killed >= leastKilled * (total.killed + total.survived) && unnamed.length === 0;
}

async function mutate(name: string): Promise<void> {
	const startedAt = performance.now();
	// What a run that was broken off has left.
	await rm(join(folder, name), { recursive: true, force: true });
	const log = await open(join(folder, `${name}.log`), 'w');
	const stryker = spawn(process.execPath, [strykerFile, 'run'], {
		cwd: root,
		env: { ...process.env, MUTATION_ROOM: name },
		stdio: ['ignore', log.fd, log.fd],
	});
	const code = await new Promise<number | null>((resolve) => stryker.once('exit', resolve));
	await log.close();
	if (code !== 0)
		throw new Error(`Stryker failed in ${name}:\n${await readFile(`${folder}/${name}.log`, 'utf8')}`);
	console.log(`\n${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

const readReport = async (name: string) =>
	JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Report;

/** Says how many mutants of each file were killed. @returns how many of all, and the survivors that nobody has named */
function judge({ files }: Report): { total: Score; unknown: string[] } {
	const total: Score = { killed: 0, survived: 0 };
	const unknown: string[] = [];
	for (const [file, { source, mutants }] of Object.entries(files)) {
		const score: Score = { killed: 0, survived: 0 };
		const accepted = survivors.filter((each) => each.file === file).flatMap(({ mutants: known }) => known);
		for (const mutant of mutants) {
			if (mutant.status === 'Killed' || mutant.status === 'Timeout') score.killed++;
			if (mutant.status !== 'Survived' && mutant.status !== 'NoCoverage') continue;
			score.survived++;
			const change = changeOf(source, mutant);
			const place = accepted.findIndex(
				([before, after]) => before === change.before && after === change.after,
			);
			if (place >= 0) accepted.splice(place, 1);
			else unknown.push(`${file}:${mutant.location.start.line}\n  ${change.before}\n  ${change.after}`);
		}
		console.log(lineOf(file, score));
		for (const [before, after] of accepted) console.log(`  killed, though a survivor: ${before} → ${after}`);
		add(total, score);
	}
	return { total, unknown };
}

function add(total: Score, { killed, survived }: Score): void {
	total.killed += killed;
	total.survived += survived;
}

function lineOf(name: string, { killed, survived }: Score): string {
	const all = killed + survived;
	return `${name}: ${killed} of ${all} mutants killed (${((100 * killed) / all).toFixed(1)} %)`;
}

/** The lines of a mutant, before and after, with all blanks alike. */
function changeOf(source: string, { location: { start, end }, replacement }: Mutant) {
	const lines = source.split('\n');
	const touched = lines.slice(start.line - 1, end.line);
	const head = touched[0]!.slice(0, start.column - 1);
	const tail = touched.at(-1)!.slice(end.column - 1);
	const flat = (text: string) => text.replace(/\s+/g, ' ').trim();
	return { before: flat(touched.join('\n')), after: flat(`${head}${replacement}${tail}`) };
}

main(process.argv.slice(2)).then(
	(isGood) => {
		if (!isGood) process.exitCode = 1;
	},
	(error: Error) => {
		console.error(error.message);
		process.exitCode = 1;
	},
);
