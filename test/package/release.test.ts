import { placeholder, releaseProblems } from '../../tools/release';

const filledIn = {
	version: '1.2.3',
	author: { name: 'Anna Example', email: 'anna@example.com' },
	repository: { url: 'git+https://github.com/anna-example/package.git' },
};

const ready = `# Changelog

## [Unreleased]

## [1.2.3] - 2026-12-01

### Fixed

- A typo.

[Unreleased]: https://example.com/
`;

test('A tag of the version in package.json may be published when CHANGELOG.md has an entry for it', () => {
	expect(releaseProblems('v1.2.3', filledIn, ready)).toEqual([]);
});

test.each([
	['of another version', 'v1.2.4', ready, 'The tag v1.2.4 is not that of the version'],
	['without its v', '1.2.3', ready, 'which would be v1.2.3'],
	['without an entry', 'v1.2.3', ready.replace('[1.2.3]', '[1.2.2]'), 'says nothing about 1.2.3'],
	['with an empty entry', 'v1.2.3', ready.replace('- A typo.', ''), 'says nothing about 1.2.3'],
	[
		'with changes that still stand as not released',
		'v1.2.3',
		ready.replace('## [Unreleased]\n', '## [Unreleased]\n\n- Another typo.\n'),
		'still has changes under [Unreleased]',
	],
	['whose entry has no date', 'v1.2.3', ready.replace(' - 2026-12-01', ''), 'is neither'],
	['with a heading of another form', 'v1.2.3', ready.replace('[1.2.3]', '1.2.3'), 'is neither'],
])('A tag %s must not be published', (_, tag, text, problem) => {
	expect(releaseProblems(tag, filledIn, text)).toEqual(
		expect.arrayContaining([expect.stringContaining(problem) as string]),
	);
});

test.each([
	['author.name', { author: { ...filledIn.author, name: placeholder } }],
	['author.email', { author: { ...filledIn.author, email: `${placeholder}@example.com` } }],
	['author.email', { author: { name: filledIn.author.name } }],
	['repository.url', { repository: { url: `git+https://github.com/${placeholder}/package.git` } }],
	['repository.url', { repository: undefined }],
])('No tag may be published while %s still has a placeholder', (field, unfinished) => {
	expect(releaseProblems('v1.2.3', { ...filledIn, ...unfinished }, ready)).toEqual([
		expect.stringMatching(`^In package.json fill in "${field}", which is (still|missing)`),
	]);
});
