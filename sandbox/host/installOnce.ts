import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Installs packages into the node_modules of a folder with its own lock file, unless the contents of this lock file
 * were completely installed there before.
 */
export async function installOnce(
	folder: string,
	install: (lockFile: string) => Promise<void>,
): Promise<void> {
	const lockFile = await readFile(join(folder, 'package-lock.json'), 'utf8');
	const wanted = createHash('sha256')
		.update([process.platform, process.arch, lockFile].join('\n'))
		.digest('hex');
	const file = join(folder, 'node_modules', '.complete');
	if ((await readFile(file, 'utf8').catch(() => '')) === wanted) return;
	await rm(file, { force: true });
	await install(lockFile);
	await writeFile(file, wanted);
}
