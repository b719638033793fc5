/** The packed package inside the pinned n8n. Installs that n8n first when it is not there. */
module.exports = {
	testEnvironment: 'node',
	rootDir: '../..',
	roots: ['<rootDir>/test/e2e'],
	testMatch: ['**/*.test.ts'],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.tools.json', transpilation: true, diagnostics: false }],
	},
	globalSetup: '<rootDir>/test/e2e/support/setup.ts',
	// Each file starts an n8n of its own; more than one at a time would only slow each other down.
	maxWorkers: 1,
	testTimeout: 180_000,
	verbose: true,
};
