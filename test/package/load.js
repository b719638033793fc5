/*
 * Loads the package like n8n, in a separate process: `node load.js <folder of the package>`. Prints the time, the files that
 * were read, and the exports of the package. n8n has already loaded n8n-workflow for itself at that point; the time for that
 * is the reference.
 */
const { createRequire } = require('node:module');
const { join, resolve } = require('node:path');

const folder = resolve(process.argv[2]);
const load = createRequire(join(folder, 'package.json'));
const { n8n } = load('./package.json');
const milliseconds = (work) => {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000;
};

const reference = milliseconds(() => load('n8n-workflow'));
const known = new Set(Object.keys(require.cache));
const own = milliseconds(() => {
	for (const file of [...n8n.nodes, ...n8n.credentials]) {
		for (const Type of Object.values(load(`./${file}`))) new Type();
	}
});

const files = Object.keys(require.cache).filter((file) => !known.has(file));
const exported = Object.keys(load('./'));
console.log(JSON.stringify({ milliseconds: own, reference, files, exported }));
