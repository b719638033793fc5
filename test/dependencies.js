/*
 * What a file depends on for `--findRelatedTests`. Every test on the engine loads the whole node, and would be related to each of its files.
 * So it depends only on what it imports itself, on the operations that it names, such as 'tag/attach', and on all if it runs all samples.
 */
const { existsSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

const resources = join(__dirname, '../nodes/ChatbotService/resources');

/** They load the node for others. */
const loaders = /[\\/]test[\\/](engine[\\/]setUp|operations[\\/]words)\.ts$/;
const naming = /(\.test|Cases)\.ts$/;

module.exports = {
	getCacheKey: () => readFileSync(__filename, 'utf8'),
	extract(code, file, usual) {
		const found = [...usual(code)].filter((each) => !loaders.test(file) || !each.includes('/nodes/'));
		if (!naming.test(file)) return new Set(found);
		const named = [...code.matchAll(/['"`](\w+\/\w+)['"`]/g)].map(([, name]) => join(resources, name));
		if (/\bvariants\b.* from '\.\.\/operations'/.test(code)) named.push(join(resources, 'index'));
		return new Set([...found, ...named.filter((each) => existsSync(`${each}.ts`))]);
	},
};
