import { once } from 'node:events';
import { access, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import execa from 'execa';

import { hostFolder } from '../../sandbox/host';
import { copyDriver, installDriver } from '../../sandbox/host/driver';
import { driverFolder } from '../../sandbox/host/paths';

/* The SQLite driver on a machine without a compiler, whose PATH is empty, with a server of downloads instead of github.com. */

const binary = join('node_modules', 'sqlite3', 'build', 'Release', 'node_sqlite3.node');

let root: string;
let folder: string;
let logFile: string;
let downloads: Server;
let download: Buffer | undefined;
let requests: number;

const environment = { ...process.env };
beforeEach(async () => {
	root = await mkdtemp(join(tmpdir(), 'driver-'));
	folder = join(root, 'driver');
	logFile = join(root, 'install.log');
	await mkdir(folder);
	for (const file of ['package.json', 'package-lock.json'])
		await copyFile(join(driverFolder, file), join(folder, file));
	requests = 0;
	download = undefined;
	downloads = createServer((_request, response) => {
		requests++;
		response.writeHead(download ? 200 : 404).end(download);
	}).listen(0, '127.0.0.1');
	await once(downloads, 'listening');
	Object.assign(process.env, {
		PATH: join(root, 'empty'),
		npm_config_cache: join(root, 'cache'),
		npm_config_sqlite3_binary_host: `http://127.0.0.1:${(downloads.address() as AddressInfo).port}`,
	});
});
afterEach(async () => {
	for (const name of ['PATH', 'npm_config_cache', 'npm_config_sqlite3_binary_host']) delete process.env[name];
	Object.assign(process.env, environment);
	downloads.close();
	await rm(root, { recursive: true, force: true });
});

/** What github.com serves: an archive with the driver. */
async function archiveOf(content: Buffer): Promise<Buffer> {
	const release = join(root, 'archive', 'build', 'Release');
	await mkdir(release, { recursive: true });
	await writeFile(join(release, 'node_sqlite3.node'), content);
	const file = join(root, 'archive.tar.gz');
	await execa('tar', ['-czf', file, '-C', join(root, 'archive'), 'build'], {
		env: { PATH: environment.PATH },
	});
	return await readFile(file);
}

test('a downloaded driver needs no compiler, is downloaded once, and goes into n8n', async () => {
	download = await archiveOf(await readFile(join(hostFolder, binary)));
	await installDriver({ logFile }, folder);
	await rm(join(root, 'cache'), { recursive: true });
	await installDriver({ logFile }, folder);
	expect(requests).toBe(1);
	await copyDriver(root, folder);
	await access(join(root, binary));
});

test.each([
	['cannot be downloaded', async () => undefined],
	['does not load', async () => await archiveOf(Buffer.from('another machine'))],
])(
	'without a compiler, a driver that %s ends with two lines that say what to install',
	async (_, content) => {
		download = await content();
		await expect(installDriver({ logFile }, folder)).rejects.toThrow(
			/^n8n's SQLite driver can [^\n]* \(not found: Python, make, a C\+\+ compiler\)\. Log: \S+install\.log\n[^\n]*python3 make g\+\+[^\n]*$/,
		);
		expect(requests).toBe(1);
		expect(await readFile(logFile, 'utf8')).toContain('gyp ERR! find Python');
	},
);
