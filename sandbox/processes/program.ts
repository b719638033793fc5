import { delimiter } from 'node:path';

import which from 'which';

export interface ProgramOptions {
	/** Folders to search before those of the PATH. */
	folders?: string[];
	/** What needs the program, and what to install. */
	missing: string;
}

/** The path of the first of these programs that is installed. */
export async function findProgram(
	names: string[],
	{ folders = [], missing }: ProgramOptions,
): Promise<string> {
	const program = await searchProgram(names, folders);
	if (!program) throw new Error(missing);
	return program;
}

/** The path of the first of these programs that is installed, or undefined if none is. */
export async function searchProgram(names: string[], folders: string[] = []): Promise<string | undefined> {
	const path = [...folders, process.env.PATH].join(delimiter);
	for (const name of names) {
		const program = await which(name, { path, nothrow: true });
		if (program) return program;
	}
	return undefined;
}
