import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { build } from 'esbuild';

import { hostFolder, projectFolder, sandboxFolder } from '../sandbox/host';

/** The folder for the bench's files, apart from its results. */
export const benchFolder = join(sandboxFolder, 'bench');

/** The compiled programs, which load all modules from the pinned n8n. */
export interface Built {
	/** Of an engine's process. */
	program: string;
	/** Of the process that calls n8n's store. */
	storeProgram: string;
}

/**
 * Compiles the node, as it is published, and the programs. A loader that compiles at run time would wrap functions and so change the
 * figures.
 */
export async function buildEngine(): Promise<Built> {
	const folder = join(benchFolder, 'build');
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await symlink(join(hostFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
	await build({
		absWorkingDir: projectFolder,
		bundle: true,
		packages: 'external',
		platform: 'node',
		target: 'node20',
		entryPoints: { engine: 'bench/engine/main.ts', store: 'bench/store/main.ts' },
		outdir: folder,
	});
	return { program: join(folder, 'engine.js'), storeProgram: join(folder, 'store.js') };
}
