/** What CHANGELOG.md says about one version, or about what is not released yet. */
export interface Entry {
	/** `Unreleased` or a version. */
	name: string;
	/** Undefined for what is not released yet. */
	date: string | undefined;
	/** The kinds of change, as their headings name them. */
	kinds: string[];
	text: string;
}

/** The headings of Keep a Changelog. */
export const kindsOfChange = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

const unreleased = 'Unreleased';
const entryHeading = /^\[(Unreleased|\d+\.\d+\.\d+(?:-[\w.]+)?)\](?: - (\d{4}-\d\d-\d\d))?$/;

/**
 * The entries of a changelog in the form of Keep a Changelog, in its order.
 *
 * @throws Error at a heading that is none of an entry
 */
export function readChangelog(changelog: string): Entry[] {
	const [, ...sections] = changelog.split(/^## /m);
	return sections.map((section) => {
		const [heading = '', ...lines] = section.split('\n');
		const [, name, date] = entryHeading.exec(heading.trim()) ?? [];
		if (name === undefined || (name === unreleased) !== (date === undefined)) {
			throw new Error(
				`"## ${heading}" in CHANGELOG.md is neither "## [${unreleased}]" nor "## [1.2.3] - 2026-12-31"`,
			);
		}
		const kinds = lines.flatMap((line) => /^### (.+)$/.exec(line)?.[1] ?? []);
		const text = lines
			.filter((line) => !/^(#|\[[^\]]+\]: )/.test(line))
			.join('\n')
			.trim();
		return { name, date, kinds, text };
	});
}

/** Why a tag must not be published; nothing when it may. */
export function releaseProblems(tag: string, version: string, changelog: string): string[] {
	const problems: string[] = [];
	if (tag !== `v${version}`) {
		problems.push(`The tag ${tag} is not that of the version in package.json, which would be v${version}`);
	}
	try {
		const entries = readChangelog(changelog);
		const entry = entries.find(({ name }) => name === version);
		if (!entry?.text) problems.push(`CHANGELOG.md says nothing about ${version}`);
		if (entries.some(({ name, text }) => name === unreleased && text !== '')) {
			problems.push(`CHANGELOG.md still has changes under [${unreleased}], which this version would bring`);
		}
	} catch (error) {
		problems.push((error as Error).message);
	}
	return problems;
}
