/*
 * Loads the package like n8n, in a separate process: `node load.js <folder of the package>`. Prints the files that were read, and the
 * exports of the package. n8n has already loaded n8n-workflow for itself at that point.
 */
const { createRequire } = require('node:module');
const { join, resolve } = require('node:path');

const load = createRequire(join(resolve(process.argv[2]), 'package.json'));
const { n8n } = load('./package.json');

load('n8n-workflow');
const known = new Set(Object.keys(require.cache));
for (const file of [...n8n.nodes, ...n8n.credentials]) {
	for (const Type of Object.values(load(`./${file}`))) new Type();
}

const files = Object.keys(require.cache).filter((file) => !known.has(file));
console.log(JSON.stringify({ files, exported: Object.keys(load('./')) }));
