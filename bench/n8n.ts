/* Measures what records.ts names, with the end-to-end tests and n8n's store. */

import execa from 'execa';

import { projectFolder } from '../sandbox/host';
import type { Built } from './build';
import { measureBusy } from './machine';
import { VARIABLE, type Conditions } from './records';
import { measureStore } from './store';

const suites = ['nightly/everybody-else', 'nightly/queue-mode'];

export async function measureOnN8n(built: Built, log: (text: string) => void): Promise<void> {
	for (const suite of suites) {
		const conditions: Conditions = { mark: built.mark, busy: await measureBusy() };
		const env = { [VARIABLE]: JSON.stringify(conditions) };
		await execa('npm', ['run', 'test:e2e', '--', suite], { cwd: projectFolder, env, stdio: 'inherit' });
	}
	await measureStore(built, log);
}
