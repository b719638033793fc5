const { availableParallelism } = require('node:os');

/** The tests without a real n8n. End-to-end, soak and engine tests on other release lines have their own configurations. */
module.exports = {
	testEnvironment: 'node',
	rootDir: __dirname,
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/', '<rootDir>/test/soak/'],
	modulePathIgnorePatterns: ['<rootDir>/sandbox/host/', '<rootDir>/dist/'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.tools.json', diagnostics: false }] },
	moduleNameMapper: { '^fast-check$': '<rootDir>/test/fastCheck.js' },
	// Many tests wait for real limits and for n8n's store, which needs no processor.
	maxWorkers: Math.ceil(availableParallelism() * 2.5),
	// Some tests wait long, and the machine may be busy.
	testTimeout: 30_000,
	globalSetup: '<rootDir>/test/globalSetup.js',
	setupFiles: ['<rootDir>/test/setup.js'],
};
