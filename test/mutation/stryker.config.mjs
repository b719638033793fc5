import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/*
 * Stryker's settings for the target of targets.json that MUTATION_TARGET names: files to mutate, and the tests that have to
 * fail. These are the files' own tests, so that a mutant takes a second and not a minute. A target without tests uses the
 * unit tests with its name.
 */

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const name = process.env.MUTATION_TARGET;
const target = JSON.parse(readFileSync(path('targets.json'), 'utf8'))[name];
if (!target) throw new Error(`MUTATION_TARGET must be a target of targets.json, not ${name}`);
const { mutate, tests = [`test/unit/${name}.test.ts`], coverageAnalysis = 'perTest' } = target;
// Stryker does not report a missing file as an error.
const missing = [...mutate, ...tests].find((file) => !existsSync(path(`../../${file}`)));
if (missing) throw new Error(`The target ${name} names ${missing}, which is not there`);

export default {
	mutate,
	testRunner: 'jest',
	plugins: ['@stryker-mutator/jest-runner'],
	// 'off' if a line runs only for the first test, because its result is cached: other tests that need it would not run.
	coverageAnalysis,
	concurrency: 1,
	// Short, to detect mutants that never end.
	timeoutMS: 5000,
	// Merged into jest.config.js.
	jest: {
		enableFindRelatedTests: false,
		config: {
			testMatch: tests.map((test) => `<rootDir>/${test}`),
			testEnvironment: path('stopAtFirstFailure.js'),
			// A timeout counts as detected.
			testTimeout: 30_000,
		},
	},
	ignorePatterns: ['artefacts', 'coverage', 'dist', '.sandbox'],
	tempDirName: 'artefacts/mutation',
	cleanTempDir: 'always',
	// No mutant may survive unless a comment in the code permits it.
	thresholds: { high: 100, low: 100, break: 100 },
	reporters: ['clear-text', 'html'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	htmlReporter: { fileName: `artefacts/mutation/${name}.html` },
	allowConsoleColors: false,
	warnings: { slow: false },
};
