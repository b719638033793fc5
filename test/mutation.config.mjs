/*
 * Stryker changes the code in one place at a time, and reports the changes that no unit test notices:
 *
 *     npm run test:mutation -- --mutate 'nodes/ChatbotService/client/pace/*.ts'
 *
 * This is a report, not a gate: a change that survives can be one that no user notices.
 */
export default {
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	coverageAnalysis: 'perTest',
	concurrency: 2,
	jest: { enableFindRelatedTests: false, config: { roots: ['<rootDir>/test/unit'], testTimeout: 30_000 } },
	ignorePatterns: ['artefacts', 'dist', '.sandbox', 'sandbox/host/node_modules', 'sandbox/engines/*/node_modules'],
	tempDirName: 'artefacts/mutation',
	reporters: ['clear-text'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
};
