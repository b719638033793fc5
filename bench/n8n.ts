/* Measures what records.ts names, with the end-to-end tests and n8n's store; and the time of the tests that need no n8n. */

import execa from 'execa';
import { cpus } from 'node:os';

import { projectFolder } from '../sandbox/host';
import type { Built } from './build';
import { conditionsNow } from './conditions';
import { render } from './page';
import { kinds, VARIABLE } from './records';
import { save } from './results';
import { measureStore } from './store';

/** Files of test/e2e/nightly, and n8n's store. */
export const suites = [...new Set(Object.values(kinds).map(({ suite }) => suite))];
export type Suite = (typeof suites)[number];

export async function measureOnN8n(asked: Suite[], built: Built, log: (text: string) => void): Promise<void> {
	const failed: Suite[] = [];
	for (const suite of asked) {
		process.env[VARIABLE] = JSON.stringify(await conditionsNow());
		if (suite === 'store') await measureStore(built, log);
		else {
			const test = ['run', 'test:e2e', '--', `nightly/${suite}.test`];
			const { exitCode } = await execa('npm', test, { cwd: projectFolder, stdio: 'inherit', reject: false });
			if (exitCode !== 0) failed.push(suite);
		}
		render();
	}
	if (failed.length) throw new Error(`Tests failed in ${failed.join(', ')}: their figures are not kept`);
}

export async function timeTests(): Promise<void> {
	const conditions = await conditionsNow();
	const startedAt = performance.now();
	await execa('npm', ['test'], { cwd: projectFolder, stdio: 'inherit' });
	const seconds = Math.round((performance.now() - startedAt) / 1000);
	save({ tests: { ...conditions, seconds, cores: cpus().length } });
	render();
}
