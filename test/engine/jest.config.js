/** The engine tests on another n8n-core than the project's own: `npm run test:engine -- <line>`, see sandbox/engines. */
const base = require('../../jest.config.js');
const lines = require('../../sandbox/engines/lines.json');

const { folder, tests = '*' } = lines[process.env.ENGINE];
const modules = `<rootDir>/${folder}/node_modules`;

module.exports = {
	...base,
	roots: ['<rootDir>/test/engine'],
	testMatch: [`**/${tests}.test.ts`],
	// With expressions in isolates, and beside a real n8n: hundreds of runs at the same time take two minutes.
	testTimeout: 300_000,
	modulePathIgnorePatterns: ['<rootDir>/dist/'],
	moduleNameMapper: {
		...base.moduleNameMapper,
		'^(n8n-core|n8n-workflow|@n8n/di|@n8n/backend-common|@n8n/node-engine-compatibility)($|/.*)': `${modules}/$1$2`,
	},
};
