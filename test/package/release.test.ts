import { releaseProblems } from '../../tools/checkRelease';

/* Which tags `npm run check:release` accepts. */

const manifest =
	'{ "version": "1.2.3", "author": { "name": "Anna Example" }, "n8n": { "n8nNodesApiVersion": 1 } }';
const changelog = `# Changelog

## [Unreleased]

## [1.2.3] - 2026-12-01

### Fixed

- A typo.
`;

test('A tag of the version in package.json may be published when CHANGELOG.md has an entry for it', () => {
	expect(releaseProblems('v1.2.3', manifest, changelog)).toEqual([]);
});

test.each([
	['of another version', 'v1.2.4', manifest, changelog, 'The tag v1.2.4'],
	['while the publisher is missing', 'v1.2.3', manifest.replace('Anna', 'PUBLISHER'), changelog, 'PUBLISHER'],
	['at the level of n8n 3', 'v1.2.3', manifest.replace('1 }', '3 }'), changelog, '"n8nNodesApiVersion": 1'],
	['whose level is a text', 'v1.2.3', manifest.replace('1 }', '"1" }'), changelog, '"n8nNodesApiVersion": 1'],
	['without a level', 'v1.2.3', manifest.replace('n8nNodes', ''), changelog, '"n8nNodesApiVersion": 1'],
	['without an entry', 'v1.2.3', manifest, changelog.replace('[1.2.3]', '[1.2.2]'), 'needs'],
	['with an empty entry', 'v1.2.3', manifest, changelog.replace('- A typo.', ''), 'needs'],
	['whose entry has no date', 'v1.2.3', manifest, changelog.replace(' - 2026-12-01', ''), 'needs'],
	[
		'with changes that still stand as not released',
		'v1.2.3',
		manifest,
		changelog.replace('\n## [1.2.3]', '\n- Another typo.\n\n## [1.2.3]'),
		'still has changes',
	],
])('A tag %s must not be published', (_, tag, inManifest, inChangelog, problem) => {
	expect(releaseProblems(tag, inManifest, inChangelog)).toEqual([expect.stringContaining(problem)]);
});
