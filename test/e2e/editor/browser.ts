import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

import { type Browser, chromium, selectors } from 'playwright-core';

const programs = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Long enough for a busy machine, and the longest wait for something that does not happen. */
export const PATIENCE_MS = 60_000;

/** Starts Chromium without a window. `CHROMIUM` names the program if it is not on the path. */
export async function startBrowser(): Promise<Browser> {
	// The attribute by which n8n marks the elements of its editor.
	selectors.setTestIdAttribute('data-test-id');
	return await chromium.launch({
		executablePath: process.env.CHROMIUM ?? findProgram(),
		headless: true,
		timeout: PATIENCE_MS,
		args: ['--disable-gpu', '--disable-quic'],
	});
}

function findProgram(): string {
	const folders = process.env.PATH!.split(delimiter);
	const found = programs.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
	if (found) return found;
	throw new Error(
		`None of ${programs.join(', ')} is there. On Debian: apt-get install chromium; or name one in the variable CHROMIUM.`,
	);
}

function isProgram(file: string): boolean {
	try {
		accessSync(file, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
