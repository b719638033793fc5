/** The packed package inside the pinned n8n. Installs that n8n first if it is missing. */
module.exports = {
	testEnvironment: 'node',
	rootDir: '../..',
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['**/*.test.ts'],
	transform: require('../../jest.config.js').transform,
	globalSetup: '<rootDir>/test/e2e/support/setup.ts',
	globalTeardown: '<rootDir>/test/e2e/support/teardown.ts',
	// The files share one n8n, and each needs it alone while it runs.
	maxWorkers: 1,
	// A browser, n8n and the emulator at once: on a busy machine even a few clicks can take minutes.
	testTimeout: 600_000,
	verbose: true,
};
