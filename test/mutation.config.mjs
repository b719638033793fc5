/*
 * Stryker changes the code in one place at a time, and reports the changes that no unit test notices:
 *
 *     npm run test:mutation -- --mutate 'nodes/ChatbotService/client/pace/*.ts'
 *
 * This is a report, not a gate: a change that survives can be one that no user notices.
 */
import base from '../jest.config.js';

// Stryker changes code while Jest runs, so nothing of a test file remains for the next one.
const config = {
	testEnvironment: 'node',
	transform: { '^.+\\.ts$': base.transform['^.+\\.ts$'] },
	roots: ['<rootDir>/test/unit'],
	testTimeout: 30_000,
};

export default {
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	coverageAnalysis: 'perTest',
	concurrency: 2,
	jest: { enableFindRelatedTests: false, config },
	ignorePatterns: [
		'artefacts',
		'dist',
		'.sandbox',
		'sandbox/host/node_modules',
		'sandbox/engines/*/node_modules',
	],
	tempDirName: 'artefacts/mutation',
	reporters: ['clear-text'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
