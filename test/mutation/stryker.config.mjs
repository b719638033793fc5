import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * How Stryker measures the target of targets.json that MUTATION_TARGET names: files to mutate, and the tests that have to
 * notice. These are the files' own tests, so that a mutant costs a second rather than a minute; where a target names none, the
 * unit tests of the target's name.
 */

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const name = process.env.MUTATION_TARGET;
const target = JSON.parse(readFileSync(path('targets.json'), 'utf8'))[name];
if (!target) throw new Error(`MUTATION_TARGET must be a target of targets.json, not ${name}`);
const { mutate, tests = [`test/unit/${name}.test.ts`], coverageAnalysis = 'perTest' } = target;
// For Stryker a file that is not there is no error.
const missing = [...mutate, ...tests].find((file) => !existsSync(path(`../../${file}`)));
if (missing) throw new Error(`The target ${name} names ${missing}, which is not there`);

export default {
	mutate,
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	// 'off' where a line runs only for the first test, because its result is kept: others that need it would not be run.
	coverageAnalysis,
	concurrency: 1,
	// A mutant that never ends is found out soon.
	timeoutMS: 5000,
	// Joined to jest.config.js.
	jest: {
		enableFindRelatedTests: false,
		config: {
			testMatch: tests.map((test) => `<rootDir>/${test}`),
			testEnvironment: path('stopAtFirstFailure.js'),
			// A test that hangs has noticed too.
			testTimeout: 30_000,
		},
	},
	ignorePatterns: ['artefacts', 'coverage', 'dist', '.sandbox'],
	tempDirName: 'artefacts/mutation',
	cleanTempDir: 'always',
	// Nothing may survive but what a comment in the code permits.
	thresholds: { high: 100, low: 100, break: 100 },
	reporters: ['clear-text', 'html'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	htmlReporter: { fileName: `artefacts/mutation/${name}.html` },
	allowConsoleColors: false,
	warnings: { slow: false },
};
