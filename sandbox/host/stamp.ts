import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What a folder with a lock file of its own should have in its node_modules, and a note there when it has. */
export interface Stamp {
	lockFile: string;
	/** Whether this very content, by the lock file, was installed to the end. */
	isThere: boolean;
	remove(): Promise<void>;
	write(): Promise<void>;
}

/** Reads the stamp of a folder. */
export async function readStamp(folder: string): Promise<Stamp> {
	const file = join(folder, 'node_modules', '.complete');
	const lockFile = await readFile(join(folder, 'package-lock.json'), 'utf8');
	const wanted = createHash('sha256')
		.update([process.platform, process.arch, lockFile].join('\n'))
		.digest('hex');
	return {
		lockFile,
		isThere: (await readFile(file, 'utf8').catch(() => '')) === wanted,
		remove: async () => await rm(file, { force: true }),
		write: async () => await writeFile(file, wanted),
	};
}
