/** Thousands of items with everything that can go wrong: `npm run test:soak`. */
module.exports = {
	...require('../../jest.config.js'),
	roots: ['<rootDir>/test/soak'],
	testPathIgnorePatterns: ['/node_modules/'],
	testTimeout: 900_000,
};
