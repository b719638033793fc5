import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import lines from '../../sandbox/engines/lines.json';
import { dependencies } from '../../sandbox/host/package.json';
import { projectFolder } from '../../sandbox/host/paths';

/* When the pinned n8n moves, in sandbox/host/package.json, these tests and compose.test.ts say what else must move. */

const pinned = dependencies.n8n;
const line = pinned.split('.').slice(0, 2).join('.');

const inBothLanguages = (...pages: string[]) =>
	pages.flatMap((page) => [`docs/${page}.md`, `docs/ru/${page}.md`]);

/** What names the version, and what names only its line. */
const naming = {
	[pinned]: ['README.md', 'docs/ru/README.md', ...inBothLanguages('administration'), 'SUBMISSION.md'],
	[line]: [
		...['CONTRIBUTING.md', '.ci/nightly', ...inBothLanguages('try-it')],
		...['test/engine/requestOptions.test.ts', 'test/engine/sendAndWait.test.ts'],
	],
};

test('the engines under test include that of the pinned n8n', () => {
	expect(lines).toHaveProperty([line, 'folder'], 'sandbox/host');
});

test.each(Object.entries(naming))('what names n8n %s by hand has not stayed behind', (version, files) => {
	const words = new RegExp(`(?<![\\d.])${version.replaceAll('.', '\\.')}(?![\\d])`);
	const behind = files.filter((file) => !words.test(readFileSync(join(projectFolder, file), 'utf8')));
	expect(behind).toEqual([]);
});
