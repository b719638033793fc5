/** The tests that need no real n8n. Those that do, the engine tests on other lines of n8n and the soak have theirs beside them. */
module.exports = {
	testEnvironment: 'node',
	rootDir: __dirname,
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/', '<rootDir>/test/soak/'],
	modulePathIgnorePatterns: ['<rootDir>/sandbox/host/', '<rootDir>/dist/'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.tools.json', diagnostics: false }] },
	moduleNameMapper: { '^fast-check$': '<rootDir>/test/fastCheck.js' },
	// Many tests wait for real limits, which takes no processor.
	maxWorkers: '100%',
	// Some wait long, and machines are busy at times.
	testTimeout: 30_000,
	globalSetup: '<rootDir>/test/globalSetup.js',
	setupFiles: ['<rootDir>/test/setup.js'],
};
