import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { freePort, packageName, projectFolder } from '../../sandbox/host';

/* The commands of the documents, as they stand there. That the Russian pages give the same is tested with the words. */

const run = promisify(execFile);

/** The one block of commands on a page of docs/ that holds these words. */
async function blockOf(page: string, words: string): Promise<string> {
	const text = await readFile(join(projectFolder, 'docs', page), 'utf8');
	const blocks = [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!);
	const [found, ...others] = blocks.filter((block) => block.includes(words));
	if (!found || others.length > 0)
		throw new Error(`docs/${page} has not one block of commands with "${words}"`);
	return found;
}

describe('asking the stand-in with curl', () => {
	let service: ChildProcess;
	let port: number;

	beforeAll(async () => {
		port = await freePort();
		service = spawn('npm', ['run', 'service', '--', '--port', String(port)], {
			cwd: projectFolder,
			detached: true,
			stdio: ['ignore', 'pipe', 'inherit'],
		});
		await new Promise<void>((resolve, reject) => {
			service.once('exit', () => reject(new Error('The stand-in ended before it was up')));
			service.stdout!.on('data', (chunk: Buffer) => {
				if (String(chunk).includes(`http://127.0.0.1:${port}`)) resolve();
			});
		});
	});

	afterAll(() => {
		// npm and what it started.
		if (service.pid) process.kill(-service.pid, 'SIGINT');
	});

	test('answers what docs/try-it.md shows', async () => {
		const block = await blockOf('try-it.md', 'curl ');
		const { stdout } = await run('sh', ['-ec', block.replaceAll(':3999', `:${port}`)]);
		const shown = [...block.matchAll(/^# (\{.*)$/gm)].map(([, answer]) => answer!.split('…')[0]!);
		expect(shown).toHaveLength(2);
		for (const answer of shown) expect(stdout).toContain(answer);
		expect(stdout).toContain('"Hello"');
	});
});

describe('installing from a clone', () => {
	let home: string;
	beforeAll(async () => {
		home = await mkdtemp(join(tmpdir(), 'home-'));
	});
	afterAll(async () => await rm(home, { recursive: true, force: true }));

	test('puts the package where n8n looks for it', async () => {
		const block = await blockOf('install.md', 'npm pack');
		const clone = join(home, 'clone');
		await mkdir(clone);
		await run('git', ['-C', projectFolder, 'archive', '--format=tar', '-o', join(home, 'clone.tar'), 'HEAD']);
		await run('tar', ['-xf', join(home, 'clone.tar'), '-C', clone]);
		// `npm ci` is how this project got its own.
		await symlink(join(projectFolder, 'node_modules'), join(clone, 'node_modules'), 'dir');
		await run('sh', ['-ec', block.replace('npm ci && ', '').replaceAll('/path/to/', `${clone}/`)], {
			cwd: clone,
			env: { ...process.env, HOME: home },
			maxBuffer: 64 * 1024 * 1024,
		});
		const installed = join(home, '.n8n', 'nodes', 'node_modules', packageName);
		expect((await readdir(installed)).sort()).toEqual([
			'LICENSE',
			'README.md',
			'dist',
			'index.js',
			'package.json',
		]);
		expect(await readdir(join(home, '.n8n', 'nodes', 'node_modules'))).toEqual(
			expect.not.arrayContaining(['n8n-workflow']),
		);
	});
});
