/**
 * The engine tests on the n8n-core of the pinned n8n, to be run with its Node.js: `npm run test:engine:host`.
 * EXPRESSION_ENGINE=vm runs them with the expression engine that this n8n uses by default.
 */
const base = require('./jest.config.js');

const host = '<rootDir>/sandbox/host/node_modules';

module.exports = {
	...base,
	roots: ['<rootDir>/test/engine'],
	modulePathIgnorePatterns: ['<rootDir>/dist/'],
	moduleNameMapper: { '^(n8n-core|n8n-workflow|@n8n/di|@n8n/backend-common)($|/.*)': `${host}/$1$2` },
};
