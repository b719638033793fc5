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

/**
 * Compiles the node and the program that runs it. A loader that compiles at run time would wrap functions and so change the figures.
 *
 * @returns the program of an engine's process, which loads all modules from the pinned n8n, and a fingerprint of the node: results of
 * different nodes must not count as one measurement
 */
export async function buildEngine(): Promise<{ program: string; mark: string }> {
	const folder = join(benchFolder, 'build');
	const program = join(folder, 'engine.js');
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await symlink(join(hostFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
	await build({ ...options, entryPoints: ['bench/engine/main.ts'], outfile: program });
	const node = await build({
		...options,
		entryPoints: [
			'nodes/ChatbotService/ChatbotService.node.ts',
			'credentials/ChatbotServiceApi.credentials.ts',
		],
		outdir: folder,
		write: false,
	});
	const code = node.outputFiles.map(({ text }) => text).join('');
	return { program, mark: createHash('sha256').update(code).digest('hex').slice(0, 8) };
}
