/** Thousands of items with all faults, what stays in memory, and the command check:service: `npm run test:soak`. TEST_SEED repeats a run, and SOAK_ITEMS sets the number of items. */
module.exports = {
	...require('../../jest.config.js'),
	rootDir: '../..',
	roots: ['<rootDir>/test/soak'],
	testPathIgnorePatterns: ['/node_modules/'],
	testTimeout: 900_000,
};
