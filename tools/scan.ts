import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

import { runCommand } from '../sandbox/processes/command';
import { packPackage } from '../sandbox/host/packaging';
import { projectFolder } from '../sandbox/host/paths';

/*
 * `npm run scan`, or `npm run scan -- <folder>` for a copy of the project: the analysis that n8n's scanner of community packages makes
 * of a published package and its sources, before publication. Only the provenance cannot be checked beforehand.
 */

async function main(project: string): Promise<boolean> {
	// With the environment of a test runner, one set of rules treats every file as a test file.
	delete process.env.NODE_ENV;
	const { analyzePackage, SOURCE_FILE_PATTERNS } =
		await import('@n8n/scan-community-package/scanner/scanner.mjs');
	const temporary = await mkdtemp(join(tmpdir(), 'scan-'));
	const report = async (title: string, folder: string, patterns: string[]) => {
		const { passed, message, details } = await analyzePackage(folder, patterns);
		// Without any files the analysis passes too, with a message.
		const accepted = passed && message === undefined;
		console.log(`${title}: ${accepted ? 'passed' : `REFUSED, ${message}`}`);
		if (details !== undefined) console.log(details);
		return accepted;
	};
	try {
		const sources = await report('Sources', project, SOURCE_FILE_PATTERNS);
		const { tarball } = await packPackage(temporary, undefined, project);
		const unpacked = join(temporary, 'package');
		await mkdir(unpacked);
		await runCommand('tar', ['-xzf', tarball, '-C', unpacked, '--strip-components=1'], { cwd: temporary });
		// The scanner checks executable files of the tarball, and package.json.
		return (await report(`Tarball ${basename(tarball)}`, unpacked, ['**/*.js', 'package.json'])) && sources;
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

main(resolve(process.argv[2] ?? projectFolder)).then(
	(passed) => {
		console.log(`n8n's scanner ${passed ? 'accepts' : 'would refuse'} the package.`);
		process.exitCode = passed ? 0 : 1;
	},
	(error: Error) => {
		console.error(error.message);
		process.exitCode = 1;
	},
);
