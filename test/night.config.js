/** All tests without a real n8n: those of the day with five times the generated inputs, and test/soak. `npm run test:all`. */
process.env.RUNS ??= '5';

module.exports = {
	...require('../jest.config.js'),
	testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/'],
	testTimeout: 900_000,
};
