/** The parts of package.json about a version and its publisher. */
export interface Manifest {
	version: string;
	author?: { name?: string; email?: string };
	repository?: { url?: string };
}

/** The placeholder in package.json for what only the publisher knows. */
export const placeholder = 'PUBLISHER';

/** Reasons why a tag must not be published; empty if it may. */
export const releaseProblems = (tag: string, manifest: Manifest, changelog: string): string[] => [
	...publisherProblems(manifest),
	...tagProblems(tag, manifest.version),
	...changelogProblems(manifest.version, changelog),
];

function publisherProblems({ author, repository }: Manifest): string[] {
	const fields: Array<[field: string, value: string | undefined, meaning: string]> = [
		['author.name', author?.name, 'the name of the publisher'],
		['author.email', author?.email, 'the email address of the publisher, which npm shows to everybody'],
		['repository.url', repository?.url, 'the address of the repository on GitHub, with its owner'],
	];
	return fields
		.filter(([, value]) => !value || value.includes(placeholder))
		.map(([field, value, meaning]) => {
			const found = value ? `still "${value}"` : 'missing';
			return `In package.json fill in "${field}", which is ${found}: ${meaning}`;
		});
}

const tagProblems = (tag: string, version: string): string[] =>
	tag === `v${version}`
		? []
		: [`The tag ${tag} is not that of the version in package.json, which would be v${version}`];

function changelogProblems(version: string, changelog: string): string[] {
	const [, ...entries] = changelog.split(/^## /m).map((entry) => {
		const [heading = '', ...lines] = entry.split('\n');
		// Further headings and the URLs of links are not part of an entry.
		return { heading, isEmpty: lines.every((line) => /^(#.*|\[[^\]]+\]: .*|\s*)$/.test(line)) };
	});
	const problems = entries
		.filter(({ heading }) => !/^\[(Unreleased\]|\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d)$/.test(heading))
		.map(
			({ heading }) =>
				`"## ${heading}" in CHANGELOG.md is neither "## [Unreleased]" nor "## [1.2.3] - 2026-12-31"`,
		);
	if (!entries.some(({ heading, isEmpty }) => heading.startsWith(`[${version}]`) && !isEmpty))
		problems.push(`CHANGELOG.md says nothing about ${version}`);
	if (entries.some(({ heading, isEmpty }) => heading === '[Unreleased]' && !isEmpty))
		problems.push(
			'CHANGELOG.md still has changes under [Unreleased]: move them to the entry of this version',
		);
	return problems;
}
