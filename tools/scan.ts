/**
 * `npm run scan`: the analysis that n8n's scanner of community packages makes of a published package and its sources, before
 * publication. Only the provenance cannot be checked beforehand.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { runCommand } from '../sandbox/processes/command';
import { packPackage } from '../sandbox/host/packaging';
import { projectFolder } from '../sandbox/host/paths';

/** The scanner has no type declarations; these are the parts that are used here. */
interface Scanner {
	SOURCE_FILE_PATTERNS: string[];
	/** Applies the rules to the files of a folder. `details` is the output of ESLint. */
	analyzePackage(
		folder: string,
		patterns: string[],
	): Promise<{ passed: boolean; message?: string; details?: string }>;
}

const scanner = '@n8n/scan-community-package/scanner/scanner.mjs';

async function main() {
	// With the environment of a test runner, one set of rules treats every file as a test file.
	delete process.env.NODE_ENV;
	const { analyzePackage, SOURCE_FILE_PATTERNS } = (await import(scanner)) as Scanner;
	const report = async (title: string, folder: string, patterns: string[]) => {
		const { passed, message, details = '' } = await analyzePackage(folder, patterns);
		// Without any files the analysis passes too, with a message.
		const accepted = passed && message === undefined;
		console.log(`${title}: ${accepted ? 'accepted' : `REFUSED, ${message}`}\n${details}`);
		if (!accepted) process.exitCode = 1;
	};
	await report('Sources', projectFolder, SOURCE_FILE_PATTERNS);

	const temporary = await mkdtemp(join(tmpdir(), 'scan-'));
	try {
		const { tarball } = await packPackage(temporary);
		await runCommand('tar', ['-xzf', tarball], { cwd: temporary });
		// The scanner checks executable files of the tarball, and package.json.
		const unpacked = join(temporary, 'package');
		await report(`Tarball ${basename(tarball)}`, unpacked, ['**/*.js', 'package.json']);
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

main().catch((error: Error) => {
	console.error(error.message);
	process.exitCode = 1;
});
