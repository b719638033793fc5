/*
 * Loads the package as n8n does, in a process of its own: `node load.js <folder of the package>`. Writes what that
 * took, which files were read, and what the package exports. By then n8n has loaded n8n-workflow for itself; what
 * that took is the reference.
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
