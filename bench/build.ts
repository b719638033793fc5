import { createHash } from 'node:crypto';
import { mkdir, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';

import { build } from 'esbuild';

import { hostFolder, projectFolder, sandboxFolder } from '../sandbox/host';

/** The folder for the bench's files, apart from its results. */
export const benchFolder = join(sandboxFolder, 'bench');

/** Compiled like the published node. */
const options = {
	absWorkingDir: projectFolder,
	bundle: true,
	packages: 'external',
	platform: 'node',
	target: 'node20',
} as const;

/** The compiled programs, which load all modules from the pinned n8n. */
export interface Built {
	/** Of an engine's process. */
	program: string;
	/** Of the process that calls n8n's store. */
	storeProgram: string;
	/** A fingerprint of the node: results of different nodes must not count as one measurement. */
	mark: string;
}

/** Compiles the node and the programs. A loader that compiles at run time would wrap functions and so change the figures. */
export async function buildEngine(): Promise<Built> {
	const folder = join(benchFolder, 'build');
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await symlink(join(hostFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
	await build({
		...options,
		entryPoints: { engine: 'bench/engine/main.ts', store: 'bench/store/main.ts' },
		outdir: folder,
	});
	const mark = await markOfNode();
	return { program: join(folder, 'engine.js'), storeProgram: join(folder, 'store.js'), mark };
}

/** A fingerprint of the node's code. Comments and formatting do not change it. */
export async function markOfNode(): Promise<string> {
	const node = await build({
		...options,
		entryPoints: [
			'nodes/ChatbotService/ChatbotService.node.ts',
			'credentials/ChatbotServiceApi.credentials.ts',
		],
		// Paths are in the code, so the folder must stay the same.
		outdir: join(benchFolder, 'build'),
		write: false,
	});
	const code = node.outputFiles.map(({ text }) => text).join('');
	return createHash('sha256').update(code).digest('hex').slice(0, 8);
}
