import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { projectFolder } from '../sandbox/host/paths';

const git = (...args: string[]) => execFileSync('git', args, { cwd: projectFolder, encoding: 'utf8' });

const listed = (...place: string[]) =>
	git(...place, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')
		.split('\0')
		.filter((file) => file && existsSync(join(projectFolder, file)));

/** The files that are in Git or would be added. A downloaded ZIP has no repository: then an empty one knows what Git ignores. */
export function projectFiles(): string[] {
	if (existsSync(join(projectFolder, '.git'))) return listed();
	const empty = mkdtempSync(join(tmpdir(), 'empty-'));
	try {
		git('init', '--quiet', '--bare', empty);
		return listed(`--git-dir=${empty}`, `--work-tree=${projectFolder}`);
	} finally {
		rmSync(empty, { recursive: true });
	}
}
