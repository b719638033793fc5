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

/** Names the entry of what is not released yet. */
export const unreleased = 'Unreleased';
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
