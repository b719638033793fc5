import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { markOfNode } from '../bench/build';
import { readResults } from '../bench/documents';
import { readRecords } from '../bench/records';
import { measurementProblems } from '../bench/state';
import manifest from '../package.json';
import { projectFolder } from '../sandbox/host/paths';
import { releaseProblems } from './release';

/* `npm run check:release -- v1.2.3`: whether the checked-out files may be published with this tag. */

async function main() {
	const tag = process.argv[2] ?? '(none given)';
	const problems = [
		...releaseProblems(tag, manifest, readFileSync(join(projectFolder, 'CHANGELOG.md'), 'utf8')),
		...measurementProblems(readResults(), readRecords(), await markOfNode()),
	];
	for (const problem of problems) console.error(problem);
	if (problems.length === 0)
		console.log(
			`${tag} may be published: it is the version in package.json, package.json names the publisher, CHANGELOG.md has an entry for it, and all figures were measured with this state of the node.`,
		);
	process.exitCode = problems.length === 0 ? 0 : 1;
}

void main();
