/** Thousands of items with everything that can go wrong: `npm run test:soak`; TEST_SEED repeats a run. */
module.exports = {
	...require('../../jest.config.js'),
	rootDir: '../..',
	roots: ['<rootDir>/test/soak'],
	testPathIgnorePatterns: ['/node_modules/'],
	testTimeout: 900_000,
};
