import { join } from 'node:path';

import { type PackedPackage, sandboxFolder } from '../../../sandbox/host';

/** The user folders of the n8n that tests start. Two runs at the same time need one each: E2E_FOLDER names the second. */
export const foldersOfTests = join(sandboxFolder, process.env.E2E_FOLDER ?? 'e2e');

/** The service as which the emulator speaks: SERVICE names one of sandbox/emulator/services.ts. */
export const serviceOfTests = process.env.SERVICE || undefined;

/** The package that E2E_PACKAGE names, or that the setup has packed. */
export const packedPackage = (): PackedPackage => ({ tarball: process.env.E2E_PACKAGE! });

/** How long an operation may take: ten times the target, because the machine may run other tests too. */
export const allowed = (aimMs: number): number => aimMs * 10;
