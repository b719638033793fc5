import { cp } from 'node:fs/promises';
import { join } from 'node:path';

import { watch } from 'gulp';

import { projectFolder } from '../host';
import { runNpm } from '../processes/command';

/* The rebuilds of `npm run dev`. */

/** With this setting, n8n loads a package again when its files change, and tells the editor. */
export const reloading = { N8N_DEV_RELOAD: 'true' };

/**
 * Rebuilds the package after each change of a source, and puts it where n8n has installed it. What is wrong with a source is printed.
 * Types come last, because they take longer than all the rest.
 *
 * @returns how to end that
 */
export function rebuildOnChange(installed: string, signal: AbortSignal) {
	const options = { cwd: projectFolder, signal };
	const rebuild = async () => {
		try {
			await runNpm(['run', 'bundle'], options);
			// Over the old files: n8n no longer watches a folder that was removed.
			await cp(join(projectFolder, 'dist'), join(installed, 'dist'), { recursive: true });
			console.log('\nRebuilt. Checking the types ...');
			await runNpm(['run', 'typecheck'], options);
			console.log('The types are right.');
		} catch (error) {
			if (!signal.aborted) console.error(`\n${(error as Error).message}`);
		}
	};
	const watcher = watch(['nodes/**', 'credentials/**', 'icons/**'], { cwd: projectFolder }, rebuild);
	return async () => await watcher.close();
}
