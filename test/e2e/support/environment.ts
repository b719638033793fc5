import { join } from 'node:path';

import { type PackedPackage, sandboxFolder } from '../../../sandbox/host';

/** The user folders of the n8n that tests start. Two runs at the same time need one each: E2E_FOLDER names the second. */
export const foldersOfTests = join(sandboxFolder, process.env.E2E_FOLDER ?? 'e2e');

/** The service as which the emulator speaks: SERVICE names one of sandbox/emulator/services.ts. */
export const serviceOfTests = process.env.SERVICE || undefined;

const VARIABLE = 'CHATBOT_PACKED_PACKAGE';

/** Passes the packed package from the setup to the test files. */
export function rememberPacked(packed: PackedPackage): void {
	process.env[VARIABLE] = JSON.stringify(packed);
}

/** The package packed by the setup. */
export function packedPackage(): PackedPackage {
	return JSON.parse(process.env[VARIABLE] ?? 'null') as PackedPackage;
}

/** How long an operation may take: ten times the target, because the machine may run other tests too. */
export const allowed = (aimMs: number): number => aimMs * 10;
