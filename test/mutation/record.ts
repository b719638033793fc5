/**
 * What was measured in each room: measured.json. A figure holds until a file of the room changes, so that nobody waits an hour
 * for what is known already.
 */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';

import { format, resolveConfig } from 'prettier';
import { preProcessFile } from 'typescript';

import rooms from './rooms.json';

export type RoomName = keyof typeof rooms;

/** How a room fared. */
export interface Measured {
	/** Fingerprint of the files that were measured. */
	files: string;
	killed: number;
	survived: number;
	seconds: number;
}

export type Record = { [name in RoomName]?: Measured };

export const roomNames = Object.keys(rooms) as RoomName[];

const root = join(__dirname, '../..');
const file = join(__dirname, 'measured.json');

export const readRecord = async (): Promise<Record> => JSON.parse(await readFile(file, 'utf8')) as Record;

/** Writes down what was measured, in the order of the rooms. */
export async function writeRecord(record: Record): Promise<void> {
	const ordered = Object.fromEntries(
		roomNames.flatMap((name) => (record[name] ? [[name, record[name]]] : [])),
	);
	const options = await resolveConfig(file);
	await writeFile(file, await format(JSON.stringify(ordered), { ...options, filepath: file }));
}

/** What the files of a room hold: those that are mutated, their tests, and what these use of the folder of tests. */
export async function fingerprint(name: RoomName): Promise<string> {
	const { mutate, tests } = rooms[name];
	const hash = createHash('sha256');
	const files = new Set([...mutate, ...tests].map((each) => join(root, each)));
	// A set also visits what is added to it on the way.
	for (const each of files) {
		const content = await readFile(each, 'utf8');
		hash.update(`${relative(root, each)}\n${content}\n`);
		for (const { fileName } of preProcessFile(content).importedFiles) {
			const used = resolve(dirname(each), fileName);
			if (!used.startsWith(join(root, 'test'))) continue;
			const found = [`${used}.ts`, join(used, 'index.ts')].find((path) => existsSync(path));
			if (found) files.add(found);
		}
	}
	return hash.digest('hex').slice(0, 16);
}
