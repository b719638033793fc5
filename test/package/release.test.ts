import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import manifest from '../../package.json';
import { projectFolder } from '../../sandbox/host';
import { kindsOfChange, readChangelog } from '../../tools/changelog';
import { placeholder, releaseProblems } from '../../tools/release';

describe('CHANGELOG.md', () => {
	const entries = readChangelog(readFileSync(join(projectFolder, 'CHANGELOG.md'), 'utf8'));

	test('begins with what is not released yet, and has the latest version first', () => {
		const [unreleased, ...released] = entries;
		expect(unreleased!.name).toBe('Unreleased');
		const newestFirst = released.map(({ name }) => name.split('.').map(Number));
		expect(newestFirst).toEqual(
			[...newestFirst].sort((a, b) => b[0]! - a[0]! || b[1]! - a[1]! || b[2]! - a[2]!),
		);
	});

	test('has nothing but the kinds of change that there are, each once in an entry', () => {
		for (const { kinds } of entries) {
			expect(kindsOfChange).toEqual(expect.arrayContaining(kinds));
			expect(new Set(kinds).size).toBe(kinds.length);
		}
	});

	test('says what the version in package.json brings, or what the next one will', () => {
		const told = entries.filter(
			({ name, text }) => [manifest.version, 'Unreleased'].includes(name) && text !== '',
		);
		expect(told).not.toEqual([]);
	});
});

describe('a tag', () => {
	const changelog = (entries: string) => `# Changelog\n\n${entries}\n[Unreleased]: https://example.com/\n`;
	const filledIn = {
		version: '1.2.3',
		author: { name: 'Anna Example', email: 'anna@example.com' },
		repository: { url: 'git+https://github.com/anna-example/package.git' },
	};
	const ready = changelog('## [Unreleased]\n\n## [1.2.3] - 2026-12-01\n\n### Fixed\n\n- A typo.\n');

	test('of the version in package.json with an entry of its own may be published', () => {
		expect(releaseProblems('v1.2.3', filledIn, ready)).toEqual([]);
	});

	test.each([
		['of another version', 'v1.2.4', ready, 'The tag v1.2.4 is not that of the version'],
		['without its v', '1.2.3', ready, 'which would be v1.2.3'],
		[
			'without an entry',
			'v1.2.3',
			changelog('## [1.2.2] - 2026-12-01\n\n- A typo.\n'),
			'says nothing about 1.2.3',
		],
		[
			'with an empty entry',
			'v1.2.3',
			changelog('## [1.2.3] - 2026-12-01\n\n### Fixed\n'),
			'says nothing about 1.2.3',
		],
		[
			'with changes that still stand as not released',
			'v1.2.3',
			ready.replace('## [Unreleased]\n', '## [Unreleased]\n\n- Another typo.\n'),
			'still has changes under [Unreleased]',
		],
		['whose entry has no date', 'v1.2.3', ready.replace(' - 2026-12-01', ''), 'is neither'],
		['with a heading of another form', 'v1.2.3', ready.replace('[1.2.3]', '1.2.3'), 'is neither'],
	])('%s may not', (_, tag, text, problem) => {
		expect(releaseProblems(tag, filledIn, text)).toEqual(
			expect.arrayContaining([expect.stringContaining(problem) as string]),
		);
	});

	test.each([
		['author.name', { ...filledIn, author: { ...filledIn.author, name: placeholder } }],
		['author.email', { ...filledIn, author: { ...filledIn.author, email: `${placeholder}@example.com` } }],
		['author.email', { ...filledIn, author: { name: filledIn.author.name } }],
		[
			'repository.url',
			{
				...filledIn,
				repository: { url: filledIn.repository.url.replace('anna-example', placeholder) },
			},
		],
		['repository.url', { ...filledIn, repository: undefined }],
	])('may not while only the publisher can fill in %s', (field, unfinished) => {
		expect(releaseProblems('v1.2.3', unfinished, ready)).toEqual([
			expect.stringMatching(`^In package.json fill in "${field}", which is (still|missing)`),
		]);
	});

	// Whatever is filled in one day, this holds: nothing else waits for the publisher.
	test('may once these are filled in, for package.json has the placeholder nowhere else', () => {
		const { author: _author, repository: _repository, ...rest } = manifest;
		expect(JSON.stringify(rest)).not.toContain(placeholder);
	});
});
