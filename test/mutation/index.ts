/**
 * Mutation tests: `npm run test:mutation`, or with names of rooms only those. Stryker changes the code in one place at a
 * time, and the tests have to notice. Ends with 1 when too many mutants survive, or one that is not in survivors.ts.
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
	files: Record<string, { source: string; mutants: Mutant[] }>;
}

interface Score {
	killed: number;
	survived: number;
}

const root = join(__dirname, '../..');
const folder = join(root, 'artefacts/mutation');
const strykerFile = join(root, 'node_modules/@stryker-mutator/core/bin/stryker.js');

/** Of the mutants of all files together. */
const leastKilled = 0.9;

const roomsAtOnce = 2;

async function main() {
	const wanted = process.argv.slice(2);
	const stranger = wanted.find((name) => !(name in rooms));
	if (stranger) throw new Error(`There is no room ${stranger}; there are ${Object.keys(rooms).join(', ')}`);
	const names = wanted.length ? wanted : Object.keys(rooms);

	await mkdir(folder, { recursive: true });
	const left = names.values();
	const lane = async () => {
		for (const name of left) await mutate(name);
	};
	await Promise.all(Array.from({ length: roomsAtOnce }, lane));

	const reports = await Promise.all(names.map(async (name) => await readReport(name)));
	if (!judge(Object.assign({}, ...reports.map(({ files }) => files)))) process.exitCode = 1;
}

/** Runs Stryker in one room. */
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
	console.log(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

const readReport = async (name: string) =>
	JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8')) as Report;

/** Says how many mutants each file has and which survived. @returns whether that will do */
function judge(files: Report['files']): boolean {
	const total: Score = { killed: 0, survived: 0 };
	const unknown: string[] = [];
	for (const [file, { source, mutants }] of Object.entries(files).sort()) {
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
		total.killed += score.killed;
		total.survived += score.survived;
	}
	console.log(lineOf('All', total));
	if (unknown.length) {
		console.log(`\nSurvivors that survivors.ts does not name:\n\n${unknown.join('\n\n')}`);
	}
	return unknown.length === 0 && total.killed >= leastKilled * (total.killed + total.survived);
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

void main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
