import { join, resolve } from 'node:path';

export const projectFolder = resolve(__dirname, '..', '..');

/** Where the pinned n8n is installed. A file in this folder that imports a library gets the one that n8n includes. */
export const hostFolder = __dirname;

/** The folder for everything that the sandbox writes: user folders, logs, packed packages. Ignored by git. */
export const sandboxFolder = join(projectFolder, '.sandbox');

/** The Node.js that is installed with the pinned n8n, which may need a newer one than the machine has. */
export const hostNode = join(hostFolder, 'node_modules/node/bin/node');
