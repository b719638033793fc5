import { rm } from 'node:fs/promises';
import { join } from 'node:path';

import { ensureHostInstalled, image, packPackage } from '../../../sandbox/host';
import { foldersOfTests, rememberPacked } from './environment';

/**
 * Runs once before all test files: installs n8n unless N8N_IMAGE names one, packs the package unless E2E_PACKAGE names a packed one,
 * removes leftovers of earlier runs.
 */
export default async function setup(): Promise<void> {
	await rm(foldersOfTests, { recursive: true, force: true });
	const tarball = process.env.E2E_PACKAGE;
	rememberPacked(tarball ? { tarball } : await packPackage(join(foldersOfTests, 'packed')));
	if (!image) await ensureHostInstalled();
}
