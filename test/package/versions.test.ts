import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';

import { name, version } from '../../package.json';
import { dependencies as ofEngine1 } from '../../sandbox/engines/1.x/package.json';
import lines from '../../sandbox/engines/lines.json';
import { dependencies } from '../../sandbox/host/package.json';
import { projectFolder } from '../../sandbox/host/paths';

/*
 * When this package or the pinned n8n, in sandbox/host/package.json, gets a new version, these tests say what else must. What users copy
 * from the documents for containers runs in test/e2e/nightly/queue-mode.test.ts, and in containers in .ci/compose.
 */

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');
const inBoth = (...pages: string[]) => pages.flatMap((page) => [`docs/${page}.md`, `docs/ru/${page}.md`]);
const readmes = ['README.md', 'docs/ru/README.md'];

const pinned = dependencies.n8n;
const line = pinned.split('.').slice(0, 2).join('.');

test('the engines include that of the pinned n8n', () => {
	expect(lines).toHaveProperty([line, 'folder'], 'sandbox/host');
	// In that release line, the minor version of n8n is one ahead of its engine's.
	expect(ofEngine1['n8n-core']).toMatch(/^1\.122\./);
	for (const readme of readmes) expect(read(readme)).toMatch(/2\.41\D.*1\.123\D.*2\.8\D/);
});

/** What names the version, and what names only its line. */
const naming = {
	[pinned]: [...readmes, ...inBoth('administration'), 'RELEASING.md'],
	[line]: [...['CONTRIBUTING.md', '.ci/nightly', 'test/engine/sendAndWait.test.ts']],
};

test.each(Object.entries(naming))('what names n8n %s has not stayed behind', (which, files) => {
	const words = new RegExp(`(?<![\\d.])${which.replaceAll('.', '\\.')}(?![\\d])`);
	expect(files.filter((file) => !words.test(read(file)))).toEqual([]);
});

const matchesOf = (pattern: RegExp, searched: string) =>
	[...searched.matchAll(pattern)].map(([, found]) => found!);

test.each(['docs/queue-mode/compose.yaml', ...inBoth('install')])('%s installs this version', (file) => {
	const listed = matchesOf(/(\[\{ "name": .*\])'/g, read(file)).map((each) => JSON.parse(each) as unknown);
	expect(listed).toEqual([[{ name, version }]]);
});

const compose = read('docs/queue-mode/compose.yaml');
const { services } = parse(compose, { merge: true }) as { services: { n8n: { image: string } } };

test.each(inBoth('queue-mode'))('the .env of %s fits the Compose file', (page) => {
	const shown = /^ *```sh\n([^`]*N8N_ENCRYPTION_KEY=\n[^`]*)^ *```/m.exec(read(page))![1]!;
	const set = matchesOf(/^ *(\w+)=/gm, shown);
	expect(set).toEqual(expect.arrayContaining(matchesOf(/\$\{(\w+):\?/g, compose)));
	expect(matchesOf(/\$\{(\w+)/g, compose)).toEqual(expect.arrayContaining(set));
	expect(services.n8n.image).toContain(`:\${N8N_VERSION:-${pinned}}`);
});
