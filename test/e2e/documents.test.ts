import { readFileSync } from 'node:fs';
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import execa from 'execa';

import { freePort, packageName, projectFolder } from '../../sandbox/host';
import { startServer } from '../../sandbox/processes/server';
import { foldersOfTests } from './support/environment';

/* The commands of the documents, exactly as printed. */

/** The only block of shell commands on a page that contains these words. */
function blockOf(page: string, words: string): string {
	const blocks = readFileSync(join(projectFolder, page), 'utf8').matchAll(/^ *```sh\n(.*?)^ *```$/gms);
	const found = [...blocks].map(([, block]) => block!).filter((block) => block.includes(words));
	expect(found).toHaveLength(1);
	return found[0]!;
}

test('the emulator answers curl as its page shows', async () => {
	const port = await freePort();
	const service = await startServer({
		name: 'The emulator',
		program: 'npm',
		args: ['run', 'emulator', '--', '--port', String(port)],
		cwd: projectFolder,
		logFile: join(foldersOfTests, 'documents', 'service.log'),
		isReady: async () => (await fetch(`http://127.0.0.1:${port}`).catch(() => undefined)) !== undefined,
		timeoutMs: 60_000,
	});
	try {
		const block = blockOf('sandbox/emulator/README.md', 'getBotTags');
		const { stdout } = await execa('sh', ['-ec', block.replaceAll(':3999', `:${port}`)]);
		const shown = [...block.matchAll(/^# (\{.*)$/gm)].map(([, answer]) => answer!.split('…')[0]!);
		expect(shown).toHaveLength(2);
		for (const answer of shown) expect(stdout).toContain(answer);
		expect(stdout).toContain('"Hello"');
	} finally {
		await service.stop();
	}
});

const notInGit = ['.git', '.sandbox', 'artefacts', 'coverage', 'dist', 'node_modules'];

test.each(['README.md', 'docs/install.md'])('n8n finds what the commands of %s install', async (page) => {
	const home = await mkdtemp(join(tmpdir(), 'home-'));
	try {
		const block = blockOf(page, 'npm pack') + blockOf(page, 'npm install --prefix .');
		const clone = join(home, 'clone');
		const isCloned = (path: string) => !notInGit.includes(basename(path));
		await cp(projectFolder, clone, { recursive: true, filter: isCloned });
		// This project's dependencies were installed with `npm ci` too.
		await symlink(join(projectFolder, 'node_modules'), join(clone, 'node_modules'), 'dir');
		await execa('sh', ['-ec', block.replace('npm ci && ', '').replaceAll('/path/to/', `${clone}/`)], {
			cwd: clone,
			env: { HOME: home },
		});
		const modules = join(home, '.n8n', 'nodes', 'node_modules');
		const installed = await readdir(join(modules, packageName));
		expect(installed.sort()).toEqual(['LICENSE', 'README.md', 'dist', 'index.js', 'package.json']);
		expect(await readdir(modules)).not.toContain('n8n-workflow');
	} finally {
		await rm(home, { recursive: true, force: true });
	}
});
