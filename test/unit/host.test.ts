import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { checkDiskSpace } from '../../sandbox/host/diskSpace';
import { driverFolder, hostFolder } from '../../sandbox/host/paths';
import { lockFolder } from '../../sandbox/start/lock';

/* What is checked before n8n is installed and started for `npm start`. */

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'start-'))));
afterEach(async () => await rm(folder, { recursive: true, force: true }));

const versionIn = async (lockedFolder: string, name: string) => {
	const { packages } = JSON.parse(await readFile(join(lockedFolder, 'package-lock.json'), 'utf8')) as {
		packages: Record<string, { version: string } | undefined>;
	};
	return packages[`node_modules/${name}`]!.version;
};

test.each(['sqlite3', 'node'])(
	'the version of %s that is installed first is that of the pinned n8n',
	async (name) => {
		expect(await versionIn(driverFolder, name)).toBe(await versionIn(hostFolder, name));
	},
);

test('a disk that is too small is refused in one sentence with both sizes', async () => {
	await checkDiskSpace(folder, 0);
	await expect(checkDiskSpace(folder, 1_000_000)).rejects.toThrow(
		/^The disk of \S+ has [\d.]+ GB free, and the installation of n8n needs 1000000 GB\.$/,
	);
});

test('a second start in the same folder is refused while the first one runs', async () => {
	const first = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)', 'sandbox/start/index.ts']);
	try {
		await writeFile(join(folder, 'running.pid'), String(first.pid));
		await expect(lockFolder(folder)).rejects.toThrow(
			`Another npm start is already running in this folder (process ${first.pid}).`,
		);
	} finally {
		const ended = once(first, 'exit');
		first.kill();
		await ended;
	}
	const unlock = await lockFolder(folder);
	await unlock();
});
