import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectFolder } from '../../sandbox/host';
import { runNpm } from '../../sandbox/processes/command';
import { releaseProblems } from '../../tools/checkRelease';

/* Which tags `npm run check:release` accepts, and who can publish: `npm publish` against a registry that accepts everything. */

const manifest =
	'{ "version": "1.2.3", "author": { "name": "Anna Example" }, "n8n": { "n8nNodesApiVersion": 1 } }';
const level = (from: string, to: string) => manifest.replace(from, to);
const changelog = '# Changelog\n\n## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n\n### Fixed\n\n- A typo.\n';
const written = (from: string, to: string) => changelog.replace(from, to);

test.each<[string, { tag?: string; of?: string; log?: string }, ...problems: string[]]>([
	['of this version', {}],
	['of another version', { tag: 'v1.2.4' }, 'The tag v1.2.4'],
	['without a publisher', { of: level('Anna', 'PUBLISHER') }, 'PUBLISHER'],
	['at the level of n8n 3', { of: level('1 }', '3 }') }, '"n8nNodesApiVersion": 1'],
	['without an entry', { log: written('[1.2.3]', '[1.2.2]') }, 'needs'],
	['with changes that stand elsewhere', { log: written('d]\n', 'd]\n\n- Another typo.\n') }, 'still has'],
])(
	'a tag %s is accepted, or refused',
	(_, { tag = 'v1.2.3', of = manifest, log = changelog }, ...problems) => {
		const expected = problems.map((problem) => expect.stringContaining(problem) as string);
		expect(releaseProblems(tag, of, log)).toEqual(expected);
	},
);

let uploads = 0;
const registry = createServer((request, response) => {
	if (request.method === 'PUT') uploads++;
	request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 201 : 404).end('{}'));
});
let elsewhere: string;
let login: string[];

beforeAll(async () => {
	await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
	const address = `//127.0.0.1:${(registry.address() as AddressInfo).port}/`;
	elsewhere = await mkdtemp(join(tmpdir(), 'publish-'));
	const settings = join(elsewhere, 'user.npmrc');
	await writeFile(settings, `${address}:_authToken=token\n`);
	login = [`--registry=http:${address}`, '--noproxy=127.0.0.1', `--userconfig=${settings}`];
});

afterAll(async () => {
	registry.close();
	await rm(elsewhere, { recursive: true, force: true });
});

test('only what npm pack wrote can be published', async () => {
	const published = runNpm(['publish', ...login], { cwd: projectFolder });
	await expect(published).rejects.toThrow('Only a pushed tag publishes, see RELEASING.md');
	expect(uploads).toBe(0);
	const pack = ['pack', '--silent', `--pack-destination=${elsewhere}`];
	const tarball = await runNpm(pack, { cwd: projectFolder });
	await runNpm(['publish', `./${tarball}`, ...login], { cwd: elsewhere });
	expect(uploads).toBe(1);
}, 60_000);
