import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectFolder } from '../../sandbox/host';

const needed = [
	'credentials',
	'icons',
	'nodes',
	'gulpfile.js',
	'index.js',
	'LICENSE',
	'package.json',
	'README.md',
	'tsconfig.json',
];

/** A copy of the project to build, pack or break, so that other tests and the user's `dist` do not change. */
export async function copyProject(): Promise<{ folder: string; remove: () => Promise<void> }> {
	const folder = await mkdtemp(join(tmpdir(), 'chatbot-service-'));
	for (const name of needed) await cp(join(projectFolder, name), join(folder, name), { recursive: true });
	await symlink(join(projectFolder, 'node_modules'), join(folder, 'node_modules'), 'junction');
	return { folder, remove: async () => await rm(folder, { recursive: true, force: true }) };
}
