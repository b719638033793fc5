/**
 * Mutation tests: Stryker changes the code in one place at a time, and the tests have to notice.
 *
 *     npm run test:mutation                 the rooms whose files have changed since they were measured
 *     npm run test:mutation -- turn kinds   these rooms
 *     npm run test:mutation -- all          all rooms; an hour or more
 *     npm run test:mutation -- check        none that has changed may be left; measures a quick one, chosen at random, again
 *
 * Ends with 1 when too many mutants survive, or one that survivors.ts does not name.
 */

import { spawn } from 'node:child_process';
import { mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import {
	fingerprint,
	type Measured,
	readRecord,
	type Record,
	roomNames,
	type RoomName,
	writeRecord,
} from './record';
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

/** Of the mutants of all rooms together. */
const leastKilled = 0.9;

const roomsAtOnce = 2;

const quickSeconds = 60;

async function main(wanted: string[]): Promise<boolean> {
	const record = await readRecord();
	const changed = await changedRooms(record);
	if (wanted[0] === 'check') {
		if (changed.length) {
			console.log(`Changed since they were measured: npm run test:mutation -- ${changed.join(' ')}`);
			return false;
		}
		const quick = roomNames.filter((name) => record[name]!.seconds <= quickSeconds);
		const { unnamed } = await measure([quick[Math.floor(Math.random() * quick.length)]!]);
		return isGoodEnough(record) && unnamed.length === 0;
	}
	const names = wanted[0] === 'all' ? roomNames : wanted.length ? roomsCalled(wanted) : changed;
	const { measured, unnamed } = await measure(names);
	// Read anew: another run may have measured other rooms in the meantime.
	const all = { ...(await readRecord()), ...measured };
	await writeRecord(all);
	return isGoodEnough(all) && unnamed.length === 0;
}

function roomsCalled(names: string[]): RoomName[] {
	const isRoom = (name: string): name is RoomName => (roomNames as string[]).includes(name);
	const stranger = names.find((name) => !isRoom(name));
	if (stranger) throw new Error(`There is no room ${stranger}; there are ${roomNames.join(', ')}`);
	return names.filter(isRoom);
}

async function changedRooms(record: Record): Promise<RoomName[]> {
	const files = await Promise.all(roomNames.map(async (name) => await fingerprint(name)));
	return roomNames.filter((name, index) => record[name]?.files !== files[index]);
}

/** Says for all rooms together how many mutants were killed. @returns whether that will do */
function isGoodEnough(record: Record): boolean {
	const total: Score = { killed: 0, survived: 0 };
	for (const room of Object.values(record)) add(total, room);
	console.log(`\n${lineOf('All rooms', total)}`);
	return total.killed >= leastKilled * (total.killed + total.survived);
}

/** Measures rooms, each as far as it gets. @returns their figures, and the survivors that nobody has named */
async function measure(names: RoomName[]): Promise<{ measured: Record; unnamed: string[] }> {
	const measured: Record = {};
	const unnamed: string[] = [];
	await mkdir(folder, { recursive: true });
	const left = names.values();
	const lane = async () => {
		for (const name of left) {
			const { files, seconds } = await mutate(name);
			const { total, unknown } = judge(await readReport(name));
			unnamed.push(...unknown);
			if (unknown.length === 0) measured[name] = { files, ...total, seconds };
		}
	};
	await Promise.all(Array.from({ length: roomsAtOnce }, lane));
	if (unnamed.length) {
		console.log(`\nSurvivors that survivors.ts does not name:\n\n${unnamed.join('\n\n')}`);
	}
	return { measured, unnamed };
}

/** What a report is of, and the seconds it took. */
type Made = Pick<Measured, 'files' | 'seconds'>;

/** Runs Stryker in one room, unless its report of these very files is there: only the survivors had to be named then. */
async function mutate(name: RoomName): Promise<Made> {
	const files = await fingerprint(name);
	const note = join(folder, `${name}.made.json`);
	const before = JSON.parse(await readFile(note, 'utf8').catch(() => '{}')) as Partial<Made>;
	if (before.files === files && before.seconds !== undefined) return { files, seconds: before.seconds };
	const startedAt = performance.now();
	await rm(note, { force: true });
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
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	console.log(`\n${name}: ${seconds} s`);
	await writeFile(note, JSON.stringify({ files, seconds }));
	return { files, seconds };
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
