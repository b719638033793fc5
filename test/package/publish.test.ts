import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectFolder } from '../../sandbox/host';
import { runNpm } from '../../sandbox/processes/command';

/* Who can publish: `npm publish` against a registry that accepts everything. */

let registry: Server;
let uploads = 0;
let elsewhere: string;
let login: string[];

beforeAll(async () => {
	registry = createServer((request, response) => {
		if (request.method === 'PUT') uploads++;
		request.resume().on('end', () => response.writeHead(request.method === 'PUT' ? 201 : 404).end('{}'));
	});
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

beforeEach(() => (uploads = 0));

test('npm publish in a clone uploads nothing, and says how a version is published', async () => {
	const published = runNpm(['publish', ...login], { cwd: projectFolder });
	await expect(published).rejects.toThrow('Only a pushed tag publishes, see RELEASING.md');
	expect(uploads).toBe(0);
}, 60_000);

test('The workflow, which has no clone, can publish what npm pack wrote', async () => {
	const pack = ['pack', '--silent', `--pack-destination=${elsewhere}`];
	const tarball = await runNpm(pack, { cwd: projectFolder });
	await runNpm(['publish', `./${tarball}`, ...login], { cwd: elsewhere });
	expect(uploads).toBe(1);
}, 60_000);
