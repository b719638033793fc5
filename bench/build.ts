import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';

import ts from 'typescript';

import { hostFolder, packageName, projectFolder, runCommand, sandboxFolder } from '../sandbox/host';

/** Where the bench writes, apart from its results. */
export const benchFolder = join(sandboxFolder, 'bench');

/** The last one, which the bench runs as users have it. */
export const releasedVersion = '0.2.0';

const released = join(projectFolder, 'test', 'e2e', 'fixtures', `${packageName}-${releasedVersion}.tgz`);

/**
 * Compiles the node and what runs it. A loader that compiles on the fly would wrap functions and so change what is measured.
 * The package holds the same code in one file, which saves time only when it is loaded.
 *
 * @returns the program of an engine's process, all of whose modules are those of the pinned n8n, and a mark that is the same
 * as long as the node is: results of different nodes must not be taken for one measurement
 */
export async function buildEngine(): Promise<{ program: string; mark: string }> {
	const target = join(benchFolder, 'build');
	await rm(target, { recursive: true, force: true });
	const hash = createHash('sha256');
	for (const folder of ['nodes', 'credentials', 'sandbox/workflow', 'bench']) {
		for (const file of await sourcesIn(join(projectFolder, folder))) {
			const code = await compile(file, target);
			if (folder === 'nodes' || folder === 'credentials') hash.update(code);
		}
	}
	await symlink(join(hostFolder, 'node_modules'), join(target, 'node_modules'), 'junction');
	// Inside the build, so that its n8n-workflow is that of the pinned n8n too.
	await runCommand('tar', ['-xzf', released, '-C', target], {
		cwd: target,
		logFile: join(sandboxFolder, 'logs', 'bench.log'),
	});
	return { program: join(target, 'bench', 'engine', 'main.js'), mark: hash.digest('hex').slice(0, 8) };
}

async function sourcesIn(folder: string): Promise<string[]> {
	const entries = await readdir(folder, { recursive: true });
	return entries
		.filter((entry) => entry.endsWith('.ts'))
		.map((entry) => join(folder, entry))
		.sort();
}

async function compile(file: string, target: string): Promise<string> {
	const { outputText } = ts.transpileModule(await readFile(file, 'utf8'), {
		fileName: file,
		compilerOptions: {
			target: ts.ScriptTarget.ES2022,
			module: ts.ModuleKind.CommonJS,
			esModuleInterop: true,
		},
	});
	const output = join(target, relative(projectFolder, file).replace(/\.ts$/, '.js'));
	await mkdir(dirname(output), { recursive: true });
	await writeFile(output, outputText);
	return outputText;
}
