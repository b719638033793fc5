import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { ensureHostInstalled, image, packPackage } from '../../../sandbox/host';
import { foldersOfTests } from './environment';

/**
 * Runs once before all test files: installs n8n unless N8N_IMAGE names one, packs the package unless E2E_PACKAGE names a packed one,
 * removes leftovers of earlier runs.
 */
export default async function setup(): Promise<void> {
	await rm(foldersOfTests, { recursive: true, force: true });
	process.env.E2E_PACKAGE ||= (await packPackage(join(foldersOfTests, 'packed'))).tarball;
	if (!image) await ensureHostInstalled();
}
