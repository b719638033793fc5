import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { ensureHostInstalled, packPackage, stopwatch } from '../../../sandbox/host';
import { foldersOfTests, rememberPacked } from './environment';

/** Runs once before all test files: installs n8n, packs the package, removes leftovers of earlier runs. */
export default async function setup(): Promise<void> {
	const log = (line: string) => process.stdout.write(`${line}\n`);
	const taken = stopwatch();
	await rm(foldersOfTests, { recursive: true, force: true });
	rememberPacked(await packPackage(join(foldersOfTests, 'packed')));
	log(`\nBuilt and packed the package (${taken()})`);
	await ensureHostInstalled(log);
}
