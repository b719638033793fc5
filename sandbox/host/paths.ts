import { join, resolve } from 'node:path';

/** The root of this project. */
export const projectFolder = resolve(__dirname, '..', '..');

/** Where the pinned n8n is installed. A library that a file beside it imports would be the one that came with n8n. */
export const hostFolder = __dirname;

/** Everything the sandbox writes: user folders, logs, packed packages. Ignored by git. */
export const sandboxFolder = join(projectFolder, '.sandbox');

/** The Node.js that comes with the pinned n8n, which may need a newer one than the machine has. */
export const hostNode = join(
	hostFolder,
	'node_modules',
	'node',
	'bin',
	process.platform === 'win32' ? 'node.exe' : 'node',
);
