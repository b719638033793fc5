import { readChangelog, unreleased } from './changelog';

/** What package.json says of a version and of those who publish it. */
export interface Manifest {
	version: string;
	author?: { name?: string; email?: string };
	repository?: { url?: string };
}

/** Stands in package.json for what only the publisher knows. */
export const placeholder = 'PUBLISHER';

/** Why a tag must not be published; nothing when it may. */
export const releaseProblems = (tag: string, manifest: Manifest, changelog: string): string[] => [
	...publisherProblems(manifest),
	...tagProblems(tag, manifest.version),
	...changelogProblems(manifest.version, changelog),
];

function publisherProblems({ author, repository }: Manifest): string[] {
	const fields: Array<[field: string, value: string | undefined, meaning: string]> = [
		['author.name', author?.name, 'the name of whoever publishes the package'],
		['author.email', author?.email, 'a mail address of theirs, which npm shows to everybody'],
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
	try {
		const entries = readChangelog(changelog);
		const problems: string[] = [];
		if (!entries.find(({ name }) => name === version)?.text)
			problems.push(`CHANGELOG.md says nothing about ${version}`);
		if (entries.some(({ name, text }) => name === unreleased && text !== '')) {
			problems.push(`CHANGELOG.md still has changes under [${unreleased}], which this version would bring`);
		}
		return problems;
	} catch (error) {
		return [(error as Error).message];
	}
}
