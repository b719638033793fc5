/** `npm run check:release -- v1.2.3`: whether the checked-out files may be published with this tag. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../sandbox/host/paths';

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');

/** @returns why a tag must not be published; nothing if it may */
export function releaseProblems(tag: string, manifest: string, changelog: string): string[] {
	const { version, n8n } = JSON.parse(manifest) as {
		version: string;
		n8n?: { n8nNodesApiVersion?: unknown };
	};
	/** Whether an entry has more than headings and the addresses of links. */
	const says = (heading: string) =>
		changelog
			.split(/^## /m)
			.some((entry) => entry.startsWith(heading) && /\n[^#[\s]/.test(entry.slice(heading.length)));
	const problems = {
		[`The tag ${tag} is not that of the version in package.json: v${version}`]: tag !== `v${version}`,
		'package.json still says PUBLISHER instead of the name, the mail or the owner':
			manifest.includes('PUBLISHER'),
		// n8n 3 also loads level 3. n8n 2 skips packages of a higher level, and those that say the level as text.
		'package.json needs "n8nNodesApiVersion": 1 under "n8n", as a number: n8n 2 loads no other package':
			n8n?.n8nNodesApiVersion !== 1,
		[`CHANGELOG.md needs "## [${version}] - <date>" and below it what has changed`]: !says(`[${version}] - `),
		'CHANGELOG.md still has changes under "## [Unreleased]": move them to this version': says('[Unreleased]'),
	};
	return Object.entries(problems).flatMap(([problem, isThere]) => (isThere ? problem : []));
}

if (require.main === module) {
	const problems = releaseProblems(process.argv[2] ?? '', read('package.json'), read('CHANGELOG.md'));
	console.log(problems.join('\n') || 'This tag may be published.');
	process.exitCode = problems.length ? 1 : 0;
}
