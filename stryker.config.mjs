import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import base from './jest.config.js';

/*
 * `npm run test:mutation` runs all rooms of test/mutation/rooms.json, of which MUTATION_ROOM names one. A room holds files
 * to mutate and the tests that have to notice: their own, so that a mutant costs a second rather than a minute.
 */

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const rooms = JSON.parse(readFileSync(path('test/mutation/rooms.json'), 'utf8'));
const name = process.env.MUTATION_ROOM;
const room = rooms[name];
if (!room) throw new Error(`MUTATION_ROOM must be one of ${Object.keys(rooms).join(', ')}`);

export default {
	mutate: room.mutate,
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	// Which tests run a line is not known where a line runs only for the first of them, because its result is kept.
	coverageAnalysis: room.coverageAnalysis ?? 'perTest',
	concurrency: 1,
	// A mutant that never ends is found out soon.
	timeoutMS: 5000,
	jest: {
		projectType: 'custom',
		enableFindRelatedTests: false,
		config: {
			...base,
			testMatch: room.tests.map((test) => `<rootDir>/${test}`),
			testEnvironment: path('test/mutation/stopAtFirstFailure.js'),
			moduleNameMapper: { '^fast-check$': '<rootDir>/test/mutation/fastCheck.js' },
			// A test that hangs has noticed too.
			testTimeout: 10_000,
		},
	},
	ignorePatterns: ['artefacts', 'coverage', 'dist', '.sandbox'],
	tempDirName: `artefacts/mutation/${name}`,
	reporters: ['json', 'clear-text', 'progress-append-only'],
	clearTextReporter: { logTests: false, reportTests: false, allowColor: false },
	jsonReporter: { fileName: `artefacts/mutation/${name}.json` },
	allowConsoleColors: false,
	warnings: { slow: false },
};
