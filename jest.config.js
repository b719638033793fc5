const { availableParallelism } = require('node:os');

/** The tests without a real n8n. End-to-end, soak and engine tests on other release lines have their own configurations. */
module.exports = {
	testEnvironment: '<rootDir>/test/environment.js',
	rootDir: __dirname,
	// Of the sources, too, so that `--findRelatedTests` knows what imports them.
	roots: ['test', 'nodes', 'credentials', 'sandbox', 'tools', 'bench'].map((folder) => `<rootDir>/${folder}`),
	dependencyExtractor: '<rootDir>/test/dependencies.js',
	testMatch: ['<rootDir>/test/**/*.test.ts'],
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/', '<rootDir>/test/soak/'],
	modulePathIgnorePatterns: ['<rootDir>/sandbox/host/', '<rootDir>/dist/'],
	transform: {
		'^.+\\.ts$': ['ts-jest', { tsconfig: 'tsconfig.tools.json', diagnostics: false }],
		'/(node_modules/(n8n-core|n8n-workflow|@n8n|fast-check|fastify|ajv)/.+|test/parsedOnce)\\.c?js$':
			'<rootDir>/test/loadedOnce.js',
	},
	transformIgnorePatterns: [],
	moduleNameMapper: {
		'^fast-check$': '<rootDir>/test/fastCheck.js',
		'^yaml$': '<rootDir>/test/parsedOnce.js',
	},
	// No test waits long for anything but the processor. Each worker takes up to a gigabyte of memory, and four seconds of a processor
	// before its first test.
	maxWorkers: Math.min(8, availableParallelism()),
	// Of the tests of one file that run at the same time. They wait, too, for repeated requests and for the end of a claim.
	maxConcurrency: 40,
	// Some tests wait long, the machine may be busy, and the time of a test contains that of others at the same time.
	testTimeout: 300_000,
	globalSetup: '<rootDir>/test/globalSetup.js',
	setupFiles: ['<rootDir>/test/setup.js'],
};
