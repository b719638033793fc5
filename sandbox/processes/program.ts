import { delimiter } from 'node:path';

import which from 'which';

/**
 * The path of the first of these programs that is installed.
 *
 * @param missing what needs the program, and what to install
 * @param folders to search before those of the PATH
 */
export async function findProgram(names: string[], missing: string, folders: string[] = []): Promise<string> {
	const path = [...folders, process.env.PATH].join(delimiter);
	for (const name of names) {
		const program = await which(name, { path, nothrow: true });
		if (program) return program;
	}
	throw new Error(missing);
}
