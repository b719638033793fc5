import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { isNodeOfHead, stateText } from '../bench/commit';
import { measuredIn, readResults } from '../bench/results';
import manifest from '../package.json';
import { projectFolder } from '../sandbox/host/paths';
import { releaseProblems } from './release';

/* `npm run check:release -- v1.2.3`: whether the checked-out files may be published with this tag. */

/** Figures of another state of the node do not prevent a release: bench/results.md says which state they are of. */
function warnOfOldFigures() {
	const tables = new Map<string, string[]>();
	for (const [name, state] of Object.entries(measuredIn(readResults()))) {
		const isOfHead = isNodeOfHead(state);
		if (isOfHead) continue;
		const what = isOfHead === undefined ? 'which this clone does not have' : 'when the node was different';
		const where = `at commit ${stateText(state)}, ${what}`;
		tables.set(where, [...(tables.get(where) ?? []), name]);
	}
	for (const [where, names] of tables) {
		console.error(`Warning: these figures in bench/results.md were measured ${where}: ${names.join(', ')}.`);
	}
}

warnOfOldFigures();
const tag = process.argv[2] ?? '(none given)';
const changelog = readFileSync(join(projectFolder, 'CHANGELOG.md'), 'utf8');
const problems = releaseProblems(tag, manifest, changelog);
for (const problem of problems) console.error(problem);
if (problems.length === 0)
	console.log(
		`${tag} may be published: it is the version in package.json, package.json names the publisher, and CHANGELOG.md has an entry for it.`,
	);
process.exitCode = problems.length === 0 ? 0 : 1;
