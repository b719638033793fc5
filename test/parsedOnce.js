/* yaml for the tests: a process reads a text once, since docs/openapi.yaml takes a fifth of a second. */
const yaml = require('../node_modules/yaml');

const parsed = new Map();

module.exports = {
	...yaml,
	parse(text, ...options) {
		const key = JSON.stringify([text, options]);
		if (!parsed.has(key)) parsed.set(key, yaml.parse(text, ...options));
		return structuredClone(parsed.get(key));
	},
};
