/** Everything that needs no real n8n: unit, engine, contract and description tests. */
module.exports = {
	testEnvironment: 'node',
	roots: ['<rootDir>/test'],
	testMatch: ['**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/', '<rootDir>/test/soak/'],
	modulePathIgnorePatterns: ['<rootDir>/sandbox/host/', '<rootDir>/dist/'],
	transform: { '^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.tools.json', diagnostics: false }] },
	// Some tests wait for real limits, and machines are busy at times.
	testTimeout: 30_000,
	setupFiles: ['<rootDir>/test/setup.js'],
};
