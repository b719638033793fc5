import { delimiter } from 'node:path';

import which from 'which';

/** Where a program is looked for, and what is said when it is not there. */
export interface ProgramOptions {
	/** Before those of the PATH. */
	folders?: string[];
	/** Who needs it, and what to install. */
	missing: string;
}

/** The path of the first program of these names that is installed. */
export async function findProgram(
	names: string[],
	{ folders = [], missing }: ProgramOptions,
): Promise<string> {
	const path = [...folders, process.env.PATH].join(delimiter);
	for (const name of names) {
		const program = await which(name, { path, nothrow: true });
		if (program) return program;
	}
	throw new Error(missing);
}
