/** What stays in memory: `npm run test:soak`. */
module.exports = {
	...require('../../jest.config.js'),
	rootDir: '../..',
	roots: ['<rootDir>/test/soak'],
	testPathIgnorePatterns: ['/node_modules/'],
	testTimeout: 900_000,
};
