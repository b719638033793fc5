import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import lines from '../../sandbox/engines/lines.json';
import { dependencies } from '../../sandbox/host/package.json';
import { projectFolder } from '../../sandbox/host/paths';

/* When the pinned n8n moves, in sandbox/host/package.json, these tests say what else must move. */

const pinned = dependencies.n8n;
const line = pinned.split('.').slice(0, 2).join('.');

const textsIn = (folder: string, ending: string) =>
	readdirSync(join(projectFolder, folder))
		.filter((file) => file.endsWith(ending))
		.map((file) => join(folder, file));

const files = [
	...['README.md', 'SUBMISSION.md', 'CONTRIBUTING.md', '.ci/nightly'],
	...textsIn('docs', '.md'),
	...textsIn('docs/ru', '.md'),
	...textsIn('test/engine', '.test.ts'),
];

test('the engines under test include that of the pinned n8n', () => {
	expect(lines).toHaveProperty([line, 'folder'], 'sandbox/host');
});

/** The versions of n8n 2 with a minor of two digits, such as the pinned one. */
const namedIn = (file: string) =>
	readFileSync(join(projectFolder, file), 'utf8').match(/\b2\.\d{2}(?:\.\d+)?\b/g) ?? [];

test('what names a recent n8n by hand names the pinned one', () => {
	const others = files.flatMap((file) =>
		namedIn(file)
			.filter((version) => version !== pinned && version !== line)
			.map((version) => `${file}: ${version}`),
	);
	expect(others).toEqual([]);
});
