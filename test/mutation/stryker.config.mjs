import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * Stryker's settings for one measurement, which MUTATION describes: the name of a target of targets.json, whether its tests or the
 * engine tests run, and the places to change if these are not the whole files. A target names the unit tests that run.
 */

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const { name, tests: kind, mutate: places } = JSON.parse(process.env.MUTATION);
const target = JSON.parse(readFileSync(path('targets.json'), 'utf8'))[name];
const { mutate, coverageAnalysis = 'perTest' } = target;
const tests =
	kind === 'engineTests'
		? ['test/mutation/engine.ts']
		: target.tests.map((test) => join('test/unit', `${test}.test.ts`));
// Stryker does not report a missing file as an error.
const missing = tests.find((file) => !existsSync(path(`../../${file}`)));
if (missing) throw new Error(`The target ${name} names ${missing}, which does not exist`);

export default {
	mutate: places ?? mutate,
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
	reporters: ['clear-text', 'html', 'json'],
	clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
	htmlReporter: { fileName: `artefacts/mutation/${name}.${kind}.html` },
	jsonReporter: { fileName: `artefacts/mutation/${name}.json` },
	allowConsoleColors: false,
	warnings: { slow: false },
};
