import { fileURLToPath } from 'node:url';

import base from './jest.config.js';
import { rooms } from './test/mutation/rooms.mjs';

/* One room of the mutation tests, whose name stands in MUTATION_ROOM; `npm run test:mutation` runs them all. */

const name = process.env.MUTATION_ROOM;
const room = rooms[name];
if (!room) throw new Error(`MUTATION_ROOM must be one of ${Object.keys(rooms).join(', ')}`);

export default {
	mutate: room.mutate,
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	coverageAnalysis: 'perTest',
	concurrency: 1,
	// A mutant that never ends is found out soon.
	timeoutMS: 3000,
	jest: {
		projectType: 'custom',
		enableFindRelatedTests: false,
		config: {
			...base,
			testMatch: room.tests.map((test) => `<rootDir>/${test}`),
			testEnvironment: fileURLToPath(new URL('./test/mutation/stopAtFirstFailure.js', import.meta.url)),
			setupFiles: [...base.setupFiles, '<rootDir>/test/mutation/sameEveryTime.js'],
			testTimeout: room.testTimeout ?? base.testTimeout,
		},
	},
	ignorePatterns: ['artefacts', 'coverage', 'dist', '.sandbox'],
	tempDirName: `artefacts/mutation/${name}`,
	reporters: ['json', 'clear-text'],
	clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
	jsonReporter: { fileName: `artefacts/mutation/${name}.json` },
	allowConsoleColors: false,
	warnings: { slow: false },
};
