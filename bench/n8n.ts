/* Measures what records.ts names, with the end-to-end tests and n8n's store. */

import execa from 'execa';

import { projectFolder } from '../sandbox/host';
import type { Built } from './build';
import { measureBusy } from './machine';
import { kinds, VARIABLE, type Conditions } from './records';
import { measureStore } from './store';

/** Files of test/e2e/nightly, and n8n's store. */
export const suites = [...new Set(Object.values(kinds).map(({ suite }) => suite))];
export type Suite = (typeof suites)[number];

export async function measureOnN8n(asked: Suite[], built: Built, log: (text: string) => void): Promise<void> {
	const failed: Suite[] = [];
	for (const suite of asked) {
		const conditions: Conditions = { mark: built.mark, busy: await measureBusy() };
		process.env[VARIABLE] = JSON.stringify(conditions);
		if (suite === 'store') {
			await measureStore(built, log);
			continue;
		}
		const test = ['run', 'test:e2e', '--', `nightly/${suite}.test`];
		const { exitCode } = await execa('npm', test, { cwd: projectFolder, stdio: 'inherit', reject: false });
		if (exitCode !== 0) failed.push(suite);
	}
	if (failed.length) throw new Error(`Tests failed in ${failed.join(', ')}: their figures are not kept`);
}
