import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/*
 * A wall clock for n8n that a test moves. Libfaketime changes what the process is told about the time of day; its timers count real
 * seconds, as after a computer has slept.
 */

/** Where Debian's multiarch folders are, and where libfaketime installs itself. */
const libraryFolders = ['/usr/lib', '/usr/local/lib'];

export interface Clock {
	/** Variables for the process. */
	env: Record<string, string>;
	/** Sets the clock, which continues from there. @param time with its offset, such as 2026-11-13T09:59:57+03:00 */
	moveTo(time: string): Promise<void>;
}

/** @param file in which the clock keeps its difference from the real time */
export async function startClock(file: string, time: string): Promise<Clock> {
	const moveTo = async (next: string) => {
		const seconds = (Date.parse(next) - Date.now()) / 1000;
		// The process reads the file at any moment, so it must never be empty.
		await writeFile(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds.toFixed(3)}\n`);
		await rename(`${file}.new`, file);
	};
	const env = {
		LD_PRELOAD: await findLibrary(),
		FAKETIME_TIMESTAMP_FILE: file,
		FAKETIME_NO_CACHE: '1',
		FAKETIME_DONT_FAKE_MONOTONIC: '1',
		// The name of this variable in older versions.
		DONT_FAKE_MONOTONIC: '1',
		NO_FAKE_STAT: '1',
	};
	await mkdir(dirname(file), { recursive: true });
	await moveTo(time);
	return { env, moveTo };
}

/** The variant for processes with several threads. */
async function findLibrary(): Promise<string> {
	for (const folder of libraryFolders) {
		const names = await readdir(folder).catch(() => []);
		for (const name of ['faketime', ...names.map((each) => join(each, 'faketime'))]) {
			const files = await readdir(join(folder, name)).catch(() => []);
			const library = files.find((each) => each.startsWith('libfaketimeMT.so'));
			if (library) return join(folder, name, library);
		}
	}
	throw new Error(
		'This test moves the clock of n8n with libfaketime, which is not installed. On Debian: apt-get install faketime',
	);
}
